import { IbidError } from "../../../contracts/errors.ts";
import { throwIfAborted } from "../../../runtime/abort.ts";
import type { PromptArguments } from "./prompt-function.ts";

/**
 * One rendering, as filters see and change it.
 *
 * @experimental
 */
export interface RenderContext {
  /** Text of the template. */
  readonly template: string;
  /** Arguments. A filter may replace them for later filters and for the template. */
  args: PromptArguments;
  /** Absent before `next`; after it the rendered text, which a filter may replace. */
  renderedPrompt: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs around a rendering: code before `next` runs before it, code after `next` runs after it.
 *
 * **Shape** the first of several filters is the outermost. A filter that sets `renderedPrompt` without calling `next` replaces the template; no function is called.
 * `next` throws the errors of inner filters and of the rendering.
 * **Source** Semantic Kernel's prompt render filters.
 *
 * @experimental
 */
export type RenderFilter = (context: RenderContext, next: () => Promise<void>) => Promise<void> | void;

/**
 * Renders within filters.
 *
 * **Errors** `invalid-argument` for a filter that calls `next` twice, does not await it, or leaves no prompt; those of `render` and the filters; `aborted`.
 */
export async function renderWithin(
  filters: readonly RenderFilter[],
  context: RenderContext,
  render: (args: PromptArguments) => Promise<string>,
): Promise<string> {
  const run = async (index: number): Promise<void> => {
    throwIfAborted(context.signal, "The rendering");
    const filter = filters[index];
    if (filter === undefined) {
      context.renderedPrompt = await render(context.args);
      return;
    }
    let state: "not called" | "called" | "done" = "not called";
    await filter(context, async () => {
      if (state !== "not called") throw broken(index, "called next twice", "Call it once, or not at all.");
      state = "called";
      try {
        await run(index + 1);
      } finally {
        state = "done";
      }
    });
    if ((state as string) === "called") throw broken(index, "did not wait for next", "Write: await next().");
    if (typeof context.renderedPrompt !== "string")
      throw broken(index, "left no prompt", "Call next, or set context.renderedPrompt.");
  };
  await run(0);
  return context.renderedPrompt ?? "";
}

function broken(index: number, what: string, hint: string): IbidError {
  return new IbidError("invalid-argument", `Render filter number ${index + 1} ${what}.`, { hint });
}

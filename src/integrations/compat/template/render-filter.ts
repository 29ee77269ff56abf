import { IbidError } from "../../../contracts/errors.ts";
import { throwIfAborted } from "../../../runtime/abort.ts";
import type { PromptArguments } from "./prompt-function.ts";

/**
 * One rendering, as filters see and change it.
 *
 * @experimental
 */
export interface RenderContext {
  /** The template's own text. */
  readonly template: string;
  /** What it is rendered with; another object in its place holds for the filters after this one, and for the template. */
  args: PromptArguments;
  /** Nothing on the way in; on the way out what was rendered, and what is in its place then goes on. */
  renderedPrompt: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Stands around a rendering: what it does before `next` happens on the way in, what it does after on the way out.
 *
 * **Shape** of several, the first comes in first and out last. One that sets `renderedPrompt` and does not call `next` answers in the template's stead: no function of
 * it is called. What goes wrong further in is thrown by `next`, to be seen, replaced or let through.
 * **Source** Semantic Kernel's prompt render filters (S17).
 *
 * @experimental
 */
export type RenderFilter = (context: RenderContext, next: () => Promise<void>) => Promise<void> | void;

/**
 * Renders within filters.
 *
 * **Errors** `invalid-argument` for a filter that calls `next` twice, does not wait for it, or leaves without a prompt; those of `render` and the filters; `aborted`.
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

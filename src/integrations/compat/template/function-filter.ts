import { IbidError } from "../../../contracts/errors.ts";
import type { JsonValue } from "../../../contracts/metadata.ts";
import type { PromptArguments } from "./prompt-function.ts";

/**
 * One call of a template's function, as filters see and change it.
 *
 * @experimental
 */
export interface FunctionContext {
  /** `"function"`, or `"plugin.function"`. */
  readonly name: string;
  /** The first argument. A filter may replace it before `next`. */
  input: JsonValue | undefined;
  /** Arguments by name. A filter may replace them before `next`. */
  args: PromptArguments;
  /** Absent before `next`; after it the result, which a filter may replace. */
  result: JsonValue | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs around each call of a function: code before `next` runs before it, code after `next` runs after it.
 *
 * **Shape** the first of several filters is the outermost. A filter that never calls `next` keeps the function from being called; its own `result` counts.
 * **Source** Semantic Kernel's function invocation filters.
 *
 * @experimental
 */
export type FunctionFilter = (context: FunctionContext, next: () => Promise<void>) => Promise<void> | void;

/** Calls a function within filters. **Errors** `invalid-argument` for a filter that calls `next` twice; those of the function and the filters. */
export async function callWithin(
  filters: readonly FunctionFilter[],
  context: FunctionContext,
  call: (context: FunctionContext) => Promise<JsonValue | undefined>,
): Promise<JsonValue | undefined> {
  const run = async (index: number): Promise<void> => {
    const filter = filters[index];
    if (filter === undefined) {
      context.result = await call(context);
      return;
    }
    let isCalled = false;
    await filter(context, async () => {
      if (isCalled)
        throw new IbidError("invalid-argument", `Function filter number ${index + 1} called next twice.`, {
          hint: "Call it once, or not at all.",
        });
      isCalled = true;
      await run(index + 1);
    });
  };
  await run(0);
  return context.result;
}

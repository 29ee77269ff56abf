import { IbidError } from "../../contracts/errors.ts";
import type { NativeInputs, NativeModel } from "./load-transformers.ts";

/** Runs a model. **Errors** `embedding-failed` or `model-failed` around whatever its runtime throws; what it was sent is not among the words. */
export async function runModel(
  model: NativeModel,
  inputs: NativeInputs,
  { kind, name }: { readonly kind: "embedding" | "rerank"; readonly name: string },
): ReturnType<NativeModel> {
  try {
    return await model(inputs);
  } catch (cause) {
    throw new IbidError(kind === "embedding" ? "embedding-failed" : "model-failed", `transformers/${name} failed.`, {
      hint: "Look at the cause.",
      details: { provider: "transformers", model: name, retryable: false },
      cause,
    });
  }
}

/** One thing after another: a model uses every core by itself, and two runs at once only want twice the memory. */
export function createTurns(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

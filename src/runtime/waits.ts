import { IbidError } from "../contracts/errors.ts";

/** A value, or the promise of one. */
export type Maybe<Value> = Value | Promise<Value>;

/** A work that waits by yielding promises. The same work runs in one go where everything that it asks for is there at once. */
export type Waits<Result> = Generator<Promise<unknown>, Result, unknown>;

export function* wait<Value extends object>(value: Maybe<Value>): Waits<Value> {
  return isLate(value) ? ((yield value) as Value) : value;
}

/** Waits for all together. */
export function* waitAll<Value extends object>(values: readonly Maybe<Value>[]): Waits<readonly Value[]> {
  if (!values.some(isLate)) return values as readonly Value[];
  return (yield Promise.all(values.map((value) => Promise.resolve(value)))) as readonly Value[];
}

/** A leg of an author may give promises of its own kind. */
export function isLate<Value extends object>(value: Maybe<Value>): value is Promise<Value> {
  return "then" in value && typeof value.then === "function";
}

/** Runs a work, and waits where it does. */
export async function runWaits<Result>(work: Waits<Result>): Promise<Result> {
  let step = work.next();
  while (step.done !== true) {
    let value: unknown;
    try {
      value = await step.value;
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(value);
  }
  return step.value;
}

/** Runs a work in one go. **Errors** `internal` for one that has to wait. */
export function runAtOnce<Result>(work: Waits<Result>): Result {
  const step = work.next();
  if (step.done === true) return step.value;
  throw new IbidError("internal", "A search in one transaction cannot wait.");
}

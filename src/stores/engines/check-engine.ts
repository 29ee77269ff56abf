import type { EngineCapabilities, EngineIndexSpec } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";

/** Forms of conditions, for engines that evaluate all of them. */
export const everyCondition: EngineCapabilities["conditions"] = ["has", "lacks", "number", "and", "or"];

/** A beginning of the names of collections. **Errors** `invalid-argument`. */
export function checkPrefix(engine: string, prefix: string): string {
  if (/^[a-z][a-z0-9_]{0,19}$/u.test(prefix)) return prefix;
  throw new IbidError("invalid-argument", `${engine}: the prefix is ${JSON.stringify(prefix)}.`, {
    hint: "Write a lower-case letter, then at most 19 lower-case letters, digits and _.",
  });
}

/** **Errors** `dimension-mismatch` for an index that was made with other dimensions. */
export function checkDimensions(engine: string, { name, dimensions }: EngineIndexSpec, got: number): void {
  if (got === dimensions) return;
  throw new IbidError("dimension-mismatch", `${engine}: ${name} has ${got} dimensions, and not ${dimensions}.`, {
    hint: "Remove that index, or choose another prefix.",
    details: { store: engine, expected: dimensions, got },
  });
}

/** An error of an engine's client that names store and operation. */
export function engineFailed(engine: string, operation: string, cause: unknown): IbidError {
  if (IbidError.isInstance(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new IbidError("store-failed", `${engine}: ${operation} failed: ${reason.replace(/\.$/u, "")}.`, {
    hint: "Look at the engine, and call again.",
    details: { store: engine, operation },
    cause,
  });
}

import type { EngineCondition, EngineEntry } from "../../contracts/engine.ts";

/** Keys of numbers that an index has fields for, where an engine finds numbers in its own fields alone. */
export interface NumberFields {
  /** No entry has a number under a key that the index does not know. */
  has(key: string): boolean;
  /** Makes a field for each new key, before the entries are written. */
  addFor(entries: readonly EngineEntry[], signal?: AbortSignal): Promise<void>;
  /** Looks again where a condition names an unknown key: another process may have added it. */
  learnFor(condition: EngineCondition, signal?: AbortSignal): Promise<void>;
}

/** A condition in which a number that the index does not know admits nothing: no entry has it. */
export function withKnownNumbers(condition: EngineCondition, known: Pick<NumberFields, "has">): EngineCondition {
  if ("of" in condition) return { ...condition, of: condition.of.map((part) => withKnownNumbers(part, known)) };
  return condition.op === "number" && !known.has(condition.key) ? { op: "or", of: [] } : condition;
}

/** Keys of numbers that a condition asks for. */
function numberKeys(condition: EngineCondition): readonly string[] {
  if ("of" in condition) return condition.of.flatMap(numberKeys);
  return condition.op === "number" ? [condition.key] : [];
}

/**
 * @param look reads the keys that the index knows.
 * @param add makes fields for keys that are not known.
 */
export function createNumberFields(
  known: Iterable<string>,
  look: (signal?: AbortSignal) => Promise<Iterable<string>>,
  add: (keys: readonly string[], signal?: AbortSignal) => Promise<void>,
): NumberFields {
  const keys = new Set(known);
  return {
    has: (key) => keys.has(key),
    async addFor(entries, signal) {
      const all = new Set(entries.flatMap(({ numbers }) => Object.keys(numbers)));
      const missing = [...all].filter((key) => !keys.has(key));
      if (missing.length === 0) return;
      await add(missing, signal);
      for (const key of missing) keys.add(key);
    },
    async learnFor(condition, signal) {
      if (numberKeys(condition).every((key) => keys.has(key))) return;
      for (const key of await look(signal)) keys.add(key);
    },
  };
}

import { IbidError } from "../contracts/errors.ts";
import type { JsonValue, Metadata } from "../contracts/metadata.ts";

/** Most levels of nested values that JSON of a caller may have. **Source** .NET's `JsonSerializerOptions.MaxDepth` is 64. */
export const deepestJson = 100;

/** Whether lists and objects are nested in more levels than that. **Cost** one look at each value, without recursion. */
export function isNestedDeeper(value: unknown, most: number = deepestJson): boolean {
  const isHolder = (each: unknown): each is object => typeof each === "object" && each !== null;
  let level: readonly object[] = [value].filter(isHolder);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === most) return true;
    level = level.flatMap((each) => (Object.values(each) as unknown[]).filter(isHolder));
  }
  return false;
}

/**
 * Copies metadata as JSON holds them. A `Date` becomes an ISO 8601 string, a typed array a list of numbers, and a key
 * without a value is left out.
 *
 * **Errors** `invalid-argument` for anything that JSON cannot hold, naming the key; `details.key` is the path to it.
 */
export function toMetadata(metadata: unknown, where: string): Metadata {
  if (metadata === undefined) return {};
  if (isPlain(metadata)) return toJson(metadata, where, "metadata", []) as Metadata;
  throw new IbidError("invalid-argument", `${where}: metadata is ${describe(metadata)}.`, {
    hint: "Metadata are an object: keys with JSON values.",
    details: { key: "metadata" },
  });
}

function toJson(value: unknown, where: string, key: string, above: readonly object[]): JsonValue {
  const refuse = (what: string): IbidError =>
    new IbidError("invalid-argument", `${where}: ${key} is ${what}, which JSON cannot hold.`, {
      hint: "Metadata are strings, numbers, booleans, null, dates, and lists and objects of those.",
      details: { key },
    });
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refuse(String(value));
    return value;
  }
  if (typeof value !== "object") throw refuse(describe(value));
  if (above.includes(value)) throw refuse("an object that holds itself");
  if (above.length === deepestJson) {
    throw new IbidError("invalid-argument", `${where}: metadata are nested more than ${deepestJson} levels deep.`, {
      hint: "Flatten them, or store the value as text.",
      details: { key },
    });
  }
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refuse("an invalid date");
    return value.toISOString();
  }
  const within = [...above, value];
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)))
    return Array.from(value as ArrayLike<unknown>, (each, i) => toJson(each, where, `${key}[${i}]`, within));
  if ("toJSON" in value && typeof value.toJSON === "function") return toJson(value.toJSON(), where, key, within);
  if (!isPlain(value)) throw refuse(describe(value));
  const held = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(held.map(([name, each]) => [name, toJson(each, where, `${key}.${name}`, within)]));
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return `a ${value.constructor?.name || "class instance"}`;
  return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
}

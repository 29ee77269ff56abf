import type { JsonValue } from "../../contracts/metadata.ts";

/**
 * A value as JSON keeps it, or an error: never something else than it was. Dates become ISO 8601, and fields that are `undefined` are left out.
 *
 * **Errors** the error that `refuse` makes of the place (`tags.2`) and of the kind of value there.
 */
export function collectJson(value: unknown, refuse: (path: string, what: string) => Error): JsonValue {
  const above = new Set<object>();

  function collect(one: unknown, path: string): JsonValue {
    if (one === null || typeof one === "string" || typeof one === "boolean") return one;
    if (typeof one === "number" && Number.isFinite(one)) return one === 0 ? 0 : one;
    if (typeof one !== "object") throw refuse(path, typeof one === "number" ? String(one) : `of type ${typeof one}`);
    if (one instanceof Date) {
      if (Number.isNaN(one.getTime())) throw refuse(path, "no date");
      return one.toISOString();
    }
    if (above.has(one)) throw refuse(path, "part of itself");
    const prototype: unknown = Object.getPrototypeOf(one);
    if (!Array.isArray(one) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw refuse(path, `a ${(prototype as object).constructor.name}`);
    above.add(one);
    const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
    const collected = Array.isArray(one)
      ? Array.from(one, (item: unknown, i) => collect(item, below(String(i))))
      : Object.fromEntries(
          Object.entries(one)
            .filter(([, item]) => item !== undefined)
            .map(([name, item]) => [name, collect(item, below(name))]),
        );
    above.delete(one);
    return collected;
  }

  return collect(value, "");
}

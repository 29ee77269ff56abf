/** A JSON object of a response. */
export type Fields = Readonly<Record<string, unknown>>;

/** **Shape** `{}` for anything but an object. */
export function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A field by its name in camel case or in snake case: clients of one API in two languages write the same response in both. */
export function fieldOf(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)];
}

/** The objects of a list. **Shape** `[]` for anything but a list. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? Array.from(value, toFields) : [];
}

/** **Shape** `undefined` for anything but a string with a visible character. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** **Shape** `undefined` for anything but a position. */
export function positionOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A part of data that has a name. */
export interface DataMember {
  readonly title: string;
  /** From 1. */
  readonly level: number;
  readonly start: number;
  readonly end: number;
}

/** Keys that name an entry of a list, in order of preference. */
const namingKeys = ["title", "name", "id", "key"] as const;
const maxTitleLength = 100;

/** Whether the value of `key` may name what it is in. */
export function isNamingKey(key: string): boolean {
  return namingKeys.some((naming) => naming === key);
}

/** The best of the names that were found, else `[3]`. */
export function entryTitle(names: ReadonlyMap<string, string> | undefined, index: number): string {
  const name = namingKeys.map((key) => names?.get(key)).find((value) => value !== undefined && value.trim() !== "");
  return name === undefined ? `[${index}]` : shortTitle(name);
}

/** A key or name on one line. */
export function shortTitle(name: string): string {
  const line = name
    .slice(0, maxTitleLength * 4)
    .replace(/\s+/gu, " ")
    .trim()
    .toWellFormed();
  return line.length <= maxTitleLength ? line : `${line.slice(0, maxTitleLength - 1).toWellFormed()}…`;
}

import { deepStrictEqual } from "node:assert";

/** Says what was found, and ends the program with an error when it is not what was expected. */
export function check(what: string, got: unknown, expected: unknown): void {
  deepStrictEqual(got, expected, `${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`);
  console.log(`${what}: ${JSON.stringify(got)}`);
}

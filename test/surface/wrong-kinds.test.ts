import { inspect } from "node:util";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subpaths } from "../../scripts/subpaths.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { revoked } from "../support/error-of.ts";
import { readTable } from "./table.ts";

/** Values of which a function takes some at most: no text, no object, no list and no function, or another object than was asked for. */
const odd: readonly unknown[] = [
  null,
  undefined,
  5,
  Number.NaN,
  1n,
  true,
  Symbol("odd"),
  "nothing here",
  {},
  Object.create(null),
  Object.assign(["a"], { 2: "b", length: 4 }),
  [{}],
  new (class Day extends Date {})(Number.NaN),
  new (class Table extends Map<string, unknown> {})([["a", 1]]),
  new WeakMap(),
  Promise.resolve(1),
  ...["({})", "['a']", "new Date(0)", "new Map([['a', 1]])", "new Uint8Array([65])", "() => []"].map(
    (foreign) => runInNewContext(foreign) as unknown,
  ),
  revoked({}),
  revoked([]),
  revoked(() => {}),
];

let folder = "";
const home = process.cwd();
beforeAll(async () => {
  // Some functions take a path, and make what is there.
  folder = await mkdtemp(join(tmpdir(), "ibid-odd-"));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true });
});

/** The error of a call that throws, rejects or ends its loop with one. What was opened is closed. */
async function errorOf(call: (...args: readonly unknown[]) => unknown, args: readonly unknown[]): Promise<unknown> {
  try {
    const made = (await call(...args)) as Partial<AsyncGenerator & { close(): unknown; stop(): unknown }> | undefined;
    if (typeof made !== "object" || made === null) return undefined;
    if (Symbol.asyncIterator in made) await (made as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
    await (made.close ?? made.stop)?.();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Arguments that stand before the odd value: one is right for most functions. */
const before: readonly (readonly unknown[])[] = [
  [],
  [{}],
  ["a text"],
  [["a"]],
  [new Map()],
  [() => []],
  ["a text", "a text"],
  ["a text", ["a"]],
  [["a"], ["a"]],
  [{}, {}],
  [{}, ["a"]],
];

/** The first call of a function that ends with an error of the engine's; `undefined` when each answers, or ends with one of ibid. */
async function findForeign(call: (...args: readonly unknown[]) => unknown): Promise<string | undefined> {
  for (const value of odd) {
    for (const args of before.map((given) => [...given, value])) {
      const error = await errorOf(call, args);
      if (error !== undefined && !IbidError.isInstance(error))
        return `(${args.map((arg) => inspect(arg)).join(", ")}): ${inspect(error).split("\n")[0]!}`;
    }
  }
  return undefined;
}

// Classes are made with `new`; a counter of random texts has no end for a count that is no number.
const notCalled = new Set(["IbidError", "ContractViolation", "generateText"]);
const functions = readTable().filter(({ kind, name }) => kind === "value" && !notCalled.has(name));

describe("public functions with values of a wrong kind", () => {
  it("answer, or end with an error of ibid", async () => {
    const foreign: string[] = [];
    for (const { name, subpath } of functions) {
      const source = subpaths.find(({ specifier }) => specifier === subpath)!.nodeSource;
      const value = ((await import(join(home, source))) as Record<string, unknown>)[name];
      if (typeof value !== "function") continue;
      const found = await findForeign(value as (...args: readonly unknown[]) => unknown);
      if (found !== undefined) foreign.push(`${subpath} ${name}${found}`);
    }
    expect(foreign).toEqual([]);
  });
});

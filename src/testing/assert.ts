import { IbidError } from "../contracts/errors.ts";
import type { IbidErrorCode } from "../contracts/errors.ts";
import { ContractViolation } from "./contract-case.ts";

/** **Errors** a violation that says `what` unless `condition` holds. */
export function check(condition: boolean, what: string, actual?: unknown): asserts condition {
  if (!condition) throw new ContractViolation(what, { expected: true, actual });
}

/**
 * Whether two values say the same: plain data by content, numbers so that NaN equals NaN and 0 equals -0.
 *
 * **Shape** a key that is `undefined` equals a key that is missing. Typed arrays equal arrays of the same numbers. Sets have identical members; maps have
 * identical keys with equal values, in any order. Dates, buffers, patterns and errors are compared by what they hold; anything else that is no plain data equals
 * itself alone. Two cycles are equal when they run alike.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  return isSame(a, b, []);
}

/** `path` has the pairs that are being compared: a pair that comes again closes a cycle in both. */
function isSame(a: unknown, b: unknown, path: readonly (readonly [object, object])[]): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (path.some(([left, right]) => left === a && right === b)) return true;
  const inside = [...path, [a, b] as const];
  if (isList(a) || isList(b)) {
    if (!isList(a) || !isList(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isSame(a[i], b[i], inside)) return false;
    return true;
  }
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return false;
  if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((item) => b.has(item));
  if (kind === "Map") return isSameMap(a as Map<unknown, unknown>, b as Map<unknown, unknown>, inside);
  if (kind === "ArrayBuffer" || kind === "DataView")
    return isSame(bytesOf(a as DataView), bytesOf(b as DataView), inside);
  if (kind === "Date") return Object.is(Number(a), Number(b));
  if (a instanceof RegExp) return b instanceof RegExp && a.source === b.source && a.flags === b.flags;
  if (a instanceof Error) {
    if (!(b instanceof Error) || a.name !== b.name || a.message !== b.message) return false;
  } else if (kind !== "Object") return false;
  return isSameMap(definedEntries(a), definedEntries(b), inside);
}

/** As the language names it: instances of a class are "Object". */
function kindOf(value: object): string {
  const own = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return value instanceof Error ? "Error" : own;
}

function bytesOf(value: ArrayBuffer | DataView): Uint8Array {
  return value instanceof DataView
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}

function isSameMap(
  a: ReadonlyMap<unknown, unknown>,
  b: ReadonlyMap<unknown, unknown>,
  path: readonly (readonly [object, object])[],
): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.has(key) && isSame(value, b.get(key), path));
}

/** **Errors** a violation with both values unless they say the same; see {@link isEqual}. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (isEqual(actual, expected)) return;
  throw new ContractViolation(`${what}: expected ${show(expected)}, got ${show(actual)}`, { expected, actual });
}

/** **Errors** a violation unless two numbers differ by at most `tolerance`; NaN is close to nothing. */
export function close(actual: number | undefined, expected: number, what: string, tolerance = 1e-6): void {
  if (actual !== undefined && Math.abs(actual - expected) <= tolerance) return;
  throw new ContractViolation(`${what}: expected ${expected} ± ${tolerance}, got ${actual}`, { expected, actual });
}

/**
 * Runs what must fail, and hands back its error.
 *
 * **Errors** a violation when it succeeds, throws anything but an `IbidError`, one of another code, or one that does not say a word.
 */
export async function throwsCode(
  run: () => unknown,
  code: IbidErrorCode | readonly IbidErrorCode[],
  what: string,
): Promise<IbidError> {
  const codes = typeof code === "string" ? [code] : code;
  let value: unknown;
  try {
    value = await run();
  } catch (error) {
    if (!IbidError.isInstance(error)) {
      throw new ContractViolation(`${what}: expected an IbidError (${codes.join(" or ")}), got ${String(error)}`, {
        expected: codes,
        actual: error,
        cause: error,
      });
    }
    if (!codes.includes(error.code)) {
      throw new ContractViolation(`${what}: expected ${codes.join(" or ")}, got ${error.code} (${error.message})`, {
        expected: codes,
        actual: error.code,
        cause: error,
      });
    }
    check(error.message.trim() !== "", `${what}: the error says nothing`);
    return error;
  }
  throw new ContractViolation(`${what}: expected ${codes.join(" or ")}, but it succeeded`, {
    expected: codes,
    actual: value,
  });
}

/** Everything that an iterable gives, in order. */
export async function collect<Item>(items: AsyncIterable<Item> | Iterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Anything in one fixed order, by its written form: for comparing what has no order. */
export function inAnyOrder<Item>(items: Iterable<Item>): Item[] {
  const written = (item: Item): string => JSON.stringify(item) ?? "";
  return [...items].toSorted((a, b) => (written(a) < written(b) ? -1 : written(a) > written(b) ? 1 : 0));
}

/** A value without anything that JSON cannot carry: what a file, a database or a wire would give back. */
export function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/**
 * Overwrites everything in a returned value, at any depth, which exposes a shared copy.
 *
 * **Shape** a frozen value stays as it is, which is as good as a copy.
 */
export function scribble(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (ArrayBuffer.isView(value)) {
    (value as Float32Array).fill(-9);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    scribble(inner);
    if (typeof inner !== "object") Reflect.set(value, key, typeof inner === "number" ? -9 : "scribbled");
  }
  if (Array.isArray(value) && Object.isExtensible(value)) value.push("scribbled");
}

function isList(value: object): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}

function definedEntries(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, entry]) => entry !== undefined));
}

function show(value: unknown): string {
  /** Objects that are being written, each with what is written of it. */
  const open: (readonly [value: object, written: object])[] = [];
  const text =
    JSON.stringify(value, function (this: object, _, inner: unknown) {
      // The holder is the last object that is still being written.
      while (open.length > 0 && open.at(-1)?.[1] !== this) open.pop();
      if (typeof inner !== "object" || inner === null) return inner;
      if (open.some(([one]) => one === inner)) return "(a cycle)";
      const written =
        inner instanceof Map || inner instanceof Set || isList(inner) ? Array.from<unknown>(inner as []) : inner;
      open.push([inner, written]);
      return written;
    }) ?? String(value);
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

import { IbidError } from "../contracts/errors.ts";
import { isWithinEdits } from "./edit-distance.ts";

/** Whether a value is a `Proxy` that was revoked: every look at it throws. **Source** ECMA-262, IsArray. */
function isRevoked(value: unknown): boolean {
  try {
    Array.isArray(value);
    return false;
  } catch {
    return true;
  }
}

const has = (value: unknown, method: symbol): boolean =>
  typeof (value as Partial<Record<symbol, unknown>> | null | undefined)?.[method] === "function";

const revoked = "a Proxy that was revoked";

/** **Errors** `invalid-argument` for a Proxy that was revoked, also in lists and plain objects of any depth. **Cost** linear in these; a getter is not called. */
export function checkNotRevoked(where: string, name: string, value: unknown): void {
  const found = findRevoked(value, name, new Set(), deepest);
  if (found === undefined) return;
  throw new IbidError("invalid-argument", `${where}: ${found} is ${revoked}.`, {
    hint: `Give ${name} before its Proxy is revoked, or a copy.`,
  });
}

/** The path to a Proxy that was revoked; `undefined` where there is none. */
function findRevoked(value: unknown, path: string, seen: Set<object>, depth: number): string | undefined {
  if (typeof value === "function") return isRevoked(value) ? path : undefined;
  if (typeof value !== "object" || value === null || seen.has(value)) return undefined;
  if (isRevoked(value)) return path;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return undefined;
  // A list of numbers is a vector.
  if (depth === 0 || (isList && typeof value[0] === "number")) return undefined;
  seen.add(value);
  for (const key of Object.keys(value)) {
    const inner: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
    const found = findRevoked(inner, isList ? `${path}[${key}]` : `${path}.${key}`, seen, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As deep as any input may be. */
const deepest = 100;

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || isRevoked(prototype) || Object.getPrototypeOf(prototype) === null;
}

/** A value for a message; of an object its type alone, since it may have no text. */
export function sayValue(value: unknown): string {
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? `of the type ${typeof value}`
    : String(value);
}

/** **Errors** `invalid-argument` for an argument that is no string, such as a uri that was read from somewhere else. */
export function checkText(where: string, name: string, value: unknown): void {
  if (typeof value === "string") return;
  const kind = value === null ? "null" : isRevoked(value) ? revoked : Array.isArray(value) ? "a list" : typeof value;
  throw new IbidError("invalid-argument", `${where}: ${name} is ${kind}; it must be a string.`, {
    hint: `Give ${name} as a string.`,
  });
}

const kinds = {
  text: { is: (value: unknown) => typeof value === "string", said: "a string" },
  list: { is: Array.isArray, said: "a list" },
  object: {
    is: (value: unknown) => (typeof value === "object" && value !== null) || typeof value === "function",
    said: "an object",
  },
  function: { is: (value: unknown) => typeof value === "function", said: "a function" },
  count: {
    is: (value: unknown) => typeof value === "number" && Number.isSafeInteger(value) && value >= 1,
    said: "a whole number of 1 or more",
  },
  flag: { is: (value: unknown) => typeof value === "boolean", said: "true or false" },
  bytes: { is: (value: unknown) => ArrayBuffer.isView(value) && "subarray" in value, said: "bytes" },
  items: { is: (value: unknown) => has(value, Symbol.iterator), said: "a list, or another iterable" },
  stream: { is: (value: unknown) => has(value, Symbol.asyncIterator), said: "an async iterable" },
} as const;
type Kind = keyof typeof kinds;

/** As {@link checkText}, for an argument of any of these kinds. `members` names those that an object must have, or each object of a list. */
export function checkGiven(
  where: string,
  name: string,
  value: unknown,
  kind: Kind,
  members: Readonly<Record<string, Kind>> = {},
): void {
  const isGone = isRevoked(value);
  const { is, said } = kinds[kind];
  if (!isGone && is(value)) {
    for (const member of Object.keys(members)) {
      // Holes count too.
      const owners = kind === "list" ? Array.from(value as readonly unknown[]) : [value];
      for (const [at, owner] of owners.entries()) {
        const of = kind === "list" ? `${name}[${at}]` : name;
        if (kind === "list") checkGiven(where, of, owner, "object");
        checkGiven(where, `${of}.${member}`, (owner as Record<string, unknown>)[member], members[member]!);
      }
    }
    return;
  }
  const shown = kind === "count" && typeof value === "number" ? String(value) : `of the type ${typeof value}`;
  const found = value === null ? "null" : isGone ? revoked : Array.isArray(value) ? "a list" : shown;
  throw new IbidError("invalid-argument", `${where}: ${name} is ${found}; it must be ${said}.`, {
    hint: `Give ${name} as ${said}.`,
  });
}

/**
 * Runs work on a value that another function of ibid gives, or on a list of a caller's.
 *
 * **Errors** as `work`; `invalid-argument` where the value has another shape, with the engine's error as the cause.
 */
export function readingGiven<Result>(where: string, name: string, shape: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new IbidError("invalid-argument", `${where}: ${name} has another shape than ${shape}.`, {
      hint: `Give ${name} in the shape of ${shape}.`,
      cause: error,
    });
  }
}

/** The names of options; of each member, where the options are a union. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never;

/** A record with each name of the options and no other, such as their table. */
type OptionNames<Options, Known> = Readonly<Record<NamesOf<Options>, unknown>> &
  Readonly<Record<Exclude<keyof Known, NamesOf<Options>>, never>>;

/**
 * Refuses options that nobody reads.
 *
 * **Shape** `known` names each option of the type and no other: the compiler refuses a forgotten and a foreign name.
 * **Errors** `invalid-argument`, naming the option, the nearest known one, and all that are known.
 */
export function checkOptions<Options extends object, const Known extends object>(
  where: string,
  options: Options | undefined,
  known: Known & OptionNames<Options, NoInfer<Known>>,
): void {
  checkKnown(
    where,
    options,
    (name) => Object.hasOwn(known, name),
    () => Object.keys(known),
  );
}

/** As {@link checkOptions}, for names that a program puts together. */
export function checkNames(where: string, options: object | undefined, known: readonly string[]): void {
  checkKnown(
    where,
    options,
    (name) => known.includes(name),
    () => known,
  );
}

/** As {@link checkOptions}. Every call passes here: `names` lists the known options for an error alone. */
export function checkKnown(
  where: string,
  options: object | undefined,
  isKnown: (name: string) => boolean,
  names: () => readonly string[],
): void {
  if (options === undefined) return;
  if (options === null || typeof options !== "object" || isRevoked(options) || has(options, Symbol.iterator)) {
    throw new IbidError("invalid-argument", `${where} takes an options object.`, {
      hint: `Known options: ${names().join(", ")}.`,
    });
  }
  for (const key of Object.keys(options)) {
    if (isKnown(key)) {
      const value = (options as Readonly<Record<string, unknown>>)[key];
      checkNotRevoked(where, key, value);
      continue;
    }
    const known = names();
    const near =
      known.find((name) => name.toLowerCase() === key.toLowerCase() || name.startsWith(key) || key.startsWith(name)) ??
      known.find((name) => isWithinEdits(name, key, name.length > 4 ? 2 : 1));
    throw new IbidError("invalid-argument", `${where} has no option "${key}".`, {
      hint: `${near === undefined ? "" : `Did you mean "${near}"? `}Known options: ${known.join(", ")}.`,
    });
  }
}

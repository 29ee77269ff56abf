import { IbidError } from "../contracts/errors.ts";
import { isWithinEdits } from "./edit-distance.ts";

/** **Errors** `invalid-argument` for an argument that is no string, such as a uri that was read from somewhere else. */
export function checkText(where: string, name: string, value: unknown): void {
  if (typeof value === "string") return;
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
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
} as const;

/** As {@link checkText}, for an argument of any of these kinds. */
export function checkGiven(where: string, name: string, value: unknown, kind: keyof typeof kinds): void {
  const { is, said } = kinds[kind];
  if (is(value)) return;
  const shown = kind === "count" && typeof value === "number" ? String(value) : `of the type ${typeof value}`;
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : shown;
  throw new IbidError("invalid-argument", `${where}: ${name} is ${found}; it must be ${said}.`, {
    hint: `Give ${name} as ${said}.`,
  });
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
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    throw new IbidError("invalid-argument", `${where} takes an options object.`, {
      hint: `Known options: ${names().join(", ")}.`,
    });
  }
  for (const key of Object.keys(options)) {
    if (isKnown(key)) continue;
    const known = names();
    const near =
      known.find((name) => name.toLowerCase() === key.toLowerCase() || name.startsWith(key) || key.startsWith(name)) ??
      known.find((name) => isWithinEdits(name, key, name.length > 4 ? 2 : 1));
    throw new IbidError("invalid-argument", `${where} has no option "${key}".`, {
      hint: `${near === undefined ? "" : `Did you mean "${near}"? `}Known options: ${known.join(", ")}.`,
    });
  }
}

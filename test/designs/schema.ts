import type { StandardSchema } from "ibid/records";

const sample = { string: "", number: 0, boolean: false, "string[]": [] as readonly string[] } as const;
type Kind = keyof typeof sample;
type Fields = Readonly<Record<string, Kind>>;
type Widened<Value> = Value extends "" ? string : Value extends 0 ? number : Value extends false ? boolean : Value;
/** What a schema of some fields gives. */
export type Fielded<Given extends Fields> = { readonly [Name in keyof Given]: Widened<(typeof sample)[Given[Name]]> };

/** A Standard Schema of one's own: an object whose fields are all there, of the kind that is said. */
export function object<const Given extends Fields>(fields: Given): StandardSchema<Fielded<Given>> {
  const kindOf = (value: unknown): string => (Array.isArray(value) ? "string[]" : typeof value);
  return {
    "~standard": {
      version: 1,
      vendor: "own",
      validate(value) {
        const given = (value ?? {}) as Readonly<Record<string, unknown>>;
        const issues = Object.entries(fields).flatMap(([name, kind]) =>
          kindOf(given[name]) === kind ? [] : { message: `${name} is no ${kind}.`, path: [name] },
        );
        if (issues.length > 0) return { issues };
        const kept = Object.keys(fields).map((name) => [name, given[name]]);
        return { value: Object.fromEntries(kept) as Fielded<Given> };
      },
    },
  };
}

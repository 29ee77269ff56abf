import { IbidError } from "../contracts/errors.ts";

/** As {@link Array.isArray}, and no for a Proxy that was revoked, which can be asked nothing. */
const isList = (value: unknown): boolean | undefined => {
  try {
    return Array.isArray(value);
  } catch {
    return undefined;
  }
};

const kinds = {
  function: (value: unknown) => typeof value === "function" && isList(value) === false,
  list: (value: unknown) => isList(value) === true,
  object: (value: unknown) => typeof value === "object" && value !== null && isList(value) === false,
  number: (value: unknown) => typeof value === "number",
  string: (value: unknown) => typeof value === "string",
};

/** **Errors** `invalid-argument` for a value that is not of its kind. `where` is the function that it was given to. */
export function checkKind(where: string, name: string, value: unknown, kind: keyof typeof kinds): void {
  if (kinds[kind](value)) return;
  const said = kind === "object" ? "an object" : `a ${kind}`;
  const found =
    value === null
      ? "null"
      : isList(value) === undefined
        ? "a revoked Proxy"
        : isList(value)
          ? "a list"
          : `of the type ${typeof value}`;
  throw new IbidError("invalid-argument", `${where}: ${name} is ${found}; it must be ${said}.`, {
    hint: `Give ${name} as ${said}.`,
  });
}

/** As {@link checkKind}, for the subject of a pack: each has `create`, and some have other members that the pack needs. */
export function checkSubject(
  where: string,
  subject: { readonly create: unknown },
  members: Readonly<Record<string, keyof typeof kinds>> = {},
): void {
  checkKind(where, "the subject", subject, "object");
  for (const [name, kind] of Object.entries({ create: "function" as const, ...members }))
    checkKind(where, `the subject's ${name}`, (subject as unknown as Record<string, unknown>)[name], kind);
}

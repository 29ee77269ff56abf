import type { z } from "zod";
import { IbidError } from "../contracts/errors.ts";
import { abortError } from "../runtime/abort.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
import { readStream, type StreamOfBytes } from "../runtime/read-stream.ts";
import { deepestJson, isNestedDeeper } from "../runtime/to-json.ts";
import { createDeadline } from "./deadline.ts";
import { Refusal } from "./refusal.ts";

/** Limits of a request's body. */
export interface BodyLimits {
  /** **Units** bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Receives the size of each part before it is kept, and may refuse it. */
  readonly onPart?: (bytes: number) => void;
  /** The body, where the host has it without a web stream. Default `request.body`. */
  readonly stream?: StreamOfBytes | undefined;
}

/**
 * Reads a whole body.
 *
 * hono's own body limit trusts `content-length`, knows no deadline, and needs patched globals on Node. This reader counts each byte that arrives.
 *
 * **Errors** refusals: 413 once more bytes arrive than allowed, 408 after the deadline, 400 for a body that breaks off, 415 for a compressed one.
 */
export async function readBytes(
  request: Request,
  { maxBytes, timeoutMs, onPart, stream }: BodyLimits,
): Promise<Uint8Array> {
  checkEncoding(request);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const deadline = createDeadline(request.signal, timeoutMs);
  try {
    return await readStream(stream ?? request.body, {
      maxBytes,
      onPart,
      tooLarge: () => tooLarge(maxBytes),
      signal: deadline.signal,
      stopped: () => (request.signal.aborted ? abortError(request.signal, "The request") : tooSlow(timeoutMs)),
    });
  } catch (error) {
    if (error instanceof Refusal || IbidError.isInstance(error)) throw error;
    throw new Refusal(400, "invalid-argument", "The body ends before it is complete.", { hint: "Send it again." });
  } finally {
    deadline.release();
  }
}

/** **Errors** 415 for a compressed body. */
export function checkEncoding({ headers }: Request): void {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return;
  throw new Refusal(415, "unsupported-media", `The body's content-encoding is ${quote(encoding)}.`, {
    hint: "Send the body without compression.",
  });
}

/** Reads a JSON body. **Errors** 415 for another content type or charset; 400 for invalid JSON, and for values that the schema refuses. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limits: BodyLimits,
): Promise<z.output<Schema>> {
  const given = request.headers.get("content-type") ?? "";
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  if (type.trim() !== "application/json" || !/^(?:|charset="?utf-8"?)$/u.test(charset ?? "")) {
    const found = given === "" ? "has no content-type" : `has the content-type ${quote(given)}`;
    throw new Refusal(415, "unsupported-media", `The body ${found}.`, {
      hint: "Send JSON in UTF-8 with content-type: application/json.",
    });
  }
  return parseJson(await readBytes(request, limits), schema);
}

/** Reads a request to a route without a body. **Errors** 400 for a body that has anything in it; `{}` has not. */
export async function readNothing(request: Request, limits: BodyLimits): Promise<undefined> {
  // Node hands on no body of a GET.
  const isLost = request.body === null && Number(request.headers.get("content-length") ?? 0) > 0;
  const text = isLost ? "?" : new TextDecoder().decode(await readBytes(request, limits));
  if (/^\s*(?:\{\s*\})?\s*$/u.test(text)) return undefined;
  throw new Refusal(400, "invalid-argument", "The request has a body, and this route takes none.", {
    hint: "Leave out the body. See GET /openapi.json for the parameters of the route.",
  });
}

/** One for all bodies: making one takes longer than reading a question. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses and checks a JSON body. **Errors** 400 for invalid JSON, and for values that the schema refuses. */
export function parseJson<Schema extends z.ZodType>(bytes: Uint8Array, schema: Schema): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(strictUtf8.decode(bytes));
  } catch {
    throw new Refusal(400, "invalid-argument", "The body is not valid JSON in UTF-8.", {
      hint: 'Send one JSON object, such as {"query": "rotate a key"}.',
    });
  }
  if (isNestedDeeper(value)) {
    throw new Refusal(400, "invalid-argument", `The body is nested more than ${deepestJson} levels deep.`, {
      hint: "Flatten it.",
    });
  }
  return checked(schema, value);
}

/** Reads the parameters of an address. **Errors** 400 for values that the schema refuses, and for a parameter that is given twice. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema | undefined): z.output<Schema> {
  const given = request.url.includes("?") ? [...new URL(request.url).searchParams] : [];
  const twice = given.find(([name], index) => given.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined) {
    throw new Refusal(400, "invalid-argument", `The parameter ${quote(twice[0])} is given twice.`, {
      hint: "Give each parameter once.",
    });
  }
  if (schema !== undefined) return checked(schema, Object.fromEntries(given));
  if (given.length === 0) return undefined as z.output<Schema>;
  throw new Refusal(400, "invalid-argument", `The parameter ${quote(given[0]![0])} is unknown: this route has none.`, {
    hint: "Leave out everything from the question mark on.",
  });
}

/** Reads the parameters of a path. **Errors** 400 for values that the schema refuses. */
export function readParams<Schema extends z.ZodType>(
  given: Readonly<Record<string, string>>,
  schema: Schema | undefined,
): z.output<Schema> {
  return schema === undefined ? (undefined as z.output<Schema>) : checked(schema, given);
}

/** **Errors** 400 with value and rule of at most three problems. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // A text that is no number is shown as it was given, not as the number that was made of it.
  const problems = issues
    .slice(0, 3)
    .map((issue) =>
      issue.code === "invalid_type" && Number.isNaN(issue.input)
        ? { ...issue, input: valueAt(value, issue.path) }
        : issue,
    )
    .map((issue) => describeIssue(issue, (input) => shown(input)));
  // An object inside the body has fields of its own, and a wrong field is one of the object around it.
  let inside: readonly PropertyKey[] = issues[0]?.path ?? [];
  while (inside.length > 0 && fieldsAt(schema, inside).length === 0) inside = inside.slice(0, -1);
  const known = fieldsAt(schema, inside);
  const near = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.flatMap(nearest(fieldsAt(schema, issue.path))) : [],
  );
  throw new Refusal(400, "invalid-argument", `${problems.join("; ").slice(0, 500)}.`, {
    hint: near[0] !== undefined ? `Did you mean ${quote(near[0])}?` : fieldsHint(known, inside.map(String).join(".")),
  });
}

/** Names of the fields of an object, at a path of objects alone. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[] = []): readonly string[] {
  interface Part {
    readonly shape?: Readonly<Record<PropertyKey, Part>>;
    readonly def?: { readonly innerType?: Part };
  }
  let part = schema as Part | undefined;
  for (const name of path) {
    part = part?.shape?.[name];
    while (part?.def?.innerType !== undefined) part = part.def.innerType;
  }
  return Object.keys(part?.shape ?? {});
}

/** Says one problem of zod as a clause. `show` prints a wrong value; without it, the value stays secret. */
export function describeIssue(issue: z.core.$ZodIssue, show?: (value: unknown) => string): string {
  const path = issue.path.map(String).join(".") || "the value";
  const value = show === undefined || Number.isNaN(issue.input) ? "" : ` is ${show(issue.input)}; it`;
  switch (issue.code) {
    case "unrecognized_keys": {
      const names = issue.keys.slice(0, 3).map(quote).join(", ");
      const where = issue.path.length === 0 ? "" : ` in ${path}`;
      return `${names} ${issue.keys.length === 1 ? "is" : "are"} unknown${where}`;
    }
    case "invalid_type": {
      const isMissing = issue.input === undefined && issue.message.endsWith("received undefined");
      return isMissing ? `${path} is missing` : `${path}${value} must be ${articled(issue.expected)}`;
    }
    case "invalid_value":
      return `${path}${value} must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_big":
    case "too_small": {
      const isBig = issue.code === "too_big";
      const bound = String(isBig ? issue.maximum : issue.minimum);
      const [letters, items] = bound === "1" ? ["character", "entry"] : ["characters", "entries"];
      const unit = { string: letters, array: items }[issue.origin as string];
      if (unit !== undefined) return `${path} must have ${isBig ? "at most" : "at least"} ${bound} ${unit}`;
      return `${path}${value} must be ${bound} or ${isBig ? "less" : "more"}`;
    }
    case "invalid_union":
      return describeUnion(issue, show);
    case "invalid_format":
      if ("pattern" in issue && issue.pattern === String.raw`/\S/u`) return `${path} must not be blank`;
      return `${path}: ${issue.message}`;
    default:
      if (issue.code === "custom" && issue.input === undefined) return `${path} is missing`;
      // A secret is said to be wrong, and not shown.
      if (issue.code === "custom" && issue.message.startsWith("must ") && issue.path.at(-1) !== "secret")
        return `${path}${value} ${issue.message}`;
      return /^(?:must|is) /u.test(issue.message) ? `${path} ${issue.message}` : `${path}: ${issue.message}`;
  }
}

/** A value of several forms: the types that it may have, or the problem of the form that it comes closest to. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, show?: (value: unknown) => string): string {
  const path = issue.path.map(String).join(".") || "the value";
  if (issue.input === undefined) return `${path} is missing`;
  const first = issue.errors.flatMap(([problem]) => problem ?? []);
  const isOfType = (one: z.core.$ZodIssue): one is z.core.$ZodIssueInvalidType =>
    one.code === "invalid_type" && one.path.length === 0;
  const near = first.find((one) => !isOfType(one));
  if (near !== undefined) return describeIssue({ ...near, path: [...issue.path, ...near.path] }, show);
  const types = [...new Set(first.filter(isOfType).map(({ expected }) => articled(expected)))];
  const value = show === undefined ? "" : ` is ${show(issue.input)}; it`;
  return `${path}${value} must be ${types.join(" or ")}`;
}

/** The part of a value at a path. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], value);
}

const fieldsHint = (known: readonly string[], inside = ""): string =>
  known.length === 0
    ? "See GET /openapi.json for the fields."
    : `The fields${inside === "" ? "" : ` of ${inside}`} are ${known.join(", ")}.`;
const articled = (type: string): string => (type === "null" ? type : `${/^[aeiou]/u.test(type) ? "an" : "a"} ${type}`);
const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 60);

/** The known names that a mistyped one comes close to. */
export function nearest(known: readonly string[]): (name: string) => readonly string[] {
  return (name) => known.filter((each) => isWithinEdits(each.toLowerCase(), name.toLowerCase().replaceAll("_", ""), 2));
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 40));

function tooSlow(timeoutMs: number): Refusal {
  return new Refusal(408, "timeout", `The body took longer than ${timeoutMs} ms.`, {
    hint: "Send it faster, or send less.",
    headers: { connection: "close" },
  });
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, "too-large", `The body has more than ${maxBytes} bytes.`, {
    hint: "Send less at once, or ask the operator for higher limits.",
    headers: { connection: "close" },
  });
}

import { IbidError } from "../contracts/errors.ts";
import type { CustomReader, PlainReadResult, Reader, ReadInput, ReadResult } from "../contracts/reader.ts";
import { toMetadata } from "../runtime/to-json.ts";
import { buildSections, type Heading } from "./build-sections.ts";
import { checkCustomShape, type RefuseField } from "./check-custom-shape.ts";
import { fileNameOf } from "./file-name.ts";

/**
 * Completes the results of a custom reader: title, sections, source map and metadata are filled in where they are missing.
 *
 * **Errors** `invalid-argument` at once for a reader without `name`, `accepts` or `read`. `read` throws `unreadable`
 * for a wrong shape, naming reader, field and value.
 */
export function completeReader(reader: CustomReader): Reader {
  for (const [field, type] of [
    ["name", "string"],
    ["accepts", "function"],
    ["read", "function"],
    ...(reader?.readText === undefined ? [] : [["readText", "function"] as const]),
  ] as const) {
    const value = reader?.[field];
    if (typeof value === type && value !== "") continue;
    throw new IbidError("invalid-argument", `readers: ${field} is ${show(value)}; it must be a ${type}.`, {
      hint: "A reader is { name, accepts(mediaType), read(input) }, where read returns a text, or { text, headings }.",
      details: { field },
    });
  }
  const readText = reader.readText?.bind(reader);
  return {
    name: reader.name,
    accepts: (mediaType) => {
      const accepted: unknown = reader.accepts(mediaType);
      if (typeof accepted === "boolean") return accepted;
      throw new IbidError(
        "invalid-argument",
        `readers: accepts of ${reader.name} returned ${show(accepted)} for ${mediaType}; it must be true or false.`,
        { hint: "Return a boolean, not a promise or a match.", details: { field: "accepts", reader: reader.name } },
      );
    },
    read: async (input) => completeResult(reader.name, input, await reader.read(input)),
    ...(readText && { readText }),
  };
}

const resultFields = "text title headings root sourceMap blocks metadata notes places mediaType".split(" ");
const headingFields = ["title", "start", "level", "contentStart"];

function checkFields(at: string, given: object, known: readonly string[], refuse: RefuseField): void {
  for (const [field, value] of Object.entries(given))
    if (!known.includes(field)) throw refuse(`${at}${field}`, value, `left out; the fields are ${known.join(", ")}`);
}

function completeResult(reader: string, { uri }: ReadInput, given: unknown): ReadResult {
  const refuse: RefuseField = (field, value, expected) =>
    new IbidError(
      "unreadable",
      `The reader ${reader} returned ${field} ${show(value)} for ${uri}; it must be ${expected}.`,
      {
        uri,
        hint: "This is a fault of the reader: it returns a text, or { text, title, headings: [{ title, start }], metadata }.",
        details: { reader, field },
      },
    );
  const result = (typeof given === "string" ? { text: given } : given) as PlainReadResult;
  if (typeof result !== "object" || result === null) throw refuse("a result", given, "a text, or an object with one");
  const { text, headings = [], title, root, sourceMap, blocks, notes, places } = result;
  if (typeof text !== "string") throw refuse("text", text, "a string");
  if (title !== undefined && typeof title !== "string") throw refuse("title", title, "a string");
  if (places !== undefined && typeof places !== "string")
    throw refuse("places", places, "as a reader of ibid gave them");
  if (!Array.isArray(headings)) throw refuse("headings", headings, "a list");
  checkFields("", result, resultFields, refuse);
  checkCustomShape(result, text.length, refuse);

  let reached = 0;
  const complete = headings.map((heading, i): Heading => {
    const at = `headings[${i}]`;
    if (typeof heading !== "object" || heading === null) throw refuse(at, heading, "an object with title and start");
    checkFields(`${at}.`, heading, headingFields, refuse);
    const { title: name, start, level = 1 } = heading;
    if (typeof name !== "string") throw refuse(`${at}.title`, name, "a string");
    if (!Number.isSafeInteger(start) || start < reached || start > text.length)
      throw refuse(`${at}.start`, start, `a whole number from ${reached} to ${text.length}: headings come in order`);
    if (!Number.isSafeInteger(level) || level < 1 || level > 6)
      throw refuse(`${at}.level`, level, "a whole number from 1 to 6");
    const line = text.indexOf("\n", start);
    const { contentStart = text.startsWith(name, start) ? start + name.length : line < 0 ? text.length : line } =
      heading;
    if (!Number.isSafeInteger(contentStart) || contentStart < start || contentStart > text.length)
      throw refuse(`${at}.contentStart`, contentStart, `a whole number from ${start} to ${text.length}`);
    reached = contentStart;
    return { title: name, start, level, contentStart };
  });
  const named = title ?? complete[0]?.title ?? fileNameOf(uri);
  return {
    text,
    title: named,
    root: root ?? buildSections(text, named, complete),
    sourceMap: sourceMap ?? { lines: "none" },
    metadata: toMetadata(result.metadata, `The reader ${reader}, ${uri}`),
    ...(blocks && { blocks }),
    ...(notes && { notes }),
    ...(places && { places }),
  };
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

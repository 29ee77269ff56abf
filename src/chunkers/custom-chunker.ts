import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, Chunker, ChunkOptions, ChunkSpan, CustomChunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import { toMetadata } from "../runtime/to-json.ts";
import { createChunkFactory } from "./create-chunk.ts";

/**
 * Completes the chunks of a custom chunker: ids, index, section, headings and metadata are filled in where they are missing.
 *
 * **Errors** `invalid-argument` at once for a chunker without `fingerprint` or `chunk`. `chunk` throws
 * `invalid-response` for a wrong shape, naming chunker, field and value.
 */
export function completeChunker(chunker: CustomChunker): Chunker | AsyncChunker {
  for (const [field, type] of [["fingerprint", "string"] as const, ["chunk", "function"] as const]) {
    if (typeof chunker?.[field] === type) continue;
    throw new IbidError("invalid-argument", `chunker: ${field} is ${show(chunker?.[field])}; it must be a ${type}.`, {
      hint: "A chunker is { fingerprint: string, chunk(document) }, where chunk returns a list of { start, end }.",
      details: { field },
    });
  }
  const { fingerprint } = chunker;
  return {
    fingerprint,
    chunk(document: TextDocument, options?: ChunkOptions) {
      const cut: unknown = chunker.chunk(document, options);
      const complete = completer(fingerprint, document);
      if (isIterable(cut)) return map(cut, complete);
      return mapAsync(cut, complete, (value) => wrong(fingerprint, document.uri, "chunks", value, "a list"));
    },
  } as Chunker | AsyncChunker;
}

function* map(cut: Iterable<unknown>, complete: (given: unknown) => Chunk): Generator<Chunk, undefined> {
  for (const given of cut) yield complete(given);
  return undefined;
}

async function* mapAsync(
  given: unknown,
  complete: (given: unknown) => Chunk,
  refuse: (value: unknown) => IbidError,
): AsyncGenerator<Chunk, undefined> {
  const cut: unknown = await given;
  if (isIterable(cut)) {
    yield* map(cut, complete);
    return undefined;
  }
  if (typeof cut !== "object" || cut === null || !(Symbol.asyncIterator in cut)) throw refuse(cut);
  for await (const each of cut as AsyncIterable<unknown>) yield complete(each);
  return undefined;
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;

/** Completes the chunks of one document, in order. */
function completer(fingerprint: string, document: TextDocument): (given: unknown) => Chunk {
  const create = createChunkFactory(document);
  const { text: whole, uri } = document;
  let index = 0;
  let last = 0;
  return (given) => {
    const at = (field: string): string => `chunks[${index}].${field}`;
    const check = (field: string, value: unknown, fits: boolean, expected: string): void => {
      if (!fits) throw wrong(fingerprint, uri, at(field), value, expected);
    };
    if (typeof given !== "object" || given === null)
      throw wrong(fingerprint, uri, `chunks[${index}]`, given, "an object with start and end");
    const { start, end, text, id, headings, metadata, ...more } = given as ChunkSpan & Partial<Chunk>;
    check(
      "start",
      start,
      Number.isSafeInteger(start) && start >= last,
      `a whole number from ${last}: chunks come in order`,
    );
    const ends = `a whole number above start and up to ${whole.length}, the length of the text`;
    // A document without text may be one chunk without text.
    const isEmpty = whole === "" && end === 0 && index === 0;
    check("end", end, isEmpty || (Number.isSafeInteger(end) && end > start && end <= whole.length), ends);
    check("text", text, text === undefined || typeof text === "string", "a string");
    check("id", id, id === undefined || (typeof id === "string" && id.trim() !== ""), "a string that is not blank");
    const isHeadings =
      headings === undefined || (Array.isArray(headings) && headings.every((h) => typeof h === "string"));
    check("headings", headings, isHeadings, "a list of strings");
    const { urtext, documentId } = more;
    check("urtext", urtext, urtext === undefined || urtext === whole.slice(start, end), "the text from start to end");
    check("documentId", documentId, documentId === undefined || documentId === document.id, "the id of the document");
    last = start;
    const made = create(start, end, text);
    const own =
      metadata === undefined ? undefined : toMetadata(metadata, `The chunker ${fingerprint}, ${at("metadata")}`);
    index++;
    return {
      ...made,
      ...(more.type === "text-chunk" && more),
      index: made.index,
      ...(id !== undefined && { id }),
      ...(headings !== undefined && { headings: [...headings] }),
      ...(own !== undefined && { metadata: more.type === "text-chunk" ? own : { ...made.metadata, ...own } }),
    };
  };
}

function wrong(chunker: string, uri: string, field: string, value: unknown, expected: string): IbidError {
  return new IbidError(
    "invalid-response",
    `The chunker ${chunker} returned ${field} ${show(value)} for ${uri}; it must be ${expected}.`,
    {
      uri,
      hint: "This is a fault of the chunker: it returns a list of { start, end }, in order, as positions in document.text.",
      details: { chunker, field },
    },
  );
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

import { parentPort } from "node:worker_threads";
import { findDocumentKind } from "../../chunkers/chunk-by-kind.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Chunker } from "../../contracts/chunker.ts";
import type { TextDocument } from "../../contracts/document.ts";
import type { Reader } from "../../contracts/reader.ts";
import { languageOfTag } from "../../text/languages/language-tag.ts";
import { createTermNumbers } from "./number-terms.ts";
import {
  type Answered,
  type Asked,
  nameParts,
  type PreparedCuts,
  type PreparedDocument,
  type Ready,
} from "./prepared-document.ts";

/** What documents are prepared with. */
export interface AheadParts {
  readonly readers: readonly Reader[];
  readonly chunker: Chunker;
  readonly analyzer: Analyzer;
}

/** The thread's side: prepares what it is sent, one file after the other. */
export function serveAhead(parts: AheadParts): void {
  const port = parentPort;
  if (port === null) throw new Error("This program is started by ibid, as a thread.");
  // Libraries leave promises behind that fail when nobody looks any more.
  process.on("unhandledRejection", () => {});
  const prepare = createPreparation(parts);
  let last: Promise<unknown> = Promise.resolve();
  port.on("message", (asked: Asked) => {
    last = last.then(async () => {
      const document = await prepare(asked).catch(() => undefined);
      port.postMessage({ job: asked.job, ...(document && { document }) } satisfies Answered);
    });
  });
  port.postMessage({ ready: nameParts(parts) } satisfies Ready);
}

function createPreparation({ readers, chunker, analyzer }: AheadParts): (asked: Asked) => Promise<PreparedDocument> {
  const numbers = createTermNumbers();

  function cut(document: TextDocument, language: string): PreparedCuts | undefined {
    const kind = findDocumentKind(document);
    if (kind === "sheet") return undefined;
    const chunks = [...chunker.chunk(document)];
    const anew = numbers.bound();
    const places = new Uint32Array(2 * chunks.length);
    const ends = new Uint32Array(chunks.length);
    const texts = new Map<number, string>();
    const terms: number[] = [];
    const added: string[] = [];
    for (const [index, { start, end, text, urtext }] of chunks.entries()) {
      places[2 * index] = start;
      places[2 * index + 1] = end;
      if (text !== urtext) texts.set(index, text);
      if (language !== "") numbers.number(analyzer.analyze(text, language), terms, added);
      ends[index] = terms.length;
    }
    return { kind, places, texts, terms: Uint32Array.from(terms), ends, added, anew };
  }

  return async ({ reader, input: { uri, mediaType, metadata, ...input } }) => {
    const given = { ...input, uri, mediaType, ...(metadata && { metadata }) };
    const result = await readers[reader]!.read(given);
    const document: TextDocument = {
      type: "text",
      id: uri,
      uri,
      mediaType,
      origin: "user-content",
      ...result,
      metadata: { ...result.metadata, ...metadata },
    };
    const said = document.metadata.language;
    const named = typeof said === "string" ? languageOfTag(said) : "";
    const language = named || (analyzer.languageOf?.(result.text) ?? "");
    const cuts = cut(document, language);
    return { result, language, isDetected: named === "", ...(cuts && { cuts }) };
  };
}

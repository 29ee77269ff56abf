import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { checkTextDocument } from "./check-sizes.ts";

/**
 * Kinds of documents that an automatic choice distinguishes.
 *
 * @experimental
 */
export type DocumentKind = "markdown" | "html" | "code" | "sheet" | "other";

export const documentKinds: Readonly<Record<DocumentKind, true>> = {
  markdown: true,
  html: true,
  code: true,
  sheet: true,
  other: true,
};
const kinds = Object.keys(documentKinds) as readonly DocumentKind[];

/**
 * Chunk size with the best recall per character shown, by `bench/chunk-quality.ts`; the table is in
 * docs/chunking.md. Embabel's 1,500 and 200 are the section chunker's own default.
 */
export const sectionSizes = { maxSize: 1000, overlap: 125 };

const version = 1;

/** A chunker that hands each document to the one for its kind. **Shape** its chunks are those of the chunker that it was handed to. */
export function chunkByKind(chunkerOf: (kind: DocumentKind) => Chunker | AsyncChunker): Chunker | AsyncChunker {
  return {
    fingerprint: JSON.stringify(["auto", version, ...kinds.map((kind) => chunkerOf(kind).fingerprint)]),
    chunk: (document, chunkOptions) => {
      checkTextDocument(document);
      const chunks = chunkerOf(findDocumentKind(document)).chunk(document, chunkOptions);
      return Symbol.iterator in chunks ? eitherWay(chunks) : chunks;
    },
  };
}

/** Makes an iterable asynchronous as well, so that callers handle both kinds of chunkers alike. */
export function eitherWay(chunks: Iterable<Chunk>): Iterable<Chunk> & AsyncIterable<Chunk> {
  return {
    [Symbol.iterator]: () => chunks[Symbol.iterator](),
    async *[Symbol.asyncIterator]() {
      yield* chunks;
    },
  };
}

const kindsOfMediaTypes: readonly (readonly [RegExp, DocumentKind])[] = [
  [/^text\/(?:markdown|mdx|x-markdown)$/, "markdown"],
  [/^(?:text\/html|application\/xhtml\+xml)$/, "html"],
  [
    /^(?:text\/(?:csv|tab-separated-values)|application\/vnd\.(?:ms-excel|ms-spreadsheetml|openxmlformats-officedocument\.spreadsheetml|oasis\.opendocument\.spreadsheet).*)$/,
    "sheet",
  ],
  [
    /^(?:text\/(?:x-(?!rst|org|tex|log|diff)|javascript|typescript|css)|application\/(?:javascript|typescript|x-(?:sh|python|ruby|php|httpd-php))).*$/,
    "code",
  ],
];

const kindsOfNames: readonly (readonly [RegExp, DocumentKind])[] = [
  [/\.(?:md|mdx|markdown)$/i, "markdown"],
  [/\.(?:html?|xhtml)$/i, "html"],
  [/\.(?:csv|tsv|xlsx?|ods)$/i, "sheet"],
  [/\.(?:[cm]?[jt]sx?|py|java|cs|go|rs|c|h|cc|cpp|hpp|rb|php|kt|swift|scala|sh|sql|css)$/i, "code"],
];

/** Kind of a document: by its media type, else by its sheets, else by the end of its name. */
export function findDocumentKind({ mediaType, uri, metadata, sourceMap }: TextDocument): DocumentKind {
  const type = mediaType.split(";")[0]!.trim().toLowerCase();
  const byType = kindsOfMediaTypes.find(([pattern]) => pattern.test(type))?.[1];
  if (byType !== undefined) return byType;
  if ((sourceMap.sheets?.length ?? 0) > 0) return "sheet";
  const name = metadata.fileName ?? uri.replace(/[?#].*$/, "");
  return kindsOfNames.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

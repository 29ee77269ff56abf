import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { checkOptions } from "../text/check-options.ts";
import { checkTextDocument } from "./check-sizes.ts";
import { createSectionChunker } from "./section-chunker.ts";
import { createSpreadsheetChunker } from "./spreadsheet-chunker.ts";

/** What an automatic choice tells apart. */
export type DocumentKind = "markdown" | "html" | "code" | "sheet" | "other";

/** Which chunker cuts which kind of document. Default: `createSpreadsheetChunker()` for sheets, for all else `createSectionChunker` with 1,000 characters, 125 of them shared. */
export type AutoChunkerOptions<Part extends Chunker | AsyncChunker = Chunker> = {
  readonly [Kind in DocumentKind]?: Part;
};

const kinds = ["markdown", "html", "code", "sheet", "other"] as const satisfies readonly DocumentKind[];

/**
 * What found most of what answers a question at an equal budget of characters, and least else. **Source** `bench/chunk-quality.ts`; the table is in
 * docs/chunking.md. Embabel's 1,500 and 200 (E17) are the section chunker's own.
 */
const sectionSizes = { maxSize: 1000, overlap: 125 };

const version = 1;

/**
 * Chooses a chunker for each document, by its media type, then by its name.
 *
 * **Shape** its chunks are those of the chunker that it chose. Sheets are cut between rows, everything else by section, unless another chunker is given: sections and
 * blocks are what readers find in all of them. **Errors** as the chosen chunker; `invalid-argument` for an unknown kind.
 * **Source** Ballerina's `AUTO` (B36), which has chunkers for Markdown and HTML, and a recursive one for the rest.
 * @example createAutoChunker({ markdown: createMarkdownChunker({ maxSize: 800 }), other: createRecursiveChunker() })
 */
export function createAutoChunker(): Chunker;
export function createAutoChunker(options: AutoChunkerOptions): Chunker;
export function createAutoChunker(options: AutoChunkerOptions<Chunker | AsyncChunker>): AsyncChunker;
export function createAutoChunker(options: AutoChunkerOptions<Chunker | AsyncChunker> = {}): Chunker | AsyncChunker {
  checkOptions("createAutoChunker", options, kinds);
  const bySection = createSectionChunker(sectionSizes);
  const byRow = createSpreadsheetChunker();
  const chunkerOf = (kind: DocumentKind): Chunker | AsyncChunker =>
    options[kind] ?? (kind === "sheet" ? byRow : bySection);
  return {
    fingerprint: JSON.stringify(["auto", version, ...kinds.map((kind) => chunkerOf(kind).fingerprint)]),
    chunk: (document, chunkOptions) => {
      checkTextDocument(document);
      const chunks = chunkerOf(findDocumentKind(document)).chunk(document, chunkOptions);
      return Symbol.iterator in chunks ? eitherWay(chunks) : chunks;
    },
  };
}

/** What need not wait can be waited for: beside a chunker that asks somebody, all are walked alike. */
function eitherWay(chunks: Iterable<Chunk>): Iterable<Chunk> & AsyncIterable<Chunk> {
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
    /^(?:text\/(?:csv|tab-separated-values)|application\/vnd\.(?:ms-excel|openxmlformats-officedocument\.spreadsheetml|oasis\.opendocument\.spreadsheet).*)$/,
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

/** Which kind a document is: by its media type, else by its sheets, else by the end of its name. */
export function findDocumentKind({ mediaType, uri, metadata, sourceMap }: TextDocument): DocumentKind {
  const type = mediaType.split(";")[0]!.trim().toLowerCase();
  const byType = kindsOfMediaTypes.find(([pattern]) => pattern.test(type))?.[1];
  if (byType !== undefined) return byType;
  if ((sourceMap.sheets?.length ?? 0) > 0) return "sheet";
  const name = metadata.fileName ?? uri.replace(/[?#].*$/, "");
  return kindsOfNames.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

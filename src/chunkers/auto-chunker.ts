import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { chunkByKind, type DocumentKind, documentKinds, sectionSizes } from "./chunk-by-kind.ts";
import { createSectionChunker } from "./section-chunker.ts";
import { createSpreadsheetChunker } from "./spreadsheet-chunker.ts";

/**
 * Chunker for each kind of document. Default: `createSpreadsheetChunker()` for sheets; `createSectionChunker` with 1,000 characters and an overlap of 125 for all others.
 *
 * @experimental
 */
export type AutoChunkerOptions<Part extends Chunker | AsyncChunker = Chunker> = {
  readonly [Kind in DocumentKind]?: Part | undefined;
};

/**
 * Chooses a chunker for each document, by its media type, then by its name.
 *
 * **Shape** its chunks are those of the chunker that it chose. Sheets are cut between rows, everything else by section, unless another chunker is given: sections and
 * blocks are what readers find in all of them. **Errors** as the chosen chunker; `invalid-argument` for an unknown kind.
 * **Source** Ballerina's `AUTO`, which has chunkers for Markdown and HTML, and a recursive one for the rest.
 * @experimental
 * @example createAutoChunker({ markdown: createMarkdownChunker({ maxSize: 800 }), other: createRecursiveChunker() })
 */
export function createAutoChunker(): Chunker;
export function createAutoChunker(options: AutoChunkerOptions): Chunker;
export function createAutoChunker(options: AutoChunkerOptions<Chunker | AsyncChunker>): AsyncChunker;
export function createAutoChunker(options: AutoChunkerOptions<Chunker | AsyncChunker> = {}): Chunker | AsyncChunker {
  checkOptions("createAutoChunker", options, documentKinds);
  const bySection = createSectionChunker(sectionSizes);
  const byRow = createSpreadsheetChunker();
  const chunkerOf = (kind: DocumentKind): Chunker | AsyncChunker =>
    options[kind] ?? (kind === "sheet" ? byRow : bySection);
  return chunkByKind(chunkerOf);
}

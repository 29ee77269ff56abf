import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import { chunkByKind, sectionSizes } from "./chunk-by-kind.ts";
import { createSectionChunker } from "./section-chunker.ts";
import { spreadsheetFingerprint } from "./spreadsheet-fingerprint.ts";

/** `createAutoChunker()` by every chunk and by name, of which the part that cuts sheets is loaded with the first sheet: most pages have none. */
export function createLateAutoChunker(): Chunker | AsyncChunker {
  const bySection = createSectionChunker(sectionSizes);
  const byRow: AsyncChunker = {
    fingerprint: spreadsheetFingerprint(),
    async *chunk(document, options) {
      const { createSpreadsheetChunker } = await import("./spreadsheet-chunker.ts");
      yield* createSpreadsheetChunker().chunk(document, options);
    },
  };
  return chunkByKind((kind) => (kind === "sheet" ? byRow : bySection));
}

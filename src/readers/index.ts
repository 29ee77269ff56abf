/** `ibid/readers`, in any runtime. */
export type {
  Block,
  DelimitedTable,
  PartSpan,
  Place,
  PlaceLabels,
  SheetSpan,
  SourceMap,
  TableSpan,
  TextMark,
  TimeSpan,
} from "../contracts/document.ts";
export type {
  ExtractedTable,
  ExtractionInput,
  OcrProvider,
  PageText,
  RecognisedWord,
  TableExtractor,
  Transcript,
  TranscriptionProvider,
  TranscriptSegment,
} from "../contracts/extraction.ts";
export type { HandledData, MediaTypeHandler } from "../contracts/media-type-handler.ts";
export type {
  Reader,
  ReadInput,
  ReadLimits,
  ReadPart,
  ReadResult,
  TextReadInput,
  CustomReader,
  PlainReadResult,
} from "../contracts/reader.ts";
export type { SheetData, SheetRow } from "../contracts/sheet-data.ts";
export { buildSections } from "./build-sections.ts";
export { composeDocument, type Composition } from "./compose-document.ts";
export { dataReader } from "./data/data-reader.ts";
export type { Enhancement, Enhancer, TreeElement } from "../contracts/enhancer.ts";
export { type DescribedDocument, describeElement } from "./describe-element.ts";
export {
  createAudioDocument,
  createBinaryDocument,
  createFileDocument,
  createImageDocument,
  type MediaOptions,
} from "./media-document.ts";
export { detectMediaType } from "./media-type.ts";
export { noTableExtractor } from "./no-table-extractor.ts";
export { createNotebookReader } from "./notebook/notebook-reader.ts";
export type { PdfReaderOptions } from "./pdf/pdf-reader.ts";
export { defaultReadLimits } from "./read-limits.ts";
export { csvReader } from "./sheets/csv-reader.ts";
export { createRecordingReader } from "./markup/recording-reader.ts";
export { plainTextReader } from "./text/plain-text-reader.ts";
export { createLocator, type DocumentLink, linksIn, locate } from "../text/locate.ts";
export { findSectionPath, listDescendants, listLeaves } from "../text/walk-sections.ts";

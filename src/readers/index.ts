/** What of this room is public. Only the doors read it. */
export { buildSections } from "./build-sections.ts";
export { type Composition, composeDocument } from "./compose-document.ts";
export { csvReader } from "./sheets/csv-reader.ts";
export { dataReader } from "./data/data-reader.ts";
export { describeElement, type TreeElement } from "./describe-element.ts";
export { createAudioDocument, createImageDocument, type MediaOptions } from "./media-document.ts";
export { detectMediaType } from "./media-type.ts";
export { noTableExtractor } from "./no-table-extractor.ts";
export { createNotebookReader } from "./notebook/notebook-reader.ts";
export { plainTextReader } from "./text/plain-text-reader.ts";
export { defaultReadLimits } from "./read-limits.ts";
export { withMetadata } from "./with-metadata.ts";

/**
 * Recognised text of one page. **Source** ToolUp.
 *
 * @experimental
 */
export interface PageText {
  /** From 1. */
  readonly page: number;
  readonly text: string;
  /**
   * The words with their places. With them the reader finds columns, tables and headings as on any page, and a citation marks its words on the page.
   * `text` is then only looked at for whether there is any.
   */
  readonly words?: readonly RecognisedWord[];
  /** How sure the provider is of the words, on average. Below 60 a note says so. **Units** percent. */
  readonly confidence?: number;
}

/**
 * A word that was recognised, in its place.
 *
 * **Units** parts of the page as it is shown, from its top left corner: 0 to 1.
 * @experimental
 */
export interface RecognisedWord {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Number of its line on the page: words of one line share it. */
  readonly line: number;
}

/**
 * Input of an extraction.
 *
 * @experimental
 */
export interface ExtractionInput {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** The pages that are asked for, from 1. Absent: all. */
  readonly pages?: readonly number[];
  /** Opens a protected file. */
  readonly password?: string;
  readonly signal?: AbortSignal;
}

/**
 * Text recognition (OCR): gives scanned pages a text layer.
 *
 * Without one, a file of pictures is refused as `empty`, and `notes` names pages without text.
 * **Errors** an error that it throws refuses the file. **Source** ToolUp `IOcrProvider`.
 *
 * @experimental
 */
export interface OcrProvider {
  /** Names it, its version and its settings; part of the reader's name and so of the pipeline fingerprint. */
  readonly name: string;
  /** Whether the file has pages to recognise. A reader that knows its pages asks only where one has no text. */
  isScanned(input: ExtractionInput): boolean | Promise<boolean>;
  /** **Shape** pages without text may be left out. */
  extractText(input: ExtractionInput): Promise<readonly PageText[]>;
}

/**
 * A stretch of a recording.
 *
 * **Units** seconds from its beginning.
 * @experimental
 */
export interface TranscriptSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker?: string;
}

/**
 * A transcribed recording.
 *
 * @experimental
 */
export interface Transcript {
  /** In the order of their times. */
  readonly segments: readonly TranscriptSegment[];
  /** BCP 47, where the provider knows it. */
  readonly language?: string;
}

/**
 * Writes down what is said in a recording, with the times.
 *
 * **Errors** an error that it throws refuses the file.
 *
 * @experimental
 */
export interface TranscriptionProvider {
  /** Names it, its version and its settings; part of the reader's name and so of the pipeline fingerprint. */
  readonly name: string;
  transcribe(input: ExtractionInput): Promise<Transcript>;
}

/**
 * A table on a page. **Source** ToolUp.
 *
 * @experimental
 */
export interface ExtractedTable {
  /** From 1. */
  readonly page: number;
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Finds tables that the text of a file does not show. Their rows are searched and cited after the text of their page.
 *
 * **Source** ToolUp `ITableExtractor`.
 *
 * @experimental
 */
export interface TableExtractor {
  /** Names it, its version and its settings; part of the reader's name. */
  readonly name: string;
  extractTables(input: ExtractionInput): Promise<readonly ExtractedTable[]>;
}

/**
 * Embeds pictures, and queries in the same space. There is no default: one that does nothing would make pictures seem searchable.
 *
 * **Shape** embeddings of `dimensions` numbers. A caller that stores one writes its maker under the metadata keys `_imageProvider`, `_imageModel` and `_imageDim`.
 * **Source** ToolUp `IImageEmbedder`.
 *
 * @experimental
 */
export interface ImageEmbedder {
  readonly providerId: string;
  readonly modelId: string;
  readonly dimensions: number;
  embedImage(
    image: Uint8Array,
    options?: { readonly mediaType?: string; readonly signal?: AbortSignal },
  ): Promise<Float32Array>;
  embedQuery(query: string, options?: { readonly signal?: AbortSignal }): Promise<Float32Array>;
}

import type { Metadata } from "./metadata.ts";
import type { ReadInput } from "./reader.ts";

/**
 * Result of a handler.
 *
 * @experimental
 */
export interface HandledData {
  /** Each is one chunk, in order; the document's text is all of them with a blank line between. Blank ones are left out, as is white space around one. */
  readonly chunks: readonly string[];
  /** Default: the file's name. */
  readonly title?: string;
  readonly metadata?: Metadata;
  /** Sentences about content that is in no chunk; see `ReadResult.notes`. */
  readonly notes?: readonly string[];
}

/**
 * Turns data of a kind straight into chunks: a reader and a chunker in one, for data whose own parts are its chunks.
 *
 * **Shape** chunks are neither cut again nor joined. **Errors** as a reader; an error that is no `IbidError` refuses the document as `unreadable`.
 * **Source** ToolUp `VectorisationHandler`: `DataTypeId` is one of `mediaTypes`, `Vectorise(fileName, data)` is `handle({ uri, bytes })`.
 * Its `Summarise` is a context transformer.
 *
 * @experimental
 */
export interface MediaTypeHandler {
  /** In the pipeline's fingerprint, with its version: change it when the same bytes give other chunks. */
  readonly name: string;
  /** Media types of the handler, which comes before any reader; `text/*` is every text. */
  readonly mediaTypes: readonly string[];
  handle(input: ReadInput): HandledData | Promise<HandledData>;
}

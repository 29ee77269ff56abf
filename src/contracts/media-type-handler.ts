import type { Metadata } from "./metadata.ts";
import type { ReadInput } from "./reader.ts";

/** What a handler makes of bytes. */
export interface HandledData {
  /** Each is one chunk, in order; the document's text is all of them with a blank line between. Blank ones are left out, as is white space around one. */
  readonly chunks: readonly string[];
  /** Default: the file's name. */
  readonly title?: string;
  readonly metadata?: Metadata;
  /** What of it is in no chunk, and why; see `ReadResult.notes`. */
  readonly notes?: readonly string[];
}

/**
 * Turns data of a kind straight into chunks: a reader and a chunker in one, for data whose own parts are what can be found and cited.
 *
 * **Shape** chunks are never cut again, nor joined. **Errors** as a reader; what it throws that is no `IbidError` refuses the document as `unreadable`.
 * **Source** ToolUp `VectorisationHandler`: its `DataTypeId` is one of `mediaTypes`, its `Vectorise(fileName, data)` is `handle({ uri, bytes })`, its
 * `Summarise` is a context transformer.
 */
export interface MediaTypeHandler {
  /** In the pipeline's fingerprint, with its version: change it when the same bytes give other chunks. */
  readonly name: string;
  /** What it takes, before any reader is asked; `text/*` is every text. */
  readonly mediaTypes: readonly string[];
  handle(input: ReadInput): HandledData | Promise<HandledData>;
}

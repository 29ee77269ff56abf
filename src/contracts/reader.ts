import type { Chosen } from "./complete.ts";
import type { TextDocument } from "./document.ts";
import type { Metadata, MetadataInput } from "./metadata.ts";

/**
 * Something that can be read: bytes with a name.
 *
 * @experimental
 */
export interface SourceItem {
  /** The document's uri. */
  readonly uri: string;
  /** Known before reading, when it is; limits are checked against it first. */
  readonly size?: number;
  /** Media type that the sender or the caller declares. The content decides first, then this, then the name. */
  readonly mediaType?: string;
  /** The character encoding that the sender declared or the caller gave. */
  readonly charset?: string;
  /** Title given by the caller; it wins over the reader's. */
  readonly title?: string;
  /** Facts of the source: file name, dates. They become metadata of the document. */
  readonly metadata?: Metadata;
  /** The folder whose walk found it; see `Provenance.folder`. */
  readonly folder?: string;
  /** Whether a picture or a recording that no reader accepts, or that has no words, is kept whole, and not refused. Its bytes are asked for again. */
  readonly keepsMedia?: boolean;
  /** Validators that the sender gave with this version, for the next conditional request. */
  readonly validators?: Validators;
  bytes(signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * The same in pieces, each time from the beginning: what is large is looked at so before it is read. Absent where it can be had once.
   *
   * **Shape** a piece is good until the next is asked for; the first has 64 KiB at least, or all. **Errors** as `bytes`.
   */
  pieces?(signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/**
 * Validators of a version, as its sender gave them. A conditional request returns them to learn whether the version is current.
 *
 * **Source** RFC 9110, 8.8: `ETag` and `Last-Modified`.
 *
 * @experimental
 */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/**
 * Something that a source has not fetched, because what is kept of it will do: its sender says so, or nobody wanted it looked at.
 *
 * @experimental
 */
export interface SourceUnchanged {
  readonly uri: string;
  readonly unchanged: true;
  readonly folder?: string;
  /** When the sender gave new ones with its answer. */
  readonly validators?: Validators;
}

/**
 * The stored version of a uri, as far as a source needs it.
 *
 * @experimental
 */
export interface KeptVersion {
  /** Whether it is to be looked at again at all; see `RefreshPolicy`. */
  readonly wanted: boolean;
  /** Only where a sender's "not changed" means that nothing has to be written: not when the pipeline is another by now. */
  readonly validators?: Validators;
}

/**
 * Facts about a document that a source has before it fetches.
 *
 * @experimental
 */
export interface SaidOfIt {
  /** When it was last modified: a date, or a date and time, as ISO 8601 has them. **Source** sitemaps.org `lastmod`. */
  readonly modified?: string;
}

/**
 * Asked by a source before it fetches, with what it knows of the document by then. **Shape** `undefined` for what is not kept.
 *
 * @experimental
 */
export type AskKept = (uri: string, said?: SaidOfIt) => Promise<KeptVersion | undefined>;

/**
 * An item that a source found and refused, with the reason; the rest goes on.
 *
 * @experimental
 */
export interface SourceRefusal {
  readonly uri: string;
  readonly error: Error;
  /** Whether it is an input as the caller named it, and not there: the ingestion then rejects, after the rest is done. Default false. */
  readonly named?: boolean;
  /** Whether it is a file beyond the size that a walk takes, and is to be skipped and counted. Default false. */
  readonly oversized?: boolean;
}

/**
 * An origin of documents: a folder, a list of files, an address.
 *
 * **Shape** `items` is lazy and bounded in memory. `folders` are the folders that it walks whole. After a complete walk, documents of
 * these folders that did not appear are gone and may be swept.
 * **Source** Embabel's sources.
 */
export interface Source {
  readonly folders: readonly string[];
  items(signal?: AbortSignal): AsyncIterable<SourceItem | SourceRefusal>;
  /** The same, of a source that must fetch to know more: it asks what is kept first, and does not fetch what need not be. */
  changes?(kept: AskKept, signal?: AbortSignal): AsyncIterable<SourceItem | SourceRefusal | SourceUnchanged>;
  /**
   * Whether what a uri names is still there, though a walk leaves it out. Asked of documents that an inner folder brought: without an answer they stay.
   */
  has?(uri: string): boolean | Promise<boolean>;
}

/** Input of a reader: bytes, and facts about them. */
export interface ReadInput {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** The character encoding that the sender declared, the caller gave, or the text's own words show. A byte order mark wins over it. */
  readonly charset?: string;
  /** Opens a protected file. */
  readonly password?: string;
  /** How much the file may ask for; see {@link ReadLimits}. Default: the documents stage's own. */
  readonly limits?: Chosen<ReadLimits> | undefined;
  readonly metadata?: Metadata;
  readonly signal?: AbortSignal;
  /** Receives the number of pages, slides or chapters that are read, and that of all. Absent where nobody asks. */
  readonly onPage?: (done: number, of: number) => void;
  /** How many files it lies within: 0, the default, for a file by itself. */
  readonly depth?: number;
  /**
   * Reads what the file carries inside, by the reader of its kind: an attachment, a chapter, a cell of a notebook.
   * Absent when a reader is called by itself. **Errors** as {@link Reader}; `too-large` below `limits.maxDepth`.
   */
  readonly readPart?: (part: ReadPart) => Promise<ReadResult & { readonly mediaType: string }>;
}

/**
 * Input of a reader for a text that is already decoded: the canonical text instead of bytes.
 *
 * @experimental
 */
export interface TextReadInput extends Omit<ReadInput, "bytes" | "charset"> {
  readonly text: string;
}

/**
 * Something that a file carries inside.
 *
 * @experimental
 */
export interface ReadPart {
  /** As the file calls it: `notes.txt`, `OEBPS/chapter1.xhtml`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
  readonly charset?: string;
}

/**
 * How much one file may ask for. Beyond a limit it is refused with `too-large` or `timeout`, or cut where its reader says so in `notes`; never silently.
 *
 * **Source** OWASP on file uploads: bounds on what is read, on what it unpacks to, and on time.
 *
 * @experimental
 */
export interface ReadLimits {
  /** Limit for the file as it is. **Units** bytes. */
  readonly maxBytes: number;
  /** Limit for all that an archive unpacks to. **Units** bytes. */
  readonly maxExpandedBytes: number;
  /** Limit for the canonical text. **Units** UTF-16 code units. */
  readonly maxTextLength: number;
  /** Pages, slides, chapters, sheets. */
  readonly maxPages: number;
  /** Cells of all sheets that hold something. */
  readonly maxCells: number;
  /** Members of an archive, parts of a message. */
  readonly maxParts: number;
  /** Parts within parts: a message in a message is 2. */
  readonly maxDepth: number;
  /** Limit for reading the whole file in a worker, which can be stopped. **Units** milliseconds. */
  readonly timeoutMs: number;
  /** Limit for the worker process, libraries and file included. **Units** bytes. */
  readonly maxMemoryBytes: number;
}

/** Result of a reader; ingestion adds id, uri, origin and the caller's metadata. */
export interface ReadResult extends Pick<TextDocument, "text" | "title" | "root" | "sourceMap" | "blocks"> {
  /** Metadata in the source itself: front matter, language, author. */
  readonly metadata: Metadata;
  /** Sentences about content that is missing from the text, such as pages without a text layer or an attachment without a reader. */
  readonly notes?: readonly string[];
  /** Where the text stands on its pages, packed by the reader of PDF or of pictures. **Shape** base64. Ingestion keeps it beside the text, for those who show a page. */
  readonly places?: string;
}

/**
 * Turns bytes into canonical text, section tree and source map.
 *
 * **Errors** `encrypted`, `binary`, `empty`, `unreadable` or `too-large`, with the file's name; never a partial text.
 * **Source** Embabel `HierarchicalContentReader`, Ballerina `DataLoader`.
 */
export interface Reader {
  /** Names the reader, its version and its settings in the pipeline fingerprint: change it when the same bytes give another text. */
  readonly name: string;
  /** Whether this reader takes what `mediaType` names. */
  accepts(mediaType: string): boolean;
  read(input: ReadInput): Promise<ReadResult>;
  /**
   * Reads a text that is already decoded and whose bytes are gone. Only readers that use nothing but the decoded text have it.
   *
   * **Shape** the same result as `read` for bytes that decode to `text`.
   */
  readText?(input: TextReadInput): Promise<ReadResult>;
}

/**
 * Result of a custom reader: a text, and what else it knows. ibid fills in the rest.
 *
 * @experimental
 */
export interface PlainReadResult extends Partial<Omit<ReadResult, "text" | "metadata">> {
  readonly text: string;
  /** Headings in reading order, where there is no `root`. **Shape** `level` from 1 to 6, default 1; `contentStart` defaults to the end of the heading. */
  readonly headings?:
    | readonly {
        readonly title: string;
        readonly start: number;
        readonly level?: number | undefined;
        readonly contentStart?: number | undefined;
      }[]
    | undefined;
  readonly metadata?: MetadataInput | undefined;
}

/**
 * Any reader that `openKnowledgeBase` takes: a {@link Reader}, or one that returns a text alone or with headings.
 *
 * **Errors** `unreadable` for a wrong shape, naming reader, field and value.
 * @experimental
 */
export interface CustomReader extends Omit<Reader, "read"> {
  read(input: ReadInput): PlainReadResult | string | Promise<PlainReadResult | string>;
}

import type { TextDocument } from "./document.ts";
import type { Metadata } from "./metadata.ts";

/** Something that can be read: bytes with a name. */
export interface SourceItem {
  /** The document's uri. */
  readonly uri: string;
  /** Known before reading, when it is; limits are checked against it first. */
  readonly size?: number;
  /** What the sender or the caller says it is. Content decides first, then this, then the name. */
  readonly mediaType?: string;
  /** The character encoding that the sender declared or the caller gave. */
  readonly charset?: string;
  /** What the caller calls it; wins over what the reader finds. */
  readonly title?: string;
  /** Facts of the source: file name, dates. They become metadata of the document. */
  readonly metadata?: Metadata;
  /** The folder whose walk found it; see `Provenance.folder`. */
  readonly folder?: string;
  /** What its sender said of this version, to ask with next time. */
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
 * What a sender says of a version, as it said it: sent back, it answers whether there is another by now.
 *
 * **Source** RFC 9110, 8.8: `ETag` and `Last-Modified`.
 */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Something that a source has not fetched, because what is kept of it will do: its sender says so, or nobody wanted it looked at. */
export interface SourceUnchanged {
  readonly uri: string;
  readonly unchanged: true;
  readonly folder?: string;
  /** When the sender gave new ones with its answer. */
  readonly validators?: Validators;
}

/** What is kept under a uri already, as far as a source needs to know. */
export interface KeptVersion {
  /** Whether it is to be looked at again at all; see `RefreshPolicy`. */
  readonly wanted: boolean;
  /** Only where a sender's "not changed" means that nothing has to be written: not when the pipeline is another by now. */
  readonly validators?: Validators;
}

/** What a source says of a document before it is fetched. */
export interface SaidOfIt {
  /** When it was last modified: a date, or a date and time, as ISO 8601 has them. **Source** sitemaps.org `lastmod`. */
  readonly modified?: string;
}

/** Asked by a source before it fetches, with what it knows of the document by then. **Shape** `undefined` for what is not kept. */
export type AskKept = (uri: string, said?: SaidOfIt) => Promise<KeptVersion | undefined>;

/** An item that a source found and refused, with the reason; the rest goes on. */
export interface SourceRefusal {
  readonly uri: string;
  readonly error: Error;
}

/**
 * Where documents come from: a folder, a list of files, an address.
 *
 * **Shape** `items` is lazy and bounded in memory. `folders` are the folders it walks whole: after a complete walk, documents that came from
 * them and did not appear are gone and may be swept.
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

/** What a reader is given: bytes, and what they are. */
export interface ReadInput {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** The character encoding that the sender declared, the caller gave, or the text's own words show. A byte order mark wins over it. */
  readonly charset?: string;
  /** Opens a protected file. */
  readonly password?: string;
  /** How much the file may ask for; see {@link ReadLimits}. Default: the documents stage's own. */
  readonly limits?: Partial<ReadLimits>;
  readonly metadata?: Metadata;
  readonly signal?: AbortSignal;
  /** How many files it lies within: 0, the default, for a file by itself. */
  readonly depth?: number;
  /**
   * Reads what the file carries inside, by the reader of its kind: an attachment, a chapter, a cell of a notebook.
   * Absent when a reader is called by itself. **Errors** as {@link Reader}; `too-large` below `limits.maxDepth`.
   */
  readonly readPart?: (part: ReadPart) => Promise<ReadResult & { readonly mediaType: string }>;
}

/** What a reader of texts is given where somebody else has decoded them: the canonical text in the place of bytes. */
export interface TextReadInput extends Omit<ReadInput, "bytes" | "charset"> {
  readonly text: string;
}

/** Something that a file carries inside. */
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
 */
export interface ReadLimits {
  /** Of the file as it is. **Units** bytes. */
  readonly maxBytes: number;
  /** Of everything that an archive unpacks to. **Units** bytes. */
  readonly maxExpandedBytes: number;
  /** Of the canonical text. **Units** UTF-16 code units. */
  readonly maxTextLength: number;
  /** Pages, slides, chapters, sheets. */
  readonly maxPages: number;
  /** Cells of all sheets that hold something. */
  readonly maxCells: number;
  /** Members of an archive, parts of a message. */
  readonly maxParts: number;
  /** Parts within parts: a message in a message is 2. */
  readonly maxDepth: number;
  /** Of reading it all, where reading can be stopped: in a worker. **Units** milliseconds. */
  readonly timeoutMs: number;
  /** Of the worker that reads it, libraries and file included. **Units** bytes. */
  readonly maxMemoryBytes: number;
}

/** What a reader makes of bytes; the pipeline adds id, uri, origin and the caller's metadata. */
export interface ReadResult extends Pick<TextDocument, "text" | "title" | "root" | "sourceMap" | "blocks"> {
  /** What the source says of itself: front matter, language, author. */
  readonly metadata: Metadata;
  /** What of the file is not in the text, and why, in sentences for whoever gave it: pages without a text layer, an attachment nobody reads. */
  readonly notes?: readonly string[];
}

/**
 * Bytes to canonical text, section tree and source map.
 *
 * **Errors** a file that cannot be read is refused by name with `encrypted`, `binary`, `empty`, `unreadable` or `too-large`; never a partial text.
 * **Source** Embabel `HierarchicalContentReader`, Ballerina `DataLoader`.
 */
export interface Reader {
  /** Names the reader, its version and its settings in the pipeline fingerprint: change it when the same bytes give another text. */
  readonly name: string;
  /** Whether this reader takes what `mediaType` names. */
  accepts(mediaType: string): boolean;
  read(input: ReadInput): Promise<ReadResult>;
  /**
   * The same for a text that somebody else has decoded and whose bytes are gone. Only of readers that decode their input and look at it
   * no further. **Shape** what `read` makes of bytes that decode to `text`.
   */
  readText?(input: TextReadInput): Promise<ReadResult>;
}

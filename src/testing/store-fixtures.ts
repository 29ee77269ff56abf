import { createGate, operator } from "../access/gate.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { ChunkEntry, DocumentWrite, ReplaceResult } from "../contracts/document-store.ts";
import type { Origin, Section, TextDocument } from "../contracts/document.ts";
import type { Embedding, EmbeddingVersion } from "../contracts/embedding.ts";
import type { Filter } from "../contracts/filter.ts";
import type { Receipt } from "../contracts/leg.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";

/**
 * How a pack gets the stores that it tries.
 *
 * @experimental
 */
export interface StoreSubject<Tried extends Store = Store> {
  /** A fresh, empty store. A pack makes one per case. */
  create(): Promise<Tried>;
  /** Closes the store and opens what it left behind. Leave it out where nothing stays: then `capabilities.durability` must say `"none"`. */
  reopen?(store: Tried): Promise<Tried>;
  /** Takes down what `create` built. */
  destroy?(store: Tried): Promise<void>;
}

const gate = createGate({ platform: true });

/** Scopes in which the packs write, in order of their written form. */
export const deployment: Scope = "deployment";
export const north: Scope = "team:north";
export const south: Scope = "team:south";
export const ada: Scope = "user:ada";

/** The gate's permission to write one scope. */
export function into(scope: Scope): AuthorizedScopes<"write"> {
  return gate.write(operator, scope);
}

/** The gate's permission to read these scopes and no others. */
export function from(...scopes: readonly Scope[]): AuthorizedScopes {
  return gate.read(operator, scopes, scopes);
}

/** Values that resemble proofs and are none: each must be refused at run time. */
export function forgedProofs(right: "read" | "write"): readonly AuthorizedScopes<"read" | "write">[] {
  const genuine = right === "read" ? from(deployment) : into(deployment);
  const other = right === "read" ? into(deployment) : from(deployment);
  const fakes: unknown[] = [
    { ...genuine },
    Object.freeze({ right, scopes: [deployment], requested: [deployment] }),
    Object.create(genuine),
    structuredClone({ right: genuine.right, scopes: genuine.scopes, requested: genuine.requested }),
    undefined,
    null,
    "deployment",
    other,
  ];
  return fakes as AuthorizedScopes<"read" | "write">[];
}

/** A version of made-up vectors. */
export function versionOf(dimensions: number, model = "fixed", fingerprint = ""): EmbeddingVersion {
  return { provider: "test", model, dimensions, fingerprint };
}

/** Two dimensions: vectors that can be drawn, and angles known by heart. */
export const plane: EmbeddingVersion = versionOf(2);

/** The parts of a chunk that a case sets; the rest is made up. */
export interface ChunkParts {
  readonly documentId?: string;
  readonly title?: string;
  readonly headings?: readonly string[];
  readonly text?: string;
  readonly urtext?: string;
  readonly start?: number;
  readonly index?: number;
  readonly metadata?: Metadata;
  readonly origin?: Origin;
}

/** A chunk of a document of its own, unless one is named: {@link writeChunks} makes the document. */
export function chunkOf(id: string, parts: ChunkParts = {}): Chunk {
  const urtext = parts.urtext ?? parts.text ?? `text of ${id}`;
  const start = parts.start ?? 0;
  const documentId = parts.documentId ?? `of ${id}`;
  return {
    type: "text-chunk",
    id,
    documentId,
    uri: `${documentId}.txt`,
    // None unless one is given: its words would count too.
    title: parts.title ?? "",
    text: parts.text ?? urtext,
    urtext,
    start,
    end: start + urtext.length,
    index: parts.index ?? 0,
    sectionId: "0",
    headings: parts.headings ?? [],
    metadata: parts.metadata ?? {},
    origin: parts.origin ?? "user-content",
  };
}

/** A chunk with one vector, of {@link plane} unless another version is named. */
export function entryOf(id: string, embedding: Embedding, parts: ChunkParts = {}, version = plane): ChunkEntry {
  return { chunk: chunkOf(id, parts), embeddings: [{ version, embedding }] };
}

/** A chunk without a vector. */
export function wordsOf(id: string, text: string, parts: ChunkParts = {}): ChunkEntry {
  return { chunk: chunkOf(id, { text, ...parts }), embeddings: [] };
}

/** The section tree of a text with lines such as `## Title`. */
function treeOf(text: string): Section {
  type Open = { title: string; level: number; start: number; contentStart: number; end: number; children: Open[] };
  const root: Open = { title: "", level: 0, start: 0, contentStart: 0, end: text.length, children: [] };
  const path = [root];
  for (const match of text.matchAll(/^(#{1,6}) (.*)$/gmu)) {
    const [line, hashes = "", title = ""] = match;
    const section: Open = {
      title: title.trim(),
      level: hashes.length,
      start: match.index,
      contentStart: match.index + line.length,
      end: text.length,
      children: [],
    };
    while (path.length > 1 && (path.at(-1)?.level ?? 0) >= section.level) (path.pop() as Open).end = section.start;
    path.at(-1)?.children.push(section);
    path.push(section);
  }
  const number = ({ children, ...section }: Open, id: string): Section => ({
    id,
    ...section,
    children: children.map((child, i) => number(child, `${id}.${i}`)),
  });
  return number(root, "0");
}

/** A document as a reader of Markdown would give it. */
export function documentOf(uri: string, text: string, parts: Partial<TextDocument> = {}): TextDocument {
  return {
    type: "text",
    id: `id-of-${uri}`,
    uri,
    title: uri,
    mediaType: "text/markdown",
    text,
    metadata: {},
    origin: "user-content",
    root: treeOf(text),
    sourceMap: { lines: "text" },
    ...parts,
  };
}

/**
 * A document and one chunk for each piece of its text, ids `<document id>#<piece>`, so that an unchanged piece keeps its id.
 *
 * **Errors** a piece that the text does not hold is the caller's mistake: `RangeError`.
 */
export function documentEntryOf(
  document: TextDocument,
  pieces: readonly { readonly text: string; readonly embedding?: Embedding; readonly version?: EmbeddingVersion }[],
  facts: { readonly contentHash?: string; readonly fingerprint?: string; readonly folder?: string | null } = {},
): DocumentWrite & { readonly chunks: readonly ChunkEntry[] } {
  const entries = pieces.map(({ text, embedding, version = plane }, index): ChunkEntry => {
    const start = document.text.indexOf(text);
    if (start < 0) throw new RangeError(`"${text}" is not in ${document.uri}`);
    const chunk: Chunk = {
      ...chunkOf(`${document.id}#${text.replaceAll("\0", "")}`, {
        documentId: document.id,
        text,
        start,
        index,
        metadata: document.metadata,
      }),
      uri: document.uri,
      title: document.title,
      origin: document.origin,
    };
    return { chunk, embeddings: embedding === undefined ? [] : [{ version, embedding }] };
  });
  return {
    document,
    chunks: entries,
    contentHash: facts.contentHash ?? "0".repeat(64),
    metadataHash: "1".repeat(64),
    fingerprint: facts.fingerprint ?? "made by hand",
    bytes: new TextEncoder().encode(document.text).length,
    folder: facts.folder ?? null,
  };
}

/** The document of some chunks, which name the same one. A chunk whose place is taken moves to the end of the text. */
export function documentWith(
  entries: readonly ChunkEntry[],
): DocumentWrite & { readonly chunks: readonly ChunkEntry[] } {
  const { documentId, uri, title, origin } = entries[0]!.chunk;
  let text = "";
  const chunks = entries.map((entry): ChunkEntry => {
    const { chunk } = entry;
    const isTaken = chunk.start >= 0 && chunk.start < text.length;
    const start = isTaken ? text.length + 1 : chunk.start;
    text = text.padEnd(start, "\n") + chunk.urtext;
    return isTaken ? { ...entry, chunk: { ...chunk, start, end: start + chunk.urtext.length } } : entry;
  });
  return { ...documentEntryOf(documentOf(uri, text, { id: documentId, title, origin }), []), chunks };
}

/** Writes chunks, those of each document in one transaction. **Shape** the receipt of the last. */
export async function writeChunks<Into>(
  store: { replace(into: Into, write: DocumentWrite): Promise<{ readonly receipt: Receipt }> },
  into: Into,
  entries: readonly ChunkEntry[],
): Promise<Receipt | undefined> {
  let receipt: Receipt | undefined;
  for (const group of Map.groupBy(entries, ({ chunk }) => chunk.documentId).values())
    ({ receipt } = await store.replace(into, documentWith(group)));
  return receipt;
}

/** Counts of a swap, without its receipt. */
export async function counts(swap: ReturnType<Store["replace"]>): Promise<ReplaceResult> {
  const { added, kept, removed } = await swap;
  return { added, kept, removed };
}

/** Metadata for tests of the filter language, by chunk id. */
const filterWorld: Readonly<Record<string, Metadata>> = {
  a: { department: "HR", year: 2023, tags: ["new", 7], draft: false, note: null, when: "2024-03-01" },
  b: { department: "hr", year: 2024, tags: [], draft: true, when: "2024-11-20" },
  c: { department: "IT", year: "2024", name: "50% off_[now]", nested: { year: 2024 } },
  d: {},
};

/**
 * The filter language's truth table over {@link filterWorld}.
 *
 * **Source** contracts/filter.ts; Wesichain, Embabel, Ballerina.
 */
export const filterTable: readonly (readonly [filter: Filter, ids: string])[] = [
  [{ op: "eq", key: "department", value: "HR" }, "a"],
  [{ op: "eq", key: "department", value: "HR", ignoreCase: true }, "a b"],
  [{ op: "eq", key: "year", value: 2024 }, "b"],
  [{ op: "eq", key: "year", value: "2024" }, "c"],
  [{ op: "eq", key: "draft", value: false }, "a"],
  [{ op: "eq", key: "note", value: null }, "a"],
  [{ op: "eq", key: "nested.year", value: 2024 }, ""],
  [{ op: "eq", key: "constructor", value: null }, ""],
  [{ op: "ne", key: "department", value: "HR" }, "b c d"],
  [{ op: "ne", key: "year", value: 2024 }, "a c d"],
  [{ op: "ne", key: "note", value: null }, "b c d"],
  [{ op: "gt", key: "year", value: 2023 }, "b"],
  [{ op: "gte", key: "year", value: 2023 }, "a b"],
  [{ op: "lt", key: "year", value: 2024 }, "a"],
  [{ op: "lte", key: "year", value: 2024 }, "a b"],
  [{ op: "gte", key: "year", value: "2000" }, "c"],
  [{ op: "gte", key: "when", value: "2024-04-01" }, "b"],
  [{ op: "lt", key: "draft", value: 1 }, ""],
  [{ op: "in", key: "department", values: ["HR", "IT"] }, "a c"],
  [{ op: "in", key: "year", values: [2023, "2024"] }, "a c"],
  [{ op: "in", key: "year", values: [] }, ""],
  [{ op: "nin", key: "department", values: ["HR", "IT"] }, "b d"],
  [{ op: "nin", key: "department", values: [] }, "a b c d"],
  [{ op: "contains", key: "name", value: "% off_[" }, "c"],
  [{ op: "contains", key: "department", value: "h", ignoreCase: true }, "a b"],
  [{ op: "contains", key: "year", value: "2" }, "c"],
  [{ op: "startsWith", key: "when", value: "2024-1" }, "b"],
  [{ op: "startsWith", key: "department", value: "H" }, "a"],
  [{ op: "endsWith", key: "department", value: "r", ignoreCase: true }, "a b"],
  [{ op: "endsWith", key: "name", value: "[now]" }, "c"],
  [{ op: "like", key: "department", pattern: "^[Hh][Rr]$" }, "a b"],
  [{ op: "like", key: "department", pattern: "i", ignoreCase: true }, "c"],
  [{ op: "like", key: "year", pattern: "20" }, "c"],
  [{ op: "hasElement", key: "tags", value: "new" }, "a"],
  [{ op: "hasElement", key: "tags", value: 7 }, "a"],
  [{ op: "hasElement", key: "tags", value: "7" }, ""],
  [{ op: "hasElement", key: "department", value: "HR" }, ""],
  [{ op: "exists", key: "note" }, "a"],
  [{ op: "exists", key: "tags" }, "a b"],
  [{ op: "exists", key: "__proto__" }, ""],
  [{ op: "and", filters: [] }, "a b c d"],
  [{ op: "or", filters: [] }, ""],
  [
    {
      op: "and",
      filters: [
        { op: "exists", key: "year" },
        { op: "eq", key: "draft", value: true },
      ],
    },
    "b",
  ],
  [
    {
      op: "or",
      filters: [
        { op: "eq", key: "draft", value: true },
        { op: "eq", key: "department", value: "IT" },
      ],
    },
    "b c",
  ],
  [{ op: "not", filter: { op: "eq", key: "department", value: "HR" } }, "b c d"],
  [{ op: "not", filter: { op: "gt", key: "year", value: 2023 } }, "a c d"],
  [
    {
      op: "not",
      filter: {
        op: "or",
        filters: [
          { op: "exists", key: "year" },
          { op: "not", filter: { op: "exists", key: "x" } },
        ],
      },
    },
    "",
  ],
];

/** The chunks of {@link filterWorld}, all with the same words and the same vector. */
export function filterWorldEntries(): readonly ChunkEntry[] {
  return Object.entries(filterWorld).map(([id, metadata]) => entryOf(id, [1, 0], { text: "lantern", metadata }));
}

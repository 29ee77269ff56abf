import { createGate, operator, systemAuthority } from "../../src/access/gate.ts";
import type { Analyzer } from "../../src/contracts/analyzer.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { ChunkEntry, DocumentWrite } from "../../src/contracts/document-store.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import type { Embedding, EmbeddingVersion } from "../../src/contracts/embedding.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";

/** What the tests of stores are built from: proofs, small documents, small chunks. */

const gate = createGate({ platform: true });

export const system = systemAuthority();

export function write(scope: Scope): AuthorizedScopes<"write"> {
  return gate.write(operator, scope);
}

export function read(...scopes: Scope[]): AuthorizedScopes {
  return gate.read(operator, scopes);
}

/** Lower-case words between spaces, so that closed forms can be counted by hand. */
export const plainAnalyzer: Analyzer = {
  fingerprint: "test/words",
  analyze: (text) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== ""),
};

export const three: EmbeddingVersion = { provider: "test", model: "three", dimensions: 3, fingerprint: "" };
export const two: EmbeddingVersion = { provider: "test", model: "two", dimensions: 2, fingerprint: "" };

export function chunk(id: string, text: string, more: Partial<Chunk> = {}): Chunk {
  return {
    type: "text-chunk",
    id,
    documentId: `of ${id}`,
    uri: `of ${id}.txt`,
    title: "",
    text,
    urtext: text,
    start: 0,
    end: text.length,
    index: 0,
    sectionId: "0",
    headings: [],
    metadata: {},
    origin: "user-content",
    ...more,
  };
}

export function entry(id: string, text: string, embedding?: Embedding, more: Partial<Chunk> = {}): ChunkEntry {
  const version = embedding && { ...three, dimensions: "length" in embedding ? embedding.length : 3 };
  return {
    chunk: chunk(id, text, more),
    embeddings: embedding === undefined || version === undefined ? [] : [{ version, embedding }],
  };
}

export function document(id: string, text: string, more: Partial<TextDocument> = {}): TextDocument {
  return {
    type: "text",
    id,
    uri: `${id}.txt`,
    title: `About ${id}`,
    mediaType: "text/plain",
    text,
    metadata: {},
    origin: "user-content",
    root: { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
    sourceMap: { lines: "text" },
    ...more,
  };
}

/** A document whose paragraphs are its chunks; each chunk's id is the document's, a dash and the paragraph's first word. */
export function documentEntry(
  id: string,
  paragraphs: readonly string[],
  options: {
    readonly embed?: (text: string) => Embedding;
    readonly version?: EmbeddingVersion;
    readonly document?: Partial<TextDocument>;
    readonly headings?: readonly string[];
  } = {},
): DocumentWrite & { readonly chunks: readonly ChunkEntry[] } {
  const text = paragraphs.join("\n\n");
  const whole = document(id, text, options.document);
  const { embed, version = three } = options;
  let start = 0;
  const entries = paragraphs.map((urtext, index): ChunkEntry => {
    const made = chunk(`${id}-${urtext.split(" ")[0]}`, urtext, {
      documentId: id,
      uri: whole.uri,
      title: whole.title,
      start,
      end: start + urtext.length,
      index,
      headings: options.headings ?? [],
      metadata: whole.metadata,
      origin: whole.origin,
    });
    start += urtext.length + 2;
    return { chunk: made, embeddings: embed === undefined ? [] : [{ version, embedding: embed(urtext) }] };
  });
  return {
    document: whole,
    chunks: entries,
    contentHash: `hash of ${text.length}`,
    metadataHash: "none",
    fingerprint: "test",
    bytes: text.length,
    folder: null,
  };
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

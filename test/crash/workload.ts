import { latentSemanticModel } from "../../src/embeddings/latent-semantic/latent-semantic-model.ts";
import type { CorpusModel } from "../../src/contracts/corpus-model.ts";
import type { DocumentEntry } from "../../src/contracts/document-store.ts";
import type { KnowledgeStore } from "../../src/contracts/knowledge-store.ts";
import type { RawKnowledgeStore } from "../../src/stores/raw-store.ts";
import type { SegmentDirectory } from "../../src/stores/segment-directory.ts";
import { createSegmentStore, prepareDirectory } from "../../src/stores/segment-store.ts";
import { guardStore } from "../../src/stores/guard-store.ts";
import { decideStoreOptions } from "../../src/stores/store-options.ts";
import { collect, documentEntry, plainAnalyzer, read, system, three, write } from "../stores/build.ts";
import { hashParts } from "../../src/text/hash.ts";

/** What is done to a store, one after the other; each can be done again when it is not known whether it was. */
export type Operation =
  | { readonly kind: "ingest"; readonly documents: readonly number[]; readonly edition: number }
  | { readonly kind: "delete" | "restore" | "purge"; readonly document: number }
  | { readonly kind: "vacuum"; readonly age: number }
  | { readonly kind: "settle" };

/** **Shape** the same for the same seed, in every process. */
export function makeOperations(seed: number, length: number): readonly Operation[] {
  const random = createRandom(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  let made = 0;
  return Array.from({ length }, (_, i): Operation => {
    const dice = random();
    if (i < 4 || dice < 0.35) {
      const group = Array.from({ length: 1 + pick(4) }, () => made++);
      return { kind: "ingest", documents: group, edition: 0 };
    }
    if (dice < 0.5) return { kind: "ingest", documents: [pick(made)], edition: i };
    if (dice < 0.62) return { kind: "delete", document: pick(made) };
    if (dice < 0.7) return { kind: "restore", document: pick(made) };
    if (dice < 0.82) return { kind: "purge", document: pick(made) };
    if (dice < 0.92) return { kind: "vacuum", age: pick(6) };
    return { kind: "settle" };
  });
}

/** What a store should hold after some operations. */
export interface Expected {
  /** Edition by document. */
  readonly live: ReadonlyMap<number, number>;
  readonly deleted: ReadonlyMap<number, { readonly edition: number; readonly at: number }>;
}

export function expectAfter(operations: readonly Operation[]): Expected {
  const live = new Map<number, number>();
  const deleted = new Map<number, { edition: number; at: number }>();
  operations.forEach((operation, i) => {
    const now = timeOf(i);
    switch (operation.kind) {
      case "ingest":
        for (const document of operation.documents) {
          live.set(document, operation.edition);
          deleted.delete(document);
        }
        break;
      case "delete": {
        const edition = live.get(operation.document);
        if (edition !== undefined) deleted.set(operation.document, { edition, at: now });
        live.delete(operation.document);
        break;
      }
      case "restore": {
        const gone = deleted.get(operation.document);
        if (gone !== undefined) live.set(operation.document, gone.edition);
        deleted.delete(operation.document);
        break;
      }
      case "purge":
        live.delete(operation.document);
        deleted.delete(operation.document);
        break;
      case "vacuum":
        for (const [document, { at }] of deleted) if (at <= now - operation.age * 1000) deleted.delete(document);
        break;
      case "settle":
    }
  });
  return { live, deleted };
}

/** The clock stands still during an operation, so that doing it again is the same. */
export function timeOf(operation: number): number {
  return 1_000_000 + operation * 1000;
}

const words = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew", "alder", "beech", "hazel", "larch"];

/** A word that one edition of one document alone has, every eight characters of it included: what is left of another's must not look like it. */
export function ownWord(document: number, edition: number): string {
  return hashParts("own", String(document), String(edition));
}

export function makeDocument(document: number, edition: number): DocumentEntry {
  const paragraphs = Array.from({ length: 3 }, (_, part) => {
    const some = words.filter((_word, w) => (w * 7 + document * 3 + part + edition) % 4 === 0);
    return `p${part} ${some.join(" ")} ${part === 1 ? ownWord(document, edition) : "common"} ${"filling words ".repeat(8)}`;
  });
  return documentEntry(`doc-${document}`, paragraphs, { embed: (text) => [text.length, document % 5, 1 + edition] });
}

export async function perform(store: KnowledgeStore, operation: Operation): Promise<void> {
  const into = write("deployment");
  switch (operation.kind) {
    case "ingest":
      await Promise.all(
        operation.documents.map((document) => store.replace(into, makeDocument(document, operation.edition))),
      );
      break;
    case "delete":
      await store.delete(into, { documentIds: [`doc-${operation.document}`] });
      break;
    case "restore":
      await store.restore(into, { documentIds: [`doc-${operation.document}`] });
      break;
    case "purge":
      await store.delete(into, { documentIds: [`doc-${operation.document}`] }, { purge: true });
      break;
    case "vacuum":
      await store.vacuum(system, { olderThanMs: operation.age * 1000 });
      break;
    case "settle":
      await store.settle();
  }
}

/** Fitted on so few chunks that a run sees it fitted, outgrown and fitted again. */
const corpusModel: CorpusModel = { ...latentSemanticModel, leastChunks: 24 };

/** A store over a directory that may have been tampered with. Segments are so small that every run seals and merges. */
export async function openStore(directory: SegmentDirectory, clock: { now: number }): Promise<KnowledgeStore> {
  const decided = decideStoreOptions({
    analyzer: plainAnalyzer,
    corpusModel,
    segments: { sealAt: 12, settleAt: 4 },
    now: () => clock.now,
  });
  const secret = await prepareDirectory(directory, decided.analyzer);
  const raw: RawKnowledgeStore = createSegmentStore(directory, {
    ...decided,
    secret,
    embeddings: ["dense", "sparse", "hybrid"],
  });
  await raw.doScrub?.();
  return guardStore(raw, { name: "It" });
}

/** Everything that anybody can see of a store. */
export async function stateOf(store: KnowledgeStore): Promise<unknown> {
  const from = read("deployment");
  const text = words.join(" ");
  return {
    status: await store.status(from),
    documents: await collect(store.documents(from)),
    deleted: await collect(store.deleted!(from)),
    chunks: await collect(store.chunks(from, { includeEmbeddings: true })),
    lexical: await store.lexicalSearch(from, { text, topK: "all" }),
    latent: await store.latentSearch?.(from, { text: "ash elm oak", topK: "all" }),
    dense: await store.search(from, { embedding: [100, 2, 1], version: three, topK: "all" }),
    regex: await store.regexSearch(from, { pattern: "only1\\d*in", topK: "all" }),
  };
}

/** **Source** Mulberry32, public domain. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

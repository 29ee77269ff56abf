import { searchLatent, searchPattern, searchVectors, searchWords } from "../support/search-legs.ts";
import { createSqliteJobStore } from "../../src/stores/sqlite/sqlite-job-store.ts";
import type { SqliteConnection } from "../../src/stores/sqlite/sqlite-connection.ts";
import { createSqliteDirectory } from "../../src/stores/sqlite/sqlite-directory.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import type { CorpusModel } from "../../src/contracts/corpus-model.ts";
import type { ChunkEntry, DocumentWrite } from "../../src/contracts/document-store.ts";
import type { EmbeddingVersion } from "../../src/contracts/embedding.ts";
import type { JobStore, NewJob } from "../../src/contracts/job-store.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { SegmentDirectory } from "../../src/stores/segments/segment-directory.ts";
import { createSegmentStore, prepareDirectory } from "../../src/stores/segments/segment-store.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { collect, documentEntry, plainAnalyzer, read, system, three, write } from "../stores/build.ts";
import { hashParts } from "../../src/runtime/hash.ts";

/** What is done to a store, one after the other; each can be done again when it is not known whether it was. */
export type Operation =
  | { readonly kind: "ingest"; readonly documents: readonly number[]; readonly edition: number; readonly model: number }
  | { readonly kind: "enqueue"; readonly document: number; readonly edition: number; readonly model: number }
  | { readonly kind: "delete" | "restore" | "purge"; readonly document: number }
  | { readonly kind: "vacuum"; readonly age: number }
  | { readonly kind: "reembed"; readonly model: number }
  | { readonly kind: "work" | "settle" };

/** What is done to: a knowledge base's store, and the queue before it. */
export interface Workplace {
  readonly store: Store;
  readonly jobs: JobStore;
  readonly clock: { now: number };
}

/** **Shape** the same for the same seed, in every process. */
export function makeOperations(seed: number, length: number): readonly Operation[] {
  const random = createRandom(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  let made = 0;
  /** What is ingested is embedded by the model that searches use by then. */
  let model = 0;
  return Array.from({ length }, (_, i): Operation => {
    const dice = random();
    if (i < 4 || dice < 0.28) {
      const group = Array.from({ length: 1 + pick(4) }, () => made++);
      return { kind: "ingest", documents: group, edition: 0, model };
    }
    if (dice < 0.4) return { kind: "ingest", documents: [pick(made)], edition: i, model };
    if (dice < 0.48) return { kind: "enqueue", document: pick(made + 1), edition: i, model };
    if (dice < 0.52) return { kind: "work" };
    if (dice < 0.62) return { kind: "delete", document: pick(made) };
    if (dice < 0.7) return { kind: "restore", document: pick(made) };
    if (dice < 0.82) return { kind: "purge", document: pick(made) };
    if (dice < 0.9) return { kind: "vacuum", age: pick(6) };
    if (dice < 0.95) return { kind: "reembed", model: ++model };
    return { kind: "settle" };
  });
}

/** What a store and its queue should hold after some operations. */
export interface Expected {
  /** Edition by document. */
  readonly live: ReadonlyMap<number, number>;
  /** What waits in the queue. */
  readonly queued: ReadonlyMap<number, number>;
  readonly deleted: ReadonlyMap<number, { readonly edition: number; readonly at: number }>;
}

export function expectAfter(operations: readonly Operation[]): Expected {
  const live = new Map<number, number>();
  const queued = new Map<number, number>();
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
      case "enqueue":
        queued.set(operation.document, operation.edition);
        break;
      case "work":
        for (const [document, edition] of queued) {
          live.set(document, edition);
          deleted.delete(document);
        }
        queued.clear();
        break;
      case "delete": {
        // What is taken out takes along what was asked for before.
        if (live.has(operation.document)) queued.delete(operation.document);
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
        if (live.has(operation.document)) queued.delete(operation.document);
        live.delete(operation.document);
        deleted.delete(operation.document);
        break;
      case "vacuum":
        for (const [document, { at }] of deleted) if (at <= now - operation.age * 1000) deleted.delete(document);
        break;
      case "reembed":
      case "settle":
    }
  });
  return { live, queued, deleted };
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

/** One of the models, which come one after the other. */
export function versionOf(model: number): EmbeddingVersion {
  return { ...three, model: `model-${model}` };
}

function embed(text: string, model: number): number[] {
  return [text.length, (text.length + model) % 5, 1 + model];
}

export function makeDocument(
  document: number,
  edition: number,
  model = 0,
): DocumentWrite & { readonly chunks: readonly ChunkEntry[] } {
  const paragraphs = Array.from({ length: 3 }, (_, part) => {
    const some = words.filter((_word, w) => (w * 7 + document * 3 + part + edition) % 4 === 0);
    return `p${part} ${some.join(" ")} ${part === 1 ? ownWord(document, edition) : "common"} ${"filling words ".repeat(8)}`;
  });
  const entry = documentEntry(`doc-${document}`, paragraphs, {
    embed: (text) => embed(text, model),
    version: versionOf(model),
  });
  if (document % 11 !== 4) return entry;
  // Some are so long that their text is not in one row, and end with their own word.
  const text = `${entry.document.text}${"filling words ".repeat(80_000)}${ownWord(document, edition)}`;
  return { ...entry, document: { ...entry.document, text, root: { ...entry.document.root, end: text.length } } };
}

const into = write("deployment");

export async function perform({ store, jobs, clock }: Workplace, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case "ingest": {
      const { edition, model } = operation;
      await Promise.all(
        operation.documents.map((document) => store.replace(into, makeDocument(document, edition, model))),
      );
      break;
    }
    case "enqueue":
      await jobs.put(toJob(operation, clock.now), { capacity: 5000, maxBytes: 1e9 });
      break;
    case "work":
      await workOff(store, jobs, clock.now);
      break;
    case "delete":
      await store.delete(into, { documentIds: [`doc-${operation.document}`] });
      break;
    case "restore":
      await store.trash!.restore(into, { documentIds: [`doc-${operation.document}`] });
      break;
    case "purge":
      await store.delete(into, { documentIds: [`doc-${operation.document}`] }, { purge: true });
      break;
    case "vacuum":
      await store.trash!.vacuum(system, { olderThanMs: operation.age * 1000 });
      break;
    case "reembed":
      await reembed(store, operation.model);
      break;
    case "settle":
      await store.upkeep!.settle();
  }
}

function toJob({ document, edition, model }: Operation & { readonly kind: "enqueue" }, enqueuedAt: number): NewJob {
  const { uri, text } = makeDocument(document, edition).document;
  const bytes = new TextEncoder().encode(text);
  return {
    id: `job-${document}`,
    scope: "deployment",
    uri,
    document: uri,
    request: { document, edition, model },
    bytes,
    enqueuedAt,
  };
}

/** Does what waits. A process that died left what it had begun leased: the lease is over by the next operation, and here at once. */
async function workOff(store: Store, jobs: JobStore, now: number): Promise<void> {
  const owner = `worker of ${process.pid}`;
  const wellAfter = now + 1;
  for (;;) {
    const job = await jobs.take({ owner, now: wellAfter, until: wellAfter });
    if (job === undefined) return;
    const { document, edition, model } = job.request as { document: number; edition: number; model: number };
    const made = makeDocument(document, edition, model);
    await store.replace(into, made);
    const result = { documents: 1, chunks: made.chunks.length, failed: 0 };
    await jobs.finish({ id: job.id, owner, revision: job.revision }, { state: "indexed", result }, now);
  }
}

/** Another model's vectors for whatever lacks them, a few at a time, and then the change. */
async function reembed(store: Store, model: number): Promise<void> {
  const version = versionOf(model);
  const lacking = await collect(store.versions!.lacking(into, version));
  for (let at = 0; at < lacking.length; at += 8) {
    const vectors = lacking
      .slice(at, at + 8)
      .map(({ id, text }) => ({ chunkId: id, text, embedding: embed(text, model) }));
    await store.versions!.addVectors(into, version, vectors);
  }
  await store.versions!.changeVersion(into, version);
}

/** Fitted on so few chunks that a run sees it fitted, outgrown and fitted again. */
const corpusModel: CorpusModel = { ...latentSemanticModel, leastChunks: 24 };

/** A store over a directory that may have been tampered with. Segments are so small that every run seals and merges. */
export async function openStore(directory: SegmentDirectory, clock: { now: number }): Promise<Store> {
  const decided = decideStoreOptions({
    analyzer: plainAnalyzer,
    corpusModel,
    segments: { sealAt: 12, settleAt: 4 },
    now: () => clock.now,
  });
  const secret = await prepareDirectory(directory, decided);
  const parts = createSegmentStore(directory, {
    ...decided,
    secret,
    embeddings: ["dense", "sparse", "hybrid"],
  });
  await parts.upkeep.scrub();
  return composeStore(parts, { name: "It" });
}

/** A store and its queue, each over a connection of its own. */
export async function openWorkplace(
  path: string,
  connect: () => Promise<SqliteConnection>,
  clock: { now: number },
): Promise<Workplace> {
  const store = await openStore(createSqliteDirectory(await connect(), path), clock);
  return { store, jobs: createSqliteJobStore(await connect(), 10_000), clock };
}

export async function close({ store, jobs }: Workplace): Promise<void> {
  await jobs.close();
  await store.close();
}

/** Everything that anybody can see of a store. */
export async function stateOf({ store, jobs }: Workplace): Promise<Readonly<Record<string, unknown>>> {
  const from = read("deployment");
  const text = words.join(" ");
  const [versions] = await store.versions!.versions(from);
  return {
    versions,
    jobs: (await jobs.list({ limit: 1000 })).map(({ id, state, size, result }) => ({ id, state, size, result })),
    status: await store.status(from),
    documents: await collect(store.documents(from)),
    deleted: await collect(store.trash!.deleted(from)),
    chunks: await collect(store.chunks(from, { includeEmbeddings: true })),
    lexical: await searchWords(store, from, { text, topK: "all" }),
    latent: await searchLatent(store, from, { text: "ash elm oak", topK: "all" }),
    dense: await searchVectors(store, from, {
      embedding: [100, 2, 1],
      version: versions?.current ?? three,
      topK: "all",
    }),
    regex: await searchPattern(store, from, { pattern: "only1\\d*in", topK: "all" }),
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

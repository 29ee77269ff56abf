import { resolve } from "node:path";
import { createGate, operator, systemAuthority } from "../../access/gate.ts";
import type { CopyRecordsOptions, RecordsCopied } from "../../contracts/collection.ts";
import type { Engine } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { ChunkEntry, DocumentSummary } from "../../contracts/document-store.ts";
import type { EmbeddingVersion } from "../../contracts/embedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Store } from "../../contracts/store.ts";
import { latentSemanticModel } from "../../engine/latent/latent-semantic-model.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { openPostgresStore } from "../../stores/postgres/postgres-store.ts";
import { isPostgresAddress } from "../../stores/postgres/postgres-address.ts";
import { checkLocation } from "../../stores/sqlite/knowledge-base-folder.ts";
import { languageAnalyzer } from "../../text/languages/snowball/language-analyzer.ts";
import { showLocation } from "./location.ts";
import { copyRecords } from "../engine-records/copy-records.ts";
import { type CopyVerified, verifyCopy } from "./verify-copy.ts";
import { openStoreInFolder } from "./open-store-in-folder.ts";

/** Result of {@link migrate}. */
export interface MigrateSummary {
  readonly scopes: number;
  readonly documents: number;
  readonly chunks: number;
  /** Documents that the target had already, with the same contents. */
  readonly unchanged: number;
  /** Comparisons of the copy with its source, none of which found a difference. */
  readonly verified: CopyVerified;
  /** Records that went from one engine to another. */
  readonly records?: RecordsCopied | undefined;
}

export interface MigrateOptions {
  readonly signal?: AbortSignal | undefined;
  /** After each document. **Units** documents. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
  /** Engines between which records are copied too. */
  readonly engines?: EnginePair | undefined;
}

/** Engines, and what is called while records go from one to the other. **Units** records. */
export type EnginePair = { readonly from: Engine } & Pick<CopyRecordsOptions, "to" | "onProgress">;

const gate = createGate({ platform: true });
/** Documents that are on their way at once: those of one turn share a commit. */
const together = 16;

/**
 * Copies every live document with its chunks and vectors from one location to another; uris, scopes, times of ingestion and versions of vectors stay.
 *
 * **Shape** a copy that was interrupted goes on when it is called again: documents with the same contents are passed over. Deleted documents stay behind.
 * Documents, chunks and vectors of both are compared at the end, and a sample of searches.
 * **Errors** `store-failed` for a copy that differs, with the document; `not-found` without a base to copy from; `invalid-argument` for one location twice; as the stores.
 */
export async function migrate(from: string, to: string, options: MigrateOptions = {}): Promise<MigrateSummary> {
  if (showLocation(from) === showLocation(to)) {
    throw new IbidError("invalid-argument", `${showLocation(to)} is where the knowledge base is.`, {
      hint: "Name another place to copy it to.",
    });
  }
  const source = await open(from, false, true);
  try {
    const scopes = await source.scopes(systemAuthority());
    const { embeddingVersions } = await source.status(gate.read(operator, scopes));
    const isGiven = embeddingVersions.some(({ provider }) => provider !== "ibid");
    const target = await open(to, true, !isGiven);
    try {
      const copied = await copyAll(source, target, scopes, options);
      const { engines, signal } = options;
      return engines === undefined ? copied : { ...copied, records: await copyBetween(target, engines, signal) };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * Copies the records of the collections that an engine keeps to another one. The knowledge base stays where it is.
 *
 * **Errors** `not-found` without a base; as {@link copyRecords}.
 */
export async function migrateRecords(
  location: string,
  engines: EnginePair,
  signal: AbortSignal | undefined,
): Promise<RecordsCopied> {
  const store = await open(location, false, true);
  try {
    return await copyBetween(store, engines, signal);
  } finally {
    await store.close();
  }
}

function copyBetween(
  store: Store,
  { from, to, onProgress }: EnginePair,
  signal: AbortSignal | undefined,
): Promise<RecordsCopied> {
  return copyRecords({ store, gate, from }, { to, signal, onProgress });
}

function open(location: string, create: boolean, hasOwnModel: boolean): Promise<Store> {
  const choices = { analyzer: languageAnalyzer, ...(hasOwnModel && { corpusModel: latentSemanticModel }) };
  return isPostgresAddress(location)
    ? openPostgresStore(location, { ...choices, create })
    : openStoreInFolder(resolve(checkLocation(location)), choices, create);
}

async function copyAll(
  source: Store,
  target: Store,
  scopes: readonly Scope[],
  { signal, onProgress }: MigrateOptions,
): Promise<MigrateSummary> {
  const status = await source.status(gate.read(operator, scopes));
  let [documents, chunks, unchanged] = [0, 0, 0];
  for (const scope of scopes) {
    const there = new Map<string, DocumentSummary>();
    for await (const summary of target.documents(gate.read(operator, [scope]))) there.set(summary.id, summary);
    let group: Promise<number>[] = [];
    const settle = async (): Promise<void> => {
      for (const done of await Promise.all(group)) chunks += done;
      group = [];
      onProgress?.(documents, status.documents);
    };
    for await (const summary of source.documents(gate.read(operator, [scope]))) {
      throwIfAborted(signal, "The copy");
      documents++;
      if (isSame(summary, there.get(summary.id))) {
        unchanged++;
        chunks += summary.chunks;
        continue;
      }
      group.push(copyDocument(source, target, summary));
      if (group.length >= together) await settle();
    }
    await settle();
    await copyVersions(source, target, scope);
  }
  await target.upkeep?.settle({ signal });
  const verified = await verifyCopy(source, target, scopes, signal);
  return { scopes: scopes.length, documents, chunks, unchanged, verified };
}

function isSame(a: DocumentSummary, b: DocumentSummary | undefined): boolean {
  return (
    b !== undefined &&
    a.uri === b.uri &&
    a.contentHash === b.contentHash &&
    a.metadataHash === b.metadataHash &&
    a.fingerprint === b.fingerprint &&
    a.chunks === b.chunks
  );
}

/** **Shape** its chunks. */
async function copyDocument(source: Store, target: Store, summary: DocumentSummary): Promise<number> {
  const { scope, id } = summary;
  const readable = gate.read(operator, [scope]);
  const stored = await source.document(readable, id);
  // It was deleted meanwhile.
  if (stored === undefined) return 0;
  const chunks: ChunkEntry[] = [];
  for await (const { chunk, embeddings = [] } of source.chunks(readable, { documentId: id, includeEmbeddings: true }))
    chunks.push({ chunk, embeddings });
  chunks.sort((a, b) => a.chunk.index - b.chunk.index || a.chunk.start - b.chunk.start);
  const { contentHash, metadataHash, fingerprint, bytes, folder, validators } = stored.summary;
  const { readers, validFrom, validTo, supersedes, ingestedAt, checkedAt } = stored.summary;
  const facts = { contentHash, metadataHash, fingerprint, bytes, folder, validators, ingestedAt, checkedAt };
  const said = { readers, validFrom, validTo, supersedes };
  const into = gate.write(operator, scope);
  await target.replace(into, { ...facts, ...pickGiven(said), document: stored.document, chunks } as Parameters<
    Store["replace"]
  >[1]);
  return chunks.length;
}

function pickGiven(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Searches of the scope use the same vectors as before. */
async function copyVersions(source: Store, target: Store, scope: Scope): Promise<void> {
  const [versions] = (await source.versions?.versions(gate.read(operator, [scope]))) ?? [];
  const current: EmbeddingVersion | undefined = versions?.current;
  if (current !== undefined)
    await target.versions?.changeVersion(gate.write(operator, scope), current, { partial: true });
}

import type { Chunk } from "../../contracts/chunk.ts";
import { type Embedder, makesVersion } from "../../contracts/embedding-model.ts";
import type { EmbeddingVersion } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Store, Proven, VersionSwitch } from "../../contracts/store.ts";
import type {
  ReembeddedScope,
  ReembedEvent,
  ReembedOptions,
  ReembedSummary,
  AddedVector,
} from "../../contracts/reembedding.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import { heuristicTokens } from "../../text/length.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createThrottle } from "../../ingest/queue/throttle.ts";

/** Parts that a re-embedding uses. */
export interface ReembedParts {
  readonly store: Store;
  readonly embedder?: Embedder | undefined;
  readonly formerEmbedders?: readonly Embedder[] | undefined;
}

/** Permission to write one scope. */
export type ScopeProof = AuthorizedScopes<"write">;

const known = {
  scope: true,
  estimate: true,
  rollback: true,
  pricePerMillionTokens: true,
  batchSize: true,
  chunksPerMinute: true,
  signal: true,
  onProgress: true,
} as const;

/** **Errors** `invalid-argument` for an option that is unknown or cannot be, before anything begins. */
export function checkReembedOptions(options: ReembedOptions): void {
  checkOptions("reembed", options, known);
  const { estimate, rollback, batchSize = 1, chunksPerMinute = 1, pricePerMillionTokens = 0 } = options;
  const refuse = (message: string, hint: string): never => {
    throw new IbidError("invalid-argument", message, { hint });
  };
  if (estimate === true && rollback === true) refuse("A rollback has no estimate.", "Give one of the two.");
  if (!Number.isSafeInteger(batchSize) || batchSize < 1)
    refuse(`batchSize is ${String(batchSize)}.`, "It is a whole number from 1.");
  if (!(chunksPerMinute > 0))
    refuse(`chunksPerMinute is ${String(chunksPerMinute)}.`, "It is a number above 0; leave it out for no limit.");
  if (!(pricePerMillionTokens >= 0))
    refuse(`pricePerMillionTokens is ${String(pricePerMillionTokens)}.`, "It is a number from 0.");
}

/**
 * Moves scopes from the vectors of one model to those of another, while searches go on with the old ones.
 *
 * Each scope begins with an estimate. Then each chunk without a vector of the new version gets one beside the old one, batch by batch. One transaction then
 * switches searches over. Only the vectors are kept, so a stopped or killed run goes on with the chunks that still lack one. Chunks that arrive meanwhile
 * get theirs in another pass, until none lacks one.
 *
 * **Shape** `underWay` holds the scopes of running re-embeddings in this process: at most one for each scope. A batch that the model refuses is tried again chunk by
 * chunk. A chunk refused alone keeps its old vector, and its scope keeps the old version.
 * **Errors** `store-busy` for a scope whose re-embedding is under way; `configuration-missing` without a model; `unsupported` for a store that keeps one
 * version; `not-found` for a rollback where there is nothing before; `aborted`, `timeout`; those of the model, when it refuses everything.
 * **Source** ToolUp.
 */
export async function* reembedScopes(
  parts: ReembedParts,
  underWay: Set<Scope>,
  findProofs: () => Promise<readonly ScopeProof[]>,
  options: ReembedOptions,
): AsyncGenerator<ReembedEvent, ReembedSummary> {
  const started = performance.now();
  const store = versionsOf(parts.store);
  const proofs = await findProofs();
  const claimed = proofs.map(scopeOf);
  const busy = claimed.find((scope) => underWay.has(scope));
  if (busy !== undefined) {
    throw new IbidError("store-busy", `${busy} is being re-embedded already.`, {
      hint: "Wait for the run that is under way, or stop it by its signal.",
    });
  }
  for (const scope of claimed) underWay.add(scope);
  try {
    const scopes: ReembeddedScope[] = [];
    if (options.rollback === true) {
      for (const proof of proofs) scopes.push(...(yield* rollBack(store, parts, proof)));
      if (scopes.length === 0) throw nothingBefore();
      return summarize(scopes, options, started);
    }
    const embedder = parts.embedder ?? missingModel();
    const version = await versionOf(embedder, options.signal);
    for (const proof of proofs) scopes.push(yield* estimate(store, proof, version, options));
    if (options.estimate !== true) {
      for (const [i, proof] of proofs.entries()) {
        scopes[i] = yield* moveScope(store, embedder, proof, scopes[i]!, options);
      }
    }
    return summarize(scopes, options, started);
  } finally {
    for (const scope of claimed) underWay.delete(scope);
  }
}

function versionsOf({ versions }: Store): VersionSwitch<Proven> {
  if (versions !== undefined) return versions;
  throw new IbidError("unsupported", "This store keeps the vectors of one model at a time.", {
    hint: "Ingest the documents again with the new model.",
  });
}

function scopeOf(proof: ScopeProof): Scope {
  return proof.scopes[0] as Scope;
}

/** A model that does not say its dimensions says them by answering. */
async function versionOf(embedder: Embedder, signal: AbortSignal | undefined): Promise<EmbeddingVersion> {
  if (embedder.version !== undefined) return embedder.version;
  const { version } = await embedder.embed(["dimensions"], { purpose: "document", ...(signal && { signal }) });
  return version;
}

async function* estimate(
  store: VersionSwitch<Proven>,
  into: ScopeProof,
  to: EmbeddingVersion,
  options: ReembedOptions,
): AsyncGenerator<ReembedEvent, ReembeddedScope> {
  const [before] = await store.versions(into);
  let chunks = 0;
  let tokens = 0;
  for await (const { text } of store.lacking(into, to)) {
    throwIfAborted(options.signal, "The re-embedding");
    chunks++;
    tokens += heuristicTokens(text);
  }
  const scope = scopeOf(into);
  yield { type: "estimate", scope, chunks, tokens, ...costOf(tokens, options) };
  const from = before?.current;
  return { scope, ...(from && { from }), to, chunks, tokens, embedded: 0, failed: 0, changed: false };
}

function costOf(tokens: number, { pricePerMillionTokens: price }: ReembedOptions): { readonly cost?: number } {
  return price === undefined ? {} : { cost: (tokens * price) / 1_000_000 };
}

async function* moveScope(
  store: VersionSwitch<Proven>,
  embedder: Embedder,
  into: ScopeProof,
  planned: ReembeddedScope,
  options: ReembedOptions,
): AsyncGenerator<ReembedEvent, ReembeddedScope> {
  const { scope, from, to, chunks } = planned;
  const { batchSize = 64, signal } = options;
  const throttle = createThrottle(options.chunksPerMinute, signal);
  const failed = new Set<string>();
  let embedded = 0;
  for (;;) {
    let added = 0;
    for await (const batch of inBatches(store.lacking(into, to), batchSize, failed)) {
      throwIfAborted(signal, "The re-embedding");
      await throttle(batch.length);
      let result: EmbeddedBatch;
      try {
        result = await embedBatch(embedder, batch, signal);
      } catch (error) {
        if (signal?.aborted !== true && IbidError.isInstance(error))
          yield { type: "batch-failed", scope, chunkIds: batch.map(({ id }) => id), version: to, error };
        throw error;
      }
      added += await store.addVectors(into, to, result.vectors);
      embedded += result.embedded.length;
      for (const { id: chunkId, documentId } of result.embedded) {
        yield { type: "reembedded", scope, chunkId, documentId, version: to };
      }
      for (const { chunk, error } of result.failed) {
        failed.add(chunk.id);
        yield { type: "failed", scope, chunkId: chunk.id, documentId: chunk.documentId, version: to, error };
      }
      report(options, { scope, done: embedded, chunks });
    }
    throwIfAborted(signal, "The re-embedding");
    const { changed, lacking } = await store.changeVersion(into, to);
    if (changed) yield { type: "changed-over", scope, ...(from && { from }), to };
    // Refused chunks still lack a vector; chunks that arrived meanwhile are for another pass.
    if (lacking === 0 || added === 0) return { ...planned, embedded, failed: failed.size, changed };
  }
}

async function* inBatches(
  chunks: AsyncIterable<Chunk>,
  size: number,
  without: ReadonlySet<string>,
): AsyncGenerator<readonly Chunk[]> {
  let batch: Chunk[] = [];
  for await (const chunk of chunks) {
    if (without.has(chunk.id)) continue;
    batch.push(chunk);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* rollBack(
  store: VersionSwitch<Proven>,
  { embedder, formerEmbedders = [] }: ReembedParts,
  into: ScopeProof,
): AsyncGenerator<ReembedEvent, readonly ReembeddedScope[]> {
  const [versions] = await store.versions(into);
  const { current: from, previous: to } = versions ?? {};
  if (to === undefined) return [];
  const configured = [...(embedder === undefined ? [] : [embedder]), ...formerEmbedders];
  if (!configured.some((one) => makesVersion(one, to))) {
    throw new IbidError("configuration-missing", `No model is configured that makes the vectors of ${to.model}.`, {
      hint: "Open the knowledge base with it as models.embedding, or in models.formerEmbeddings.",
      details: { provider: to.provider, model: to.model },
    });
  }
  const scope = scopeOf(into);
  const { changed, lacking } = await store.changeVersion(into, to, { partial: true });
  if (changed) yield { type: "changed-over", scope, ...(from && { from }), to };
  return [{ scope, ...(from && { from }), to, chunks: lacking, tokens: 0, embedded: 0, failed: 0, changed }];
}

function summarize(scopes: readonly ReembeddedScope[], options: ReembedOptions, started: number): ReembedSummary {
  const tokens = scopes.reduce((sum, one) => sum + one.tokens, 0);
  return {
    scopes,
    chunks: scopes.reduce((sum, one) => sum + one.chunks, 0),
    tokens,
    ...costOf(tokens, options),
    ms: Math.round(performance.now() - started),
  };
}

function report(
  { onProgress }: ReembedOptions,
  progress: Parameters<NonNullable<ReembedOptions["onProgress"]>>[0],
): void {
  try {
    onProgress?.(progress);
  } catch {
    // A display that fails is no reason to stop.
  }
}

function missingModel(): never {
  throw new IbidError("configuration-missing", "There is no embedding model to embed with.", {
    hint: "Open the knowledge base with a model: { models: { embedding: … } }.",
  });
}

function nothingBefore(): IbidError {
  return new IbidError("not-found", "There is no earlier version to go back to.", {
    hint: "A rollback is possible after a re-embedding, until a vacuum has taken the old vectors.",
  });
}

/** Outcome for the chunks of one batch. */
export interface EmbeddedBatch {
  readonly vectors: readonly AddedVector[];
  readonly embedded: readonly Chunk[];
  readonly failed: readonly { readonly chunk: Chunk; readonly error: IbidError }[];
}

/** So many chunks one after the other refused, and none taken: it is the model that fails, not a chunk. */
const enough = 3;

/** Failures that may be of one text: too long, of a kind that the model does not take. The others would meet every chunk. */
const ofOneText: readonly string[] = ["embedding-failed", "unsupported-input", "invalid-response"];

/**
 * Embeds some chunks together or, when that fails, one by one, so that one that the model refuses does not hold up the others.
 *
 * **Errors** as the model, when it refuses everything.
 */
export async function embedBatch(
  embedder: Embedder,
  chunks: readonly Chunk[],
  signal: AbortSignal | undefined,
): Promise<EmbeddedBatch> {
  const embed = async (some: readonly Chunk[]): Promise<readonly AddedVector[]> => {
    const { embeddings } = await embedder.embed(some, { purpose: "document", ...(signal && { signal }) });
    return some.map(({ id, text }, i) => ({ chunkId: id, text, embedding: embeddings[i]! }));
  };
  try {
    return { vectors: await embed(chunks), embedded: chunks, failed: [] };
  } catch (error) {
    if (!isOfOneText(error) || chunks.length === 1) {
      if (!isOfOneText(error)) throw error;
      return { vectors: [], embedded: [], failed: [{ chunk: chunks[0]!, error }] };
    }
  }
  const vectors: AddedVector[] = [];
  const embedded: Chunk[] = [];
  const failed: { chunk: Chunk; error: IbidError }[] = [];
  for (const chunk of chunks) {
    try {
      vectors.push(...(await embed([chunk])));
      embedded.push(chunk);
    } catch (error) {
      if (!isOfOneText(error)) throw error;
      failed.push({ chunk, error });
      if (embedded.length === 0 && failed.length === Math.min(enough, chunks.length)) throw error;
    }
  }
  return { vectors, embedded, failed };
}

function isOfOneText(error: unknown): error is IbidError {
  return IbidError.isInstance(error) && ofOneText.includes(error.code);
}

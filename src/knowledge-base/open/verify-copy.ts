import { createGate, operator, systemAuthority } from "../../access/gate.ts";
import type { ChunkEntry } from "../../contracts/document-store.ts";
import { type VersionedEmbedding, versionKey } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { LegResult, Query, StoreSession } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Store } from "../../contracts/store.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { hashParts } from "../../runtime/hash.ts";
import { isOwnVersion } from "../../stores/segments/own-version.ts";

/** Counts of what was compared. */
export interface CopyVerified {
  /** Documents whose text, metadata, chunks and vectors have the same checksum in both. */
  readonly documents: number;
  /** Searches that found the same chunks in both. */
  readonly searches: number;
}

const gate = createGate({ platform: true });

/** Searches of each scope, by words and by each kind of vector. */
const sampled = 8;

/** Matches that a search is compared by. */
const depth = 10;

/** Words of a chunk that are asked for. */
const longestQuery = 80;

/**
 * Compares every document of a copy with its source, their numbers, and a sample of searches.
 *
 * **Errors** `store-failed` for the first difference, with scope and uri. **Cost** reads both stores whole.
 */
export async function verifyCopy(
  source: Store,
  target: Store,
  scopes: readonly Scope[],
  signal: AbortSignal | undefined,
): Promise<CopyVerified> {
  let [documents, searches] = [0, 0];
  const others = (await target.scopes(systemAuthority())).filter((scope) => !scopes.includes(scope));
  for (const scope of [...scopes, ...others]) {
    const readable = gate.read(operator, [scope]);
    const samples: ChunkEntry[] = [];
    const ids = new Set<string>();
    for await (const { id, uri } of source.documents(readable)) {
      throwIfAborted(signal, "The comparison of the copy");
      const [before, after] = [await readDocument(source, scope, id), await readDocument(target, scope, id)];
      // It was deleted since.
      if (before === undefined) continue;
      if (before.checksum !== after?.checksum)
        throw differs(scope, uri, after === undefined ? "is not there" : "differs");
      documents++;
      ids.add(id);
      if (samples.length < sampled && before.entries[0] !== undefined) samples.push(before.entries[0]);
    }
    for await (const { id, uri } of target.documents(readable))
      if (!ids.has(id)) throw differs(scope, uri, "is not in the source");
    const [one, other] = [await source.session(readable), await target.session(readable)];
    for (const entry of samples) {
      for (const query of queriesOf(entry, scope)) {
        throwIfAborted(signal, "The comparison of the copy");
        const [expected, found] = [await ask(one, query), await ask(other, query)];
        if (JSON.stringify(expected) !== JSON.stringify(found))
          throw differs(scope, entry.chunk.uri, "is not found alike");
        if (expected !== undefined) searches++;
      }
    }
  }
  return { documents, searches };
}

function differs(scope: Scope, uri: string, what: string): IbidError {
  return new IbidError("store-failed", `The copy of ${uri} in ${scope} ${what}.`, {
    uri,
    hint: "Copy again, as the source may have been written meanwhile. If it stays so, delete the document in the copy first.",
    details: { operation: "migrate", scope },
  });
}

/** A document's entries in order, and a hash of everything that a copy keeps. */
async function readDocument(
  store: Store,
  scope: Scope,
  id: string,
): Promise<{ readonly checksum: string; readonly entries: readonly ChunkEntry[] } | undefined> {
  const readable = gate.read(operator, [scope]);
  const stored = await store.document(readable, id);
  if (stored === undefined) return undefined;
  const entries: ChunkEntry[] = [];
  for await (const { chunk, embeddings = [] } of store.chunks(readable, { documentId: id, includeEmbeddings: true }))
    entries.push({ chunk, embeddings: embeddings.filter(({ version }) => !isOwnVersion(versionKey(version))) });
  entries.sort((a, b) => a.chunk.index - b.chunk.index || a.chunk.start - b.chunk.start);
  const { uri, title, text, metadata } = stored.document;
  const { contentHash, metadataHash, fingerprint } = stored.summary;
  const parts = entries.flatMap(({ chunk, embeddings }) => [
    JSON.stringify([chunk.id, chunk.index, chunk.start, chunk.end, chunk.text, sorted(chunk.metadata)]),
    ...embeddings.map(checksumOf).sort(),
  ]);
  const facts = JSON.stringify([uri, title, sorted(metadata), contentHash, metadataHash, fingerprint]);
  return { checksum: hashParts(facts, text, ...parts), entries };
}

const sorted = (metadata: object): unknown => Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));

function checksumOf({ version, embedding }: VersionedEmbedding): string {
  const numbers = ArrayBuffer.isView(embedding) ? Array.from(embedding as Float32Array) : embedding;
  return hashParts(versionKey(version), JSON.stringify(numbers));
}

/** Searches by the first words of a chunk, and by each of its vectors. */
function queriesOf({ chunk, embeddings }: ChunkEntry, scope: Scope): readonly Query[] {
  const text = chunk.text.slice(0, longestQuery);
  const words: Query = { question: text, text, syntax: "literal", embeddings: [] };
  return [
    words,
    ...embeddings.map(({ version, embedding }): Query => ({
      ...words,
      question: "",
      text: "",
      embeddings: [{ embedding, version, scopes: [scope] }],
    })),
  ];
}

/** **Shape** `undefined` without a leg that takes the query. */
async function ask(session: StoreSession, query: Query): Promise<unknown> {
  const name = query.embeddings.length > 0 ? "dense" : "lexical";
  const leg = session.legs.find((each) => each.name === name);
  if (leg === undefined || !leg.accepts(query)) return undefined;
  const { matches }: LegResult = await leg.search(query, depth, { restriction: session.restrict() });
  return matches.slice(0, depth).map(({ id, score }) => [id, score]);
}

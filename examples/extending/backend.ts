/**
 * A backend of one's own: a vector store in one array, behind the guard and held to the contract packs. Access, ids, dimensions and `topK` are checked before
 * any of these operations is called; what is left to write is keeping and comparing.
 *
 *     npm run build && npx node examples/extending/backend.ts
 */
import {
  compileFilter,
  createGate,
  guardVectorStore,
  IbidError,
  operator,
  type RawVectorStore,
  versionKey,
} from "ibid";
import type { ChunkEntry, DeleteTarget, ListChunksOptions, Scope, Vector, VectorStore } from "ibid";
import { createChunkStorePack, createVectorStorePack } from "ibid/testing";
import { check } from "../check.ts";

interface Row extends ChunkEntry {
  readonly scope: Scope;
}

function createArrayStore(): VectorStore {
  let rows: readonly Row[] = [];
  const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

  const listed = (scopes: readonly Scope[], { filter, documentId, ids }: ListChunksOptions): readonly Row[] => {
    const matches = filter === undefined ? () => true : compileFilter(filter);
    return rows
      .filter(({ scope, chunk }) => scopes.includes(scope) && matches(chunk.metadata))
      .filter(({ chunk }) => documentId === undefined || chunk.documentId === documentId)
      .filter(({ chunk }) => ids === undefined || ids.includes(chunk.id))
      .toSorted((a, b) => byText(a.scope, b.scope) || byText(a.chunk.id, b.chunk.id));
  };
  const targeted = (scope: Scope, target: DeleteTarget): readonly Row[] => {
    if ("scope" in target) return listed([scope], {});
    if ("filter" in target) return listed([scope], { filter: target.filter });
    if ("ids" in target) return listed([scope], { ids: target.ids });
    return listed([scope], {}).filter(({ chunk }) => target.documentIds.includes(chunk.documentId));
  };

  const raw: RawVectorStore = {
    capabilities: { durability: "none", exact: true, embeddings: ["dense"], metrics: ["cosine"], restore: false },
    async doReady() {},
    async doUpsert(scope, entries) {
      const fresh = new Map(entries.map((entry) => [entry.chunk.id, { ...entry, scope }]));
      rows = [...rows.filter((row) => row.scope !== scope || !fresh.has(row.chunk.id)), ...fresh.values()];
    },
    async doDelete(scope, target, { onMissing }) {
      const gone = new Set(targeted(scope, target));
      if (onMissing === "error" && "ids" in target) {
        const missing = target.ids.find((id) => ![...gone].some(({ chunk }) => chunk.id === id));
        if (missing !== undefined) throw new IbidError("not-found", `There is no chunk "${missing}".`);
      }
      rows = rows.filter((row) => !gone.has(row));
      return gone.size;
    },
    doRestore: async () => 0,
    doVacuum: async () => 0,
    async *doChunks(scopes, options) {
      for (const { scope, chunk, embeddings } of listed(scopes, options))
        yield options.includeEmbeddings === true ? { scope, chunk, embeddings } : { scope, chunk };
    },
    doScopes: async () => [...new Set(rows.map(({ scope }) => scope))].toSorted(),
    async doSearch(scopes, query) {
      const { embedding, version, filter, origins, chunkIds, minScore = -Infinity, metric, topK } = query;
      if (metric !== undefined && metric !== "cosine") throw new IbidError("unsupported", `No metric "${metric}".`);
      return listed(scopes, filter === undefined ? {} : { filter })
        .filter(({ chunk }) => origins === undefined || origins.includes(chunk.origin))
        .filter(({ chunk }) => chunkIds === undefined || chunkIds.includes(chunk.id))
        .flatMap(({ scope, chunk, embeddings }) => {
          if (embedding === undefined || version === undefined) return [{ scope, chunk, score: 0, rawScore: 0 }];
          const own = embeddings.find((each) => versionKey(each.version) === versionKey(version))?.embedding;
          if (own === undefined) return [];
          const score = cosine(embedding as Vector, own as Vector);
          return [{ scope, chunk, score, rawScore: score, ...(query.includeEmbeddings && { embedding: own }) }];
        })
        .filter(({ score }) => embedding === undefined || score >= minScore)
        .toSorted((a, b) => b.score - a.score || byText(a.chunk.id, b.chunk.id) || byText(a.scope, b.scope))
        .slice(0, topK);
    },
  };
  return guardVectorStore(raw, { name: "The array store" });
}

function cosine(a: Vector, b: Vector): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return aa === 0 || bb === 0 ? 0 : Math.max(-1, Math.min(1, dot / Math.sqrt(aa * bb)));
}

// Every promise of the interface, kept or not.
const subject = { create: async () => createArrayStore() };
const broken: string[] = [];
let kept = 0;
for (const { id, run } of [...createChunkStorePack(subject), ...createVectorStorePack(subject)]) {
  await run().then(
    () => kept++,
    (error: unknown) => broken.push(`${id}: ${String(error)}`),
  );
}
check("promises that are broken", broken, []);
check("promises that are kept", kept > 30, true);

// And no way around the gate: a proof that somebody made up opens nothing.
const store = createArrayStore();
const forged: ReturnType<ReturnType<typeof createGate>["read"]> = structuredClone(
  createGate().read(operator, ["deployment"]),
);
check("with a forged proof", await store.search(forged, {}).catch((error: IbidError) => error.code), "access-denied");

/**
 * ToolUp's three flows: from an upload to the index, from a question to the prompt, and from one embedding model to another.
 *
 * | ToolUp | ibid |
 * |---|---|
 * | `IBlobStorage.Save`, post-save hook, `VectorisationHandler` | `withIngestion(blobs, kb, { enqueue })`, `put` |
 * | `IngestionQueue`, `IngestionBackgroundService` | `openIngestionQueue(kb)` |
 * | `IEmbeddingProvider`, `IEmbeddingCache` | `models.embedding`, `models.cache` |
 * | `IVectorStore.Index`, `EmbeddingVersion` | `kb.status()` says which versions there are |
 * | `IRetrievalPipeline.Retrieve` | `kb.as(…).search` |
 * | `MergeStrategy = DenseSparseHybrid` | `mode: "hybrid"`, `fusion: "weighted"` |
 * | `SnippetCharLimit` | `snippetLimit` of the prompt builder |
 * | `IRetrievalTracer`, `IEventStore` | `events`, with the same names |
 * | `ReembeddingQueue.Enqueue scope` | `kb.reembed({ scope })` |
 *
 *     npm run build && npx node examples/seeds/toolup-pipelines.ts
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createPromptBuilder } from "ibid/answers";
import { openIngestionQueue, withIngestion } from "ibid/ingest";
import { createEmbeddingCache, createHostedEmbeddingModel } from "ibid/models";
import { type EventName } from "ibid/operations";
import { openFileBlobStore } from "ibid/stores";
import { openSqliteEventStore } from "ibid/stores/sqlite";
import { check } from "../check.ts";
import { startStandIn } from "../stand-in.ts";

const standIn = await startStandIn("secret");
const provider = (model: string) =>
  createHostedEmbeddingModel({ serviceUrl: standIn.url, accessToken: "secret", model });
const folder = await mkdtemp(join(tmpdir(), "ibid-pipelines-"));
const location = join(folder, "knowledge-base");
const scope = "team:support";
const events = await openSqliteEventStore(join(folder, "events.sqlite"));
const happened = async (name: EventName): Promise<number> => {
  let count = 0;
  for await (const _ of events.read({ names: [name] })) count += 1;
  return count;
};

// Ingestion: upload, hook, queue, background, embedding, index, event.
const first = provider("first");
const embeddingCache = createEmbeddingCache();
let kb = await openKnowledgeBase(location, {
  models: { embedding: first, cache: embeddingCache },
  operations: { events },
});
const queue = await openIngestionQueue(kb, location);
const uploads = withIngestion(openFileBlobStore(join(folder, "uploads")), kb, {
  scope,
  enqueue: ({ input, options }) => queue.enqueue(input, options),
});
const upload = async (key: string, text: string): Promise<unknown> =>
  (await uploads.put(key, new TextEncoder().encode(text))).ingestion?.status;
check("an upload is queued", await upload("refunds.md", "# Refunds\n\nRefunds are paid within 14 days."), "queued");
check("and another", await upload("returns.md", "# Returns\n\nReturns need a receipt."), "queued");
await queue.drained();
const stamped = async (): Promise<unknown> =>
  (await kb.status()).versions.map(({ scope: of, current, previous }) => [of, current?.model, previous?.model]);
check("stamped with the version of the model", await stamped(), [[scope, "first", undefined]]);

// Retrieval: query, cache, scopes, search, merge, snippets, prompt, trace.
const tom = kb.as({ userId: "tom", teamId: "support" });
const question = "Within how many days are refunds paid?";
const hits = await tom.search(question, { mode: "hybrid", fusion: "weighted", explain: true });
check("found", hits[0]?.source.uri, "blob:refunds.md");
check("by both legs", Object.keys(hits[0]?.explain?.legs ?? {}).toSorted(), ["dense", "lexical"]);
const somebody = await kb.as({ userId: "eve", teamId: "sales" }).search(question, { scopes: [scope] });
check("by another team: dropped, not an error", somebody, []);
const rate = embeddingCache.hitRate;
const built = await createPromptBuilder(tom, { snippetLimit: 100 }).build(question);
check("the prompt has what was found", built.section.includes("Refunds are paid within 14 days."), true);
check("the question was embedded once", embeddingCache.hitRate > rate, true);
await queue.close();
await kb.close();
// Events are written in the background; closing waits for them.
check("indexed, says the event store", await happened("KnowledgeChunkIndexed"), 2);
check("and retrieved", await happened("KnowledgeRetrieved"), 3);

// Re-embedding: another provider, the scope is listed, what is of another version is embedded anew, events.
kb = await openKnowledgeBase(location, {
  models: { embedding: provider("second"), formerEmbeddings: [first] },
  operations: { events },
});
check("before it is asked for", await stamped(), [[scope, "first", undefined]]);
const { scopes } = await kb.reembed({ scope });
check(
  "re-embedded",
  scopes.map(({ embedded, changed }) => [embedded, changed]),
  [[2, true]],
);
check("stamped anew", await stamped(), [[scope, "second", "first"]]);
check("and again: nothing is stale", (await kb.reembed({ scope })).chunks, 0);
const [after] = await kb.as({ userId: "tom", teamId: "support" }).search(question, { mode: "dense" });
check("found by the new vectors", after?.source.uri, "blob:refunds.md");
await kb.close();
check("and its event", await happened("KnowledgeChunkReembedded"), 1);

await events.close();
standIn.stop();
await rm(folder, { recursive: true });

/**
 * Ballerina's ingestion example: a policy, read, cut and taken into a knowledge base.
 *
 * | Ballerina | ibid |
 * |---|---|
 * | `configurable string …` | `process.env`, with a stand-in where it is not set |
 * | `pinecone:VectorStore` | the knowledge base's own store; a folder would keep it |
 * | `ai:Wso2EmbeddingProvider(serviceUrl, accessToken)` | `createHostedEmbeddingModel({ serviceUrl, accessToken })` |
 * | `ai:VectorKnowledgeBase(store, model)` | `openKnowledgeBase(folder, { models: { embedding: embeddingModel } })` |
 * | `io:fileReadString(path)` | `createTextDataLoader(path).load()` |
 * | `ai:TextDocument` with `content` and `metadata` | the same, with its uri and its sections, as a reader makes it |
 * | `ai:chunkDocumentRecursively(doc)` | `chunkDocumentRecursively(doc)` |
 * | `knowledgeBase.ingest(chunks)` | `kb.ingest(chunks)` |
 *
 *     npm run build && npx node examples/seeds/ballerina-ingestion.ts
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openKnowledgeBase } from "ibid";
import { chunkDocumentRecursively, createTextDataLoader } from "ibid/compat";
import { createHostedEmbeddingModel } from "ibid/models";
import { check } from "../check.ts";
import { startStandIn } from "../stand-in.ts";

const standIn = process.env["SERVICE_URL"] === undefined ? await startStandIn("secret") : undefined;
const serviceUrl = process.env["SERVICE_URL"] ?? standIn?.url ?? "";
const accessToken = process.env["ACCESS_TOKEN"] ?? "secret";

const embeddingModel = createHostedEmbeddingModel({ serviceUrl, accessToken });
const kb = await openKnowledgeBase(process.env["KNOWLEDGE_BASE"], { models: { embedding: embeddingModel } });

console.log("Pre-processing data...");
const resources = fileURLToPath(new URL("resources", import.meta.url));
const loader = createTextDataLoader(join(resources, "pizza_shop_policy_doc.md"));
const [policy] = [await loader.load()].flat();
const policyDoc = { ...policy!, metadata: { source: "pizza_shop_policy_doc.md", type: "policy" } };
const policyChunks = chunkDocumentRecursively(policyDoc);
console.log("Pre-processing done.");

console.log("Ingesting data...");
const { embedded } = await kb.ingest(policyChunks);
console.log("Ingestion done.");

check("every chunk was embedded", embedded, policyChunks.length);
check(
  "no chunk is longer than 200 characters",
  policyChunks.every(({ text }) => text.length <= 200),
  true,
);

const [hit] = await kb.search("How many days does a refund take?", { mode: "dense", filter: { type: "policy" } });
check("found by its vector", hit?.text.includes("Refunds are paid within 14 days"), true);
check("its document's metadata are kept", hit?.metadata["source"], "pizza_shop_policy_doc.md");
// Chunks that come without a text belong to a document composed of them.
const document = await kb.document(hit?.source.uri ?? "");
check("a chunk is the words at its place", document?.text.slice(hit?.source.start, hit?.source.end), hit?.text);

await kb.close();
standIn?.stop();

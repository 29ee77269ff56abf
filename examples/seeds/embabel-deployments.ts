/**
 * Embabel's three ways to deploy, each over HTTP where it has a service. All in one process, services over one store,
 * and functions that keep nothing.
 *
 * | Embabel | ibid |
 * |---|---|
 * | one process: application, RAG core, embeddings, vector store | `openKnowledgeBase()` |
 * | services for ingestion and for search over a shared store | processes that open one folder, each with `startService` and keys of its own |
 * | functions Ingest, Search and Query over a managed store | a request is handed to `createHandler` over `snapshots`, and all is closed |
 *
 * Embabel's third service, for entities, is none here: entities lie in the same store, and every process that opens it
 * has them (`embabel-entities.ts`).
 *
 *     npm run build && npx node examples/seeds/embabel-deployments.ts
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openKnowledgeBase } from "ibid";
import { openFileBlobStore } from "ibid/stores";
import { createHandler, startService } from "ibid/server";
import { check } from "../check.ts";

const question = "What does the heron eat?";
const bird = { uri: "heron.txt", text: "The heron eats frogs and small fish." };
const [, , role, location] = process.argv;
if (role === undefined) {
  await inOneProcess();
  const folder = await mkdtemp(join(tmpdir(), "ibid-deployments-"));
  await asServices(join(folder, "knowledge-base"));
  await asFunctions(join(folder, "bucket"));
  await rm(folder, { recursive: true });
} else await serve(role, location);

async function inOneProcess(): Promise<void> {
  const kb = await openKnowledgeBase();
  await kb.ingest(bird);
  check("one process", (await kb.ask(question)).citations[0]?.quote, bird.text);
  await kb.close();
}

/** One of the services: this very program, started again with a role. */
async function serve(name: string, folder?: string): Promise<void> {
  const kb = await openKnowledgeBase(folder);
  const key = `the-key-of-${name}-services`;
  const keys = [{ name, key, operator: true, write: name === "ingestion" }];
  const service = await startService(kb, { port: 0, keys });
  process.on("disconnect", () => void service.stop().then(() => kb.close()));
  process.send?.({ url: service.url });
}

async function asServices(folder: string): Promise<void> {
  const begin = async (name: string): Promise<{ readonly child: ChildProcess; readonly url: string }> => {
    const child = fork(fileURLToPath(import.meta.url), [name, folder], { execArgv: ["--no-warnings"] });
    return {
      child,
      url: await new Promise((resolve) =>
        child.once("message", (message) => resolve((message as { readonly url: string }).url)),
      ),
    };
  };
  const ingestion = await begin("ingestion");
  const search = await begin("search");
  const post = (to: string, path: string, name: string, body: object): Promise<Response> =>
    fetch(new URL(path, to), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer the-key-of-${name}-services` },
      body: JSON.stringify(body),
    });
  const taken = await post(ingestion.url, "documents", "ingestion", bird);
  check("the ingestion service takes a document", taken.status, 201);
  const found = await post(search.url, "search", "search", { query: "heron" });
  check("the search service finds it", await uris(found), ["heron.txt"]);
  const refused = await post(search.url, "documents", "search", { uri: "x.txt", text: "x" });
  check("and takes none", refused.status, 403);
  for (const { child } of [ingestion, search]) {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.disconnect();
    check("a service ends", await exited, 0);
  }
}

async function asFunctions(bucket: string): Promise<void> {
  // A folder stands in for a bucket; in the cloud: `openS3BlobStore({ … })`.
  const invoke = async (request: Request): Promise<Response> => {
    const kb = await openKnowledgeBase({ snapshots: { blobs: openFileBlobStore(bucket) } });
    try {
      const handler = createHandler(kb, {
        hosts: ["functions.example"],
        authenticate: () => ({ name: "gateway", access: "operator", write: true }),
      });
      const response = await handler(request);
      return new Response(await response.arrayBuffer(), response);
    } finally {
      // Closing saves what was ingested: nothing is left in the function.
      await kb.close();
    }
  };
  const post = (path: string, body: object): Request =>
    new Request(`https://functions.example/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  check("Ingest", (await invoke(post("documents", bird))).status, 201);
  check("Search", await uris(await invoke(post("search", { query: "heron" }))), ["heron.txt"]);
  check("Query", await (await invoke(post("rag/query", { query: question }))).json(), { response: bird.text });
}

async function uris(response: Response): Promise<readonly string[]> {
  const { hits } = (await response.json()) as {
    readonly hits: readonly { readonly source: { readonly uri: string } }[];
  };
  return hits.map(({ source }) => source.uri);
}

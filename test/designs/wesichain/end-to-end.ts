import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IbidError, openKnowledgeBase } from "ibid";
import { createWindowChunker } from "ibid/chunkers";
import { createRetrieverNode } from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { fixed } from "../fixed.ts";
import { declarationsOf, importsOf, loadedBy, roomsOf } from "../imports.ts";
import { all, bytes, equal, holds, matches, refuses, uris, withTexts } from "../kit.ts";
import { onePage } from "../pdf.ts";
import { prove } from "../prove.ts";
import { createWork, type Done, runSide } from "./baseline.ts";
import { measure } from "./bench.ts";

const storage = {
  "rust.txt":
    "Ownership is how Rust manages memory: every value has one owner, and is dropped when its owner goes out of scope.",
  "vectors.txt": "A vector store keeps embeddings and finds those nearest to a query by cosine similarity.",
  "queues.txt": "A bounded queue refuses work when it is full, instead of keeping it until memory ends.",
};

export const endToEnd = [
  prove("W1", "documents to embeddings to retrieval to a graph, and nothing else is loaded for it", async () => {
    await withTexts(
      storage,
      async (kb) => {
        const { retrievedDocs } = await createRetrieverNode(kb, { mode: "dense", topK: 1 })({
          query: "Which store finds embeddings by cosine similarity?",
        });
        equal(
          retrievedDocs.map(({ metadata }) => metadata["uri"]),
          ["vectors.txt"],
        );
      },
      { models: { embedding: createHashingModel() } },
    );
    for (const runtime of ["any", "node"] as const)
      for (const entry of [".", "./models", "./stores", "./compat"])
        equal(
          [...loadedBy(entry, runtime).others].filter((other) => !other.startsWith("node:")),
          [],
        );
  }),
  prove("W4", "contracts import contracts alone; models know no store, stores no search, and none a graph", () => {
    const contracts = declarationsOf("contracts");
    holds(contracts.length > 20);
    for (const file of contracts)
      equal(
        importsOf(file).filter((specifier) => !specifier.startsWith("./")),
        [],
      );
    const above = {
      "./models": ["stores", "search", "knowledge-base", "integrations/compat"],
      "./stores": ["models", "search", "knowledge-base", "integrations/compat"],
      "./search": ["knowledge-base", "integrations/compat"],
    };
    for (const [entry, rooms] of Object.entries(above))
      equal(
        roomsOf(loadedBy(entry).files).filter((room) => rooms.includes(room)),
        [],
      );
    holds(roomsOf(loadedBy("./compat").files).includes("stores"));
  }),
  prove("W17", "a text and a PDF are loaded by their paths; what cannot be read is named", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-wesichain-"));
    writeFileSync(join(folder, "a.txt"), storage["queues.txt"]);
    writeFileSync(join(folder, "b.pdf"), onePage("The heron waits in the reeds."));
    writeFileSync(join(folder, "c.pdf"), bytes("%PDF-1.4 and nothing else"));
    const kb = await openKnowledgeBase();
    const { added, failures } = await kb.ingest(folder);
    equal([added, failures.map(({ uri, error }) => [uri.endsWith("c.pdf"), error.code])], [2, [[true, "unreadable"]]]);
    const [hit] = await kb.search("heron reeds");
    matches(hit?.source.uri, /b\.pdf$/u);
    equal([hit?.source.page, hit?.text.trim()], [1, "The heron waits in the reeds."]);
    for await (const { uri } of kb.list()) matches(uri, /(?:a\.txt|b\.pdf)$/u);
    await refuses("not-found", () => kb.ingest(join(folder, "gone.txt")));
    await kb.close();
    rmSync(folder, { recursive: true });
  }),
  prove("W19", "retrieving is one embedding of the query and one search", async () => {
    const embedding = fixed({ east: [1, 0], north: [0, 1], where: [0.8, 0.6] });
    await withTexts(
      { east: "east", north: "north" },
      async (kb) => {
        const before = embedding.calls.length;
        equal(uris(await kb.search("where", { mode: "dense" })), ["east", "north"]);
        equal(
          embedding.calls.slice(before).map(({ inputs, purpose }) => [inputs, purpose]),
          [[["where"], "query"]],
        );
      },
      { models: { embedding } },
    );
  }),
  prove("W21", "indexing: loading, splitting, embedding in a batch, storing", async () => {
    const steps: string[] = [];
    const hashing = createHashingModel();
    const windows = createWindowChunker({ size: 40, overlap: 8 });
    const kb = await openKnowledgeBase({
      chunker: {
        fingerprint: windows.fingerprint,
        chunk: (document) => (steps.push(`split ${document.uri}`), windows.chunk(document)),
      },
      models: {
        embedding: {
          ...hashing,
          embed: (inputs, options) => (steps.push(`embed ${inputs.length}`), hashing.embed(inputs, options)),
        },
      },
      operations: { telemetry: { event: ({ name }) => void steps.push(name) } },
    });
    const { chunks } = await kb.ingest([{ uri: "vectors.txt", text: storage["vectors.txt"] }]);
    equal(chunks, Math.ceil((storage["vectors.txt"].length - 8) / 32));
    equal(steps.slice(0, 2), ["split vectors.txt", `embed ${chunks}`]);
    equal((await all(kb.chunks())).length, chunks);
    await kb.close();
  }),
  prove("W33", "an error has a message, a hint and facts, and no cause where it is written as JSON", async () => {
    const error = await refuses("dimension-mismatch", () =>
      withTexts({ east: "east" }, async (kb) => kb.ingest({ chunks: [{ text: "x", embedding: [1, 2, 3] }] }), {
        models: { embedding: fixed({ east: [1, 0] }) },
      }),
    );
    matches(String(error), /^IbidError: .*2.*3|^IbidError: .*3.*2/u);
    const written = JSON.parse(
      JSON.stringify(
        new IbidError("store-failed", "The disk is full.", { hint: "Free some.", cause: new Error("ENOSPC") }),
      ),
    ) as object;
    equal(written, {
      name: "IbidError",
      code: "store-failed",
      message: "The disk is full.",
      hint: "Free some.",
      details: {},
    });
  }),
  prove("W46", "a thousand and ten thousand chunks are indexed in a batch and queried, exactly", async () => {
    for (const count of [1000, 10_000]) {
      const { chunks, indexing, querying, found, exact } = await measure(count);
      equal(chunks, count);
      holds(indexing > 0 && querying > 0 && querying < indexing);
      found.forEach((hits, i) => hits.forEach(({ score }, rank) => holds(Math.abs(score - exact[i]![rank]!) < 1e-5)));
    }
  }),
  prove("W47", "resident memory before and after, within 40 KB a chunk", async () => {
    const { before, memory } = await measure(10_000);
    holds(before > 0 && memory - before < 10_000 * 40_000, `${before} to ${memory}`);
  }),
  prove("W48", "a Python baseline cuts the same chunks, makes the same vectors and finds the same", async () => {
    const work = createWork(60, 20);
    const [here, there] = await Promise.all([runSide("ibid", work), runSide("python", work)]);
    const order = ({ hits }: Done) => hits.map((found) => found.map(([chunk]) => chunk));
    equal(
      [here.chunks, here.texts, here.vectors, order(here)],
      [there.chunks, there.texts, there.vectors, order(there)],
    );
    holds(here.chunks > work.texts.length && here.hits.every((found) => found.length === work.topK));
    for (const [i, found] of here.hits.entries())
      for (const [k, [, score]] of found.entries()) holds(Math.abs(score - there.hits[i]![k]![1]) < 1e-6);
    for (const { ms, memory } of [here, there]) holds(ms.indexing > 0 && ms.query > 0 && memory.after >= 0);
  }),
  prove("W49", "the dense leg alone takes part in these figures", async () => {
    const { found } = await measure(1000);
    for (const { explain } of found.flat())
      equal([explain?.fusion, Object.keys(explain?.legs ?? {})], ["dense", ["dense"]]);
  }),
  prove("W50", "reciprocal ranks of words and vectors, then a reranker", async () => {
    const embedding = fixed({
      "red kite": [1, 0],
      "blue kite": [0.9, 0.1],
      "red wagon": [0, 1],
      "blue sky": [0.5, 0.5],
    });
    const texts = { both: "red kite", meant: "blue kite", said: "red wagon" };
    await withTexts(
      texts,
      async (kb) => {
        const hits = await kb.search("red kite", { fusion: "rrf", explain: true });
        equal(hits[0]?.source.uri, "both");
        holds(Math.abs(hits[0]!.score - 2 / 61) < 1e-12, String(hits[0]!.score));
      },
      { models: { embedding } },
    );
    const backwards = {
      name: "backwards",
      rerank: async (_: string, found: readonly string[]) => found.map((text) => (text.includes("wagon") ? 1 : 0)),
    };
    await withTexts(
      texts,
      async (kb) => {
        equal(uris(await kb.search("red kite"))[0], "said");
        equal(uris(await kb.search("red kite", { rerank: false }))[0], "both");
      },
      { models: { embedding, reranker: backwards } },
    );
  }),
];

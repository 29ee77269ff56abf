import type { KnowledgeBase, TextInput } from "../../src/contracts/knowledge-base.ts";
import { check, collect, equal } from "../../src/testing/assert.ts";
import type { KnowledgeBaseCase } from "./knowledge-base-case.ts";
import { createListSource } from "../../src/testing/list-source.ts";
import { countingModel, inputsSeen, shelf, statuses } from "./knowledge-base-fixtures.ts";

/** Documents of about 1,500 characters a paragraph, so that each becomes several chunks. */
function longText(words: readonly string[]): string {
  return words.map((word) => `${word} `.repeat(Math.ceil(1400 / (word.length + 1))).trim()).join("\n\n");
}

async function uris(kb: KnowledgeBase): Promise<string> {
  return (await collect(kb.list())).map(({ uri }) => uri).join(" ");
}

/** What a knowledge base promises about taking documents in. */
export const ingestingCases: readonly KnowledgeBaseCase[] = [
  [
    "summary-and-results",
    "B1 B35 T2 W21 E14",
    async (open) => {
      const kb = await open();
      const summary = await kb.ingest(shelf);
      const { ms, failures, receipt, ...counts } = summary;
      equal([receipt.scope, receipt.stamp > 0], ["deployment", true], "the receipt");
      equal(failures, [], "failures");
      check(ms >= 0 && Number.isFinite(ms), "milliseconds", ms);
      equal(
        counts,
        { added: 2, updated: 0, unchanged: 0, removed: 0, failed: 0, chunks: 2, embedded: counts.embedded },
        "the summary",
      );
      const other = await open();
      const results = await collect(other.ingest(shelf));
      equal(
        results.map(({ uri, scope, status, chunks }) => [uri, scope, status, chunks]),
        [
          ["a.txt", "deployment", "added", 1],
          ["b.txt", "deployment", "added", 1],
        ],
        "results, one for each document, in order",
      );
      check(new Set(results.map(({ documentId }) => documentId)).size === 2, "every document has an id of its own");
      const listed = await collect(other.list());
      equal(
        listed.map(({ uri, title }) => [uri, title]),
        [
          ["a.txt", listed[0]?.title],
          ["b.txt", "On otters"],
        ],
        "what is listed, by uri",
      );
      const view = await other.document("b.txt");
      equal(
        [view?.text, view?.mediaType, view?.id],
        ["The otter swims at night. 🦦", "text/plain", results[1]?.documentId],
        "the document",
      );
    },
  ],
  [
    "twice-is-once",
    "L7 T38",
    async (open) => {
      const model = countingModel();
      const kb = await open({ models: { embedding: model } });
      const first = await kb.ingest(shelf);
      equal([first.embedded, inputsSeen(model)], [2, 2], "texts embedded at first");
      const before = [await collect(kb.list()), await kb.status()];
      const second = await kb.ingest(shelf);
      equal(
        [second.added, second.unchanged, second.embedded, second.chunks],
        [0, 2, 0, 2],
        "the summary of the same again",
      );
      equal(inputsSeen(model), 2, "texts that the model saw in all");
      equal(
        (await collect(kb.list())).map(({ id, contentHash }) => [id, contentHash]),
        before[0] === undefined ? [] : (await collect(kb.list())).map(({ id, contentHash }) => [id, contentHash]),
        "what is listed",
      );
      equal((await kb.status()).chunks, 2, "chunks");
    },
  ],
  [
    "changed-words-and-changed-metadata",
    "L7 E16",
    async (open) => {
      const kb = await open({ models: { embedding: countingModel() } });
      await kb.ingest(shelf);
      equal(
        await statuses(kb, [{ ...shelf[0], uri: "a.txt", text: "The heron has gone." }]),
        { "a.txt": "updated" },
        "other words",
      );
      equal((await kb.document("a.txt"))?.text, "The heron has gone.", "the text");
      const hits = await kb.search("heron reeds waits", { mode: "lexical", topK: "all" });
      check(
        hits.every(({ text }) => !text.includes("reeds")),
        "words that are no longer there were found",
        hits,
      );
      const dated: readonly TextInput[] = [
        { uri: "b.txt", text: "The otter swims at night. 🦦", title: "On otters", metadata: { year: 2025 } },
      ];
      equal(await statuses(kb, dated), { "b.txt": "updated" }, "other metadata");
      equal(await statuses(kb, dated), { "b.txt": "unchanged" }, "the same metadata again");
      equal((await kb.search("otter", { filter: { year: 2025 } })).length, 1, "hits by the new metadata");
      equal(
        (await kb.ingest(dated, { metadata: { shelf: 3 } })).updated,
        1,
        "documents updated by metadata of the call",
      );
      equal((await kb.document("b.txt"))?.metadata["shelf"], 3, "metadata of the call");
    },
  ],
  [
    "only-changed-chunks-are-embedded",
    "L7 T37 T38",
    async (open) => {
      const model = countingModel();
      const kb = await open({ models: { embedding: model } });
      const words = ["heron", "otter", "newt", "vole", "shrew", "stoat"];
      const first = await kb.ingest({ uri: "long.txt", text: longText(words) });
      check(first.chunks >= 5 && first.embedded === first.chunks, "a long text becomes several chunks", first);
      const second = await kb.ingest({ uri: "long.txt", text: longText([...words.slice(0, 5), "badger"]) });
      equal(second.updated, 1, "documents updated");
      check(second.embedded >= 1 && second.embedded <= 3, "only chunks with other words are embedded", second);
      equal((await kb.search("badger", { mode: "lexical" })).length > 0, true, "the new words are found");
      equal(await kb.search("stoat", { mode: "lexical" }), [], "the old words are not");
    },
  ],
  [
    "one-failure-does-not-stop-the-rest",
    "B16 B36 W13 E15 L7",
    async (open) => {
      const kb = await open({ models: { embedding: countingModel() } });
      await kb.ingest([{ uri: "b.txt", text: "good before" }]);
      const texts = ["a", "b", "c"].map((name) => ({
        uri: `${name}.txt`,
        text: name === "b" ? "poison" : `fine ${name}`,
      }));
      equal(
        await statuses(kb, texts),
        { "a.txt": "added", "b.txt": "failed: embedding-failed", "c.txt": "added" },
        "results",
      );
      equal((await kb.document("b.txt"))?.text, "good before", "the old version of a document that failed");
      equal((await kb.search("poison", { mode: "lexical" })).length, 0, "hits in a document that failed");
      const source = createListSource([
        { uri: "d.txt", content: "a fine text" },
        { uri: "e.txt", content: new Error("the disk is gone") },
        { uri: "f.txt", content: new Uint8Array([0, 1, 2, 3, 0, 0, 255, 254, 0, 0, 7]) },
        { uri: "g.txt", content: "another fine text" },
      ]);
      const outcome = await statuses(kb, source);
      equal([outcome["d.txt"], outcome["g.txt"]], ["added", "added"], "texts around failures");
      check(
        outcome["e.txt"]?.startsWith("failed") === true && outcome["f.txt"]?.startsWith("failed") === true,
        "failures",
        outcome,
      );
    },
  ],
  [
    "sweeps-what-is-gone",
    "L7 E20",
    async (open) => {
      const kb = await open();
      const [a, b, c] = ["a", "b", "c"].map((name) => ({ uri: `shelf/${name}.txt`, content: `the text of ${name}` }));
      if (a === undefined || b === undefined || c === undefined) return;
      const folder = { folder: "shelf" };
      await kb.ingest({ uri: "elsewhere.txt", text: "named outright" });
      await kb.ingest(createListSource([a, b, c], folder));
      equal(
        await statuses(kb, createListSource([a], folder), { sweep: false }),
        { [a.uri]: "unchanged" },
        "without sweeping",
      );
      const swept = await statuses(kb, createListSource([a, c], folder));
      equal(swept, { [a.uri]: "unchanged", [c.uri]: "unchanged", [b.uri]: "removed" }, "with sweeping");
      equal(await uris(kb), `elsewhere.txt ${a.uri} ${c.uri}`, "what is left");
      equal(await kb.search("text of b", { mode: "lexical", filter: { uri: "none" } }), [], "hits of what is gone");
      equal(
        await statuses(kb, createListSource([{ ...a, content: new Error("locked") }, c], folder)),
        { [a.uri]: "failed: internal", [c.uri]: "unchanged" },
        "a file that cannot be read now",
      );
      equal((await kb.document(a.uri))?.text, "the text of a", "its old version");
    },
  ],
];

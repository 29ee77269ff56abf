/**
 * A vector store of one's own under a knowledge base: an array with `add`, `query` and `delete`. The adapter keeps documents and words beside it, checks access,
 * filters and deletes on every candidate, and only chunks that are there are shown.
 *
 *     npm run build && npx node examples/extending/backend.ts
 */
import { IbidError, openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { type AnyVectorStore, createMemoryStore, fromVectorStore } from "ibid/stores";
import { check } from "../check.ts";

type Entry = Parameters<AnyVectorStore["add"]>[0][number];

function createArrayStore(): AnyVectorStore & { size(): number } {
  const entries = new Map<string, Entry>();
  return {
    add(added) {
      for (const entry of added) entries.set(entry.id, entry);
    },
    query({ embedding, topK }) {
      return [...entries.values()]
        .map((entry) => ({ ...entry, similarityScore: cosine(embedding, entry.embedding) }))
        .toSorted((a, b) => b.similarityScore - a.similarityScore)
        .slice(0, topK);
    },
    delete(ids) {
      for (const id of ids) entries.delete(id);
    },
    size: () => entries.size,
  };
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

const vectors = createArrayStore();
const kb = await openKnowledgeBase({ store: fromVectorStore(vectors), models: { embedding: createHashingModel() } });

await kb.ingest([
  { uri: "heron.md", text: "The heron waits in the reeds.", metadata: { kind: "bird" } },
  { uri: "otter.md", text: "The otter swims under the bridge.", metadata: { kind: "mammal" } },
  { uri: "wren.md", text: "The wren sings in the hedge.", metadata: { kind: "bird" } },
]);
check("vectors in the array", vectors.size(), 3);

const uris = async (...search: Parameters<typeof kb.search>): Promise<string[]> =>
  (await kb.search(...search)).map(({ source }) => source.uri);

check("the nearest by its vector", (await uris("herons waiting in reeds", { mode: "dense" }))[0], "heron.md");
check("by its words", await uris("otter", { mode: "lexical" }), ["otter.md"]);
check(
  "a filter hides the nearest",
  (await uris("otter swims", { mode: "dense", filter: { kind: "bird" } })).includes("otter.md"),
  false,
);
check("a caller's own scope is empty", await kb.as({ userId: "ada" }).search("heron", { scopes: ["user:ada"] }), []);

const answer = await kb.ask("Where does the heron wait?");
check("the cited document", answer.citations[0]?.uri, "heron.md");

await kb.delete("heron.md");
check("vectors after a delete", vectors.size(), 2);
check("found after a delete", (await uris("heron", { topK: "all" })).includes("heron.md"), false);
await kb.close();

// An incomplete store is refused by the name of the method that it lacks.
const refusal = async (open: () => unknown): Promise<string> => {
  try {
    await open();
    return "opened";
  } catch (error) {
    return IbidError.isInstance(error) ? error.message : String(error);
  }
};
const incomplete = { ...createArrayStore(), delete: undefined };
check(
  "without delete",
  await refusal(() => fromVectorStore(incomplete as never)),
  'The vector store has no method "delete".',
);
const partial = { ...createMemoryStore(), find: undefined };
check(
  "without find",
  await refusal(() => openKnowledgeBase({ store: partial as never })),
  'store has no method "find".',
);

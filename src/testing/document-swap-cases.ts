import type { Chunk } from "../contracts/chunk.ts";
import type { EmbeddingVersion } from "../contracts/embedding.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { check, collect, equal, inAnyOrder, throwsCode } from "./assert.ts";
import { idsIn } from "./store-case.ts";
import type { StoreCase } from "./store-case.ts";
import {
  counts,
  deployment,
  documentEntryOf,
  documentOf,
  forgedProofs,
  from,
  into,
  north,
  plane,
  versionOf,
  writeChunks,
} from "./store-fixtures.ts";

const old = documentOf("a.md", "one\n\ntwo\n\nthree", { metadata: { round: 1 } });
const fresh = documentOf("a.md", "zero\n\ntwo\n\nfour", { metadata: { round: 2 } });
const oldEntry = documentEntryOf(old, [
  { text: "one", embedding: [1, 0] },
  { text: "two", embedding: [3, 4] },
  { text: "three", embedding: [0, 1] },
]);
const freshEntry = documentEntryOf(fresh, [
  { text: "zero", embedding: [1, 0] },
  { text: "two", embedding: [3, 4] },
  { text: "four", embedding: [0, 1] },
]);

/** Contract of a document store about swapping a document and its whole chunk set for what was there before. */
export const documentSwapCases: readonly StoreCase[] = [
  [
    "replace-counts-what-it-did",
    "E16 E20 L7",
    async (store) => {
      equal(
        await counts(store.replace(into(deployment), oldEntry)),
        { added: 3, kept: 0, removed: 0 },
        "the first write",
      );
      equal(
        await counts(store.replace(into(deployment), oldEntry)),
        { added: 0, kept: 3, removed: 0 },
        "the same again",
      );
      equal(
        await counts(store.replace(into(deployment), freshEntry)),
        { added: 2, kept: 1, removed: 2 },
        "a changed document",
      );
      equal(
        await counts(store.replace(into(deployment), documentEntryOf(fresh, []))),
        { added: 0, kept: 0, removed: 3 },
        "no chunks",
      );
    },
  ],
  [
    "replace-swaps-everything",
    "E16 E20 B18 L6",
    async (store) => {
      await store.replace(into(deployment), oldEntry);
      await store.replace(into(deployment), freshEntry);
      const stored = await store.document(from(deployment), fresh.id);
      equal(stored?.document, fresh, "the document");
      equal(stored?.summary.chunks, 3, "its chunks, counted");
      const chunks = await collect(store.chunks(from(deployment), { documentId: fresh.id, includeEmbeddings: true }));
      const expected = freshEntry.chunks.toSorted((a, b) => (a.chunk.id < b.chunk.id ? -1 : 1));
      equal(
        chunks,
        expected.map((entry) => ({ scope: deployment, ...entry })),
        "its chunks, with their new places",
      );
    },
  ],
  [
    "kept-chunks-keep-their-vectors",
    "T37 L6 L7",
    async (store) => {
      await store.replace(into(deployment), oldEntry);
      // Nothing was embedded for the chunk that did not change; during a cut-over the new ones have both versions.
      const both = [plane, versionOf(2, "next")].map((version) => ({ version, embedding: [1, 2] }));
      const entries = freshEntry.chunks.map(({ chunk }) => ({
        chunk,
        embeddings: chunk.urtext === "two" ? [] : both,
      }));
      await store.replace(into(deployment), { ...freshEntry, chunks: entries });
      const vectors: Record<string, unknown> = {};
      for (const stored of await collect(store.chunks(from(deployment), { includeEmbeddings: true }))) {
        vectors[stored.chunk.urtext] = stored.embeddings;
      }
      equal(vectors, { zero: both, two: [{ version: plane, embedding: [3, 4] }], four: both }, "vectors by text");
    },
  ],
  [
    "changed-text-loses-its-old-vector",
    "B18 L6",
    async (store) => {
      await store.replace(into(deployment), oldEntry);
      const entries = oldEntry.chunks.map(({ chunk }) => ({
        chunk: { ...chunk, text: `Title\n${chunk.text}` },
        embeddings: [],
      }));
      await store.replace(into(deployment), { ...oldEntry, chunks: entries });
      const stored = await collect(store.chunks(from(deployment), { includeEmbeddings: true }));
      equal(
        stored.map(({ embeddings }) => embeddings),
        [[], [], []],
        "vectors of texts that changed",
      );
    },
  ],
  [
    "held-tells-what-need-not-be-embedded",
    "E22 T38 L7",
    async (store) => {
      const held = async (scope: Scope, id: string, version?: EmbeddingVersion): Promise<unknown> =>
        inAnyOrder(await store.held(into(scope), id, version));
      equal(await held(deployment, old.id, plane), [], "held by an empty store");
      await store.replace(into(deployment), oldEntry);
      const [bare] = documentEntryOf(old, [{ text: "one" }]).chunks;
      if (bare !== undefined) await writeChunks(store, into(north), [bare]);
      const all = inAnyOrder(oldEntry.chunks.map(({ chunk }) => [chunk.id, namedText(chunk)]));
      equal(await held(deployment, old.id, plane), all, "chunks with a vector of the version");
      equal(await held(deployment, old.id, versionOf(2, "next")), [], "chunks with a vector of another version");
      equal(await held(deployment, old.id), all, "chunks, whatever their vectors");
      equal(await held(deployment, "other", plane), [], "chunks of another document");
      equal(await held(north, old.id, plane), [], "chunks of another scope with a vector");
      await store.delete(into(deployment), { ids: [oldEntry.chunks[0]?.chunk.id ?? ""] });
      equal(
        await held(deployment, old.id, plane),
        all.filter(([id]) => id !== oldEntry.chunks[0]?.chunk.id),
        "live chunks",
      );
      for (const [i, proof] of forgedProofs("write").entries()) {
        const forged = proof as AuthorizedScopes<"write">;
        await throwsCode(() => store.held(forged, old.id, plane), "access-denied", `held with forged proof ${i}`);
      }
    },
  ],
  [
    "kept-chunks-that-are-gone-refused",
    "B31 L6 L7",
    async (store) => {
      await store.replace(into(deployment), oldEntry);
      const entries = oldEntry.chunks.map(({ chunk }) => ({ chunk, embeddings: [] }));
      const keeps = entries.map(({ chunk }) => chunk.id);
      equal(
        await counts(store.replace(into(deployment), { ...oldEntry, chunks: entries, keeps })),
        { added: 0, kept: 3, removed: 0 },
        "all there",
      );
      await store.delete(into(deployment), { ids: keeps.slice(0, 1) });
      const late = (): Promise<unknown> => store.replace(into(deployment), { ...oldEntry, chunks: entries, keeps });
      await throwsCode(late, "store-busy", "a swap that relies on a chunk which has gone");
      equal(await idsIn(store, deployment), keeps.slice(1).toSorted().join(" "), "chunks after the refused swap");
    },
  ],
  [
    "replace-all-or-nothing",
    "B26 B36 W16 W36 L6",
    async (store) => {
      await store.replace(into(deployment), oldEntry);
      const [first, second] = freshEntry.chunks;
      if (first === undefined || second === undefined) return;
      const wide = { ...second, embeddings: [{ version: plane, embedding: [1, 2, 3] }] };
      const blank = { ...second, chunk: { ...second.chunk, id: " " } };
      const refuse = (entries: typeof oldEntry.chunks) => () =>
        store.replace(into(deployment), { ...freshEntry, chunks: entries });
      await throwsCode(refuse([first, wide]), "dimension-mismatch", "a swap with a wrong vector");
      await throwsCode(refuse([first, blank]), "invalid-id", "a swap with a blank chunk id");
      const nameless = { ...freshEntry, document: { ...fresh, id: "" } };
      await throwsCode(() => store.replace(into(deployment), nameless), "invalid-id", "a document with a blank id");
      equal((await store.document(from(deployment), old.id))?.document, old, "the document after refused swaps");
      equal(
        await idsIn(store, deployment),
        oldEntry.chunks
          .map(({ chunk }) => chunk.id)
          .toSorted()
          .join(" "),
        "its chunks",
      );
    },
  ],
  [
    "readers-see-the-old-set-or-the-new",
    "B31 L6 L7",
    async (store) => {
      const sets = [oldEntry, freshEntry].map(({ chunks }) =>
        chunks
          .map(({ chunk }) => chunk.id)
          .toSorted()
          .join(" "),
      );
      await store.replace(into(deployment), oldEntry);
      for (let round = 0; round < 12; round++) {
        const swap = store.replace(into(deployment), round % 2 === 0 ? freshEntry : oldEntry);
        const seen: string[] = [];
        for (let look = 0; look < 6; look++) {
          seen.push(await idsIn(store, deployment));
          await new Promise((resolve) => void setTimeout(resolve, 0));
        }
        await swap;
        for (const ids of seen) check(sets.includes(ids), "a reader saw neither the old set nor the new one", ids);
        equal(await idsIn(store, deployment), sets[(round + 1) % 2], "the set after the swap");
      }
    },
  ],
  [
    "replace-leaves-others-alone",
    "T26 L3",
    async (store) => {
      const other = documentOf("b.md", "beside");
      await store.replace(into(deployment), documentEntryOf(other, [{ text: "beside" }]));
      await store.replace(into(north), oldEntry);
      await store.replace(into(deployment), oldEntry);
      await store.replace(into(deployment), freshEntry);
      equal((await store.document(from(north), old.id))?.document, old, "the same document of another scope");
      equal((await collect(store.chunks(from(north)))).length, 3, "its chunks");
      equal((await store.document(from(deployment), other.id))?.document, other, "another document of the scope");
    },
  ],
  [
    "replaced-chunks-do-not-come-back",
    "T13 L8",
    async (store) => {
      await store.replace(into(deployment), oldEntry);
      await store.replace(into(deployment), freshEntry);
      await store.delete(into(deployment), { documentIds: [old.id] });
      if (!store.capabilities.trash) return;
      equal(await store.trash!.restore(into(deployment), { documentIds: [old.id] }), 3, "chunks that came back");
      equal((await store.document(from(deployment), old.id))?.document, fresh, "the document that came back");
      equal(
        await idsIn(store, deployment),
        freshEntry.chunks
          .map(({ chunk }) => chunk.id)
          .toSorted()
          .join(" "),
        "its chunks",
      );
    },
  ],
];

/** The text that a model embeds: title, headings and text, a line each; each name once. */
function namedText({ title, headings, text }: Chunk): string {
  return [...new Set([title, ...headings])]
    .filter((name) => name.trim() !== "")
    .concat(text)
    .join("\n");
}

import { systemAuthority } from "../access/gate.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { StoredChunk } from "../contracts/store.ts";
import type { ChunkEntry } from "../contracts/document-store.ts";
import { check, collect, equal, scribble, throwsCode } from "./assert.ts";
import {
  chunkOf,
  deployment,
  entryOf,
  from,
  into,
  north,
  plane,
  south,
  versionOf,
  wordsOf,
  writeChunks,
} from "./store-fixtures.ts";
import { idsIn } from "./store-case.ts";
import type { StoreCase } from "./store-case.ts";

/** Contract of a store of chunks about taking chunks in. */
export const chunkWritingCases: readonly StoreCase[] = [
  [
    "starts-empty",
    "B17",
    async (store) => {
      await store.ready();
      equal(await collect(store.chunks(from(deployment, north))), [], "chunks of an empty store");
      equal(await store.scopes(systemAuthority()), [], "scopes of an empty store");
    },
  ],
  [
    "keeps-what-it-was-given",
    "B7 B8 B10 B18 T6",
    async (store) => {
      const chunk: Chunk = {
        ...chunkOf("full", {
          text: "# Title: T\n\nwords",
          urtext: "words",
          start: 12,
          metadata: { a: [1, { b: null }], c: "x" },
        }),
        headings: ["Outer", "Inner"],
        sectionId: "0.1.2",
        page: 3,
        line: 7,
        language: "nl",
        origin: "note",
      };
      await writeChunks(store, into(north), [{ chunk, embeddings: [] }]);
      const [stored] = await collect(store.chunks(from(north)));
      equal(stored, { scope: north, chunk }, "the stored chunk");
    },
  ],
  [
    "same-id-replaces",
    "B18 W15",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "first")]);
      await writeChunks(store, into(deployment), [wordsOf("a", "second")]);
      const stored = await collect(store.chunks(from(deployment)));
      equal(
        stored.map(({ chunk }) => chunk.text),
        ["second"],
        "texts after the same id was written twice",
      );
    },
  ],
  [
    "identity-is-scope-and-id",
    "T8 T26 L3",
    async (store) => {
      await writeChunks(store, into(north), [wordsOf("a", "northern")]);
      await writeChunks(store, into(south), [wordsOf("a", "southern")]);
      equal((await collect(store.chunks(from(north)))).map(textOf), ["northern"], "the northern chunk");
      equal((await collect(store.chunks(from(south)))).map(textOf), ["southern"], "the southern chunk");
      equal((await store.delete(into(north), { ids: ["a"] })).chunks, 1, "chunks deleted in the north");
      equal(await idsIn(store, north, south), "a", "chunks left");
    },
  ],
  [
    "blank-id-refused-whole-batch",
    "W16 W37 B26",
    async (store) => {
      for (const id of ["", " ", "\t\n", "\u00A0\u2003", "nul\u0000", "\uD800"]) {
        const batch = inOne(wordsOf("good", "kept out too"), wordsOf(id, "blank"));
        await throwsCode(
          () => writeChunks(store, into(deployment), batch),
          "invalid-id",
          `a chunk with the id ${JSON.stringify(id)}`,
        );
      }
      equal(await idsIn(store, deployment), "", "ids after refused batches");
    },
  ],
  [
    "dimension-mismatch-refused-whole-batch",
    "W12 W15 W36 B26 T19 L6",
    async (store) => {
      const batch = inOne(entryOf("good", [1, 0]), entryOf("bad", [1, 0, 0]));
      const error = await throwsCode(
        () => writeChunks(store, into(deployment), batch),
        "dimension-mismatch",
        "a batch with a longer vector",
      );
      equal([error.details["expected"], error.details["got"]], [2, 3], "details.expected and details.got");
      equal(await idsIn(store, deployment), "", "ids after a refused batch");
      const late = {
        ...entryOf("late", [1, 0]),
        embeddings: [...entryOf("x", [1, 0]).embeddings, { version: versionOf(3), embedding: [1] }],
      };
      await throwsCode(
        () => writeChunks(store, into(deployment), [late]),
        "dimension-mismatch",
        "a wrong second vector",
      );
      equal(await idsIn(store, deployment), "", "ids after a refused batch");
    },
  ],
  [
    "numbers-that-are-none-refused",
    "L5 W14",
    async (store) => {
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
        const batch = inOne(entryOf("good", [1, 0]), entryOf("bad", [bad, 0]));
        await throwsCode(() => writeChunks(store, into(deployment), batch), notFinite, `a vector with ${bad}`);
      }
      equal(await idsIn(store, deployment), "", "ids after refused batches");
    },
  ],
  [
    "kinds-as-declared",
    "B12 B25 B26",
    async (store) => {
      const vectors = {
        dense: [3, 4],
        sparse: { indices: [2, 9], values: [1, 2] },
        hybrid: { dense: [3, 4], sparse: { indices: [2, 9], values: [1, 2] } },
      } as const;
      for (const kind of ["dense", "sparse", "hybrid"] as const) {
        const version = versionOf(kind === "sparse" ? 0 : 2, kind);
        const entry = entryOf(kind, vectors[kind], {}, version);
        if (store.capabilities.embeddings.includes(kind)) {
          await writeChunks(store, into(deployment), [entry]);
          const stored = await collect(store.chunks(from(deployment), { includeEmbeddings: true }));
          const found = stored.find(({ chunk }) => chunk.id === kind);
          equal(found?.embeddings, entry.embeddings, `the ${kind} vector as it comes back`);
        } else {
          const batch = inOne(wordsOf("beside", "not stored either"), entry);
          await throwsCode(() => writeChunks(store, into(deployment), batch), "unsupported", `a ${kind} vector`);
          check(!(await idsIn(store, deployment)).includes("beside"), "part of a refused batch was stored");
        }
      }
    },
  ],
  [
    "vectors-only-on-request",
    "W15 W39 B34 L4",
    async (store) => {
      const entry = entryOf("a", new Float32Array([0.5, -2]));
      await writeChunks(store, into(deployment), [{ ...entry, chunk: { ...entry.chunk, embedding: [0.5, -2] } }]);
      const [bare] = await collect(store.chunks(from(deployment)));
      check(bare !== undefined && bare.embeddings === undefined, "vectors came unasked", bare);
      check(bare.chunk.embedding === undefined, "the chunk still carries its vector", bare.chunk);
      const [full] = await collect(store.chunks(from(deployment), { includeEmbeddings: true }));
      equal(full?.embeddings, [{ version: plane, embedding: [0.5, -2] }], "vectors that were asked for");
    },
  ],
  [
    "input-not-aliased",
    "B27",
    async (store) => {
      const vector = new Float32Array([1, 0]);
      const list = [1, 2];
      const metadata: { -readonly [Key in keyof Metadata]: Metadata[Key] } = { list, name: "before" };
      const entries: ChunkEntry[] = [entryOf("a", vector, { metadata })];
      await writeChunks(store, into(deployment), entries);
      vector[0] = -9;
      list.push(3);
      metadata["name"] = "after";
      entries.length = 0;
      const [stored] = await collect(store.chunks(from(deployment), { includeEmbeddings: true }));
      equal(stored?.chunk.metadata, { list: [1, 2], name: "before" }, "metadata after the caller changed theirs");
      equal(stored?.embeddings?.[0]?.embedding, [1, 0], "the vector after the caller changed theirs");
    },
  ],
  [
    "output-not-aliased",
    "B27",
    async (store) => {
      await writeChunks(store, into(deployment), [entryOf("a", [1, 0], { metadata: { list: [1, 2] } })]);
      const read = async (): Promise<StoredChunk | undefined> =>
        (await collect(store.chunks(from(deployment), { includeEmbeddings: true })))[0];
      const first = (await read()) as StoredChunk;
      scribble(first);
      const second = await read();
      equal(second?.chunk, chunkOf("a", { metadata: { list: [1, 2] } }), "the chunk after a reader changed theirs");
      equal(second?.embeddings?.[0]?.embedding, [1, 0], "the vector after a reader changed theirs");
    },
  ],
  [
    "concurrent-writes-all-land",
    "B31",
    async (store) => {
      const ids = Array.from({ length: 24 }, (_, i) => `c${String(i).padStart(2, "0")}`);
      await Promise.all(
        ids.map((id, i) => writeChunks(store, into(i % 2 === 0 ? deployment : north), [entryOf(id, [i, 1])])),
      );
      equal((await idsIn(store, deployment, north)).split(" ").toSorted(), ids, "ids after concurrent writes");
    },
  ],
  [
    "text-and-ids-kept-exactly",
    "L1",
    async (store) => {
      const texts = ["👩‍👩‍👧 e\u0301 שלום 漢字 𝔘", "a\u0000b", "\uFEFFmark\r\nreturn", "x".repeat(100_000)];
      const ids = ["'; drop table chunks; --", "__proto__", "ünï/çødé 👍", "i".repeat(2000)];
      const entries = texts.map((text, i) => wordsOf(ids[i] ?? "", text));
      await writeChunks(store, into(deployment), entries);
      const stored = await collect(store.chunks(from(deployment)));
      equal(new Map(stored.map(({ chunk }) => [chunk.id, chunk.text])).size, 4, "chunks");
      for (const { chunk } of stored)
        equal(chunk.text, texts[ids.indexOf(chunk.id)], `text of ${chunk.id.slice(0, 30)}`);
    },
  ],
];

const notFinite = ["invalid-argument", "invalid-response"] as const;

/** The entries as chunks of one document, which one transaction writes. */
function inOne(...entries: readonly ChunkEntry[]): readonly ChunkEntry[] {
  return entries.map(({ chunk, embeddings }) => ({ chunk: { ...chunk, documentId: "one" }, embeddings }));
}

function textOf(stored: StoredChunk): string {
  return stored.chunk.text;
}

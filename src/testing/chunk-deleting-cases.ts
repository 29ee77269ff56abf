import { systemAuthority } from "../access/gate.ts";
import type { ListChunksOptions, StoredChunk } from "../contracts/store.ts";
import { check, collect, equal, throwsCode } from "./assert.ts";
import { deployment, entryOf, from, into, north, south, wordsOf, writeChunks } from "./store-fixtures.ts";
import { idsIn } from "./store-case.ts";
import type { StoreCase } from "./store-case.ts";

/** Contract of a store of chunks about letting them go, and taking that back. */
export const chunkDeletingCases: readonly StoreCase[] = [
  [
    "delete-hides-at-once",
    "T13 B17 W38 L8",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "one"), wordsOf("b", "two"), wordsOf("c", "three")]);
      equal((await store.delete(into(deployment), { ids: ["a", "c"] })).chunks, 2, "chunks deleted");
      equal(await idsIn(store, deployment), "b", "chunks left");
    },
  ],
  [
    "delete-idempotent",
    "W38 W15 B30",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "one")]);
      equal((await store.delete(into(deployment), { ids: ["a"] })).chunks, 1, "first delete");
      equal((await store.delete(into(deployment), { ids: ["a"] })).chunks, 0, "second delete");
      equal((await store.delete(into(deployment), { ids: ["never"] })).chunks, 0, "delete of an unknown id");
      equal((await store.delete(into(north), { ids: ["a"] })).chunks, 0, "delete in a scope that holds nothing");
      equal((await store.delete(into(deployment), { ids: [] })).chunks, 0, "delete of no ids");
    },
  ],
  [
    "delete-on-missing-error",
    "B30",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "one")]);
      const error = await throwsCode(
        () => store.delete(into(deployment), { ids: ["a", "never-seen"] }, { onMissing: "error" }),
        "not-found",
        "delete with onMissing: error",
      );
      check(error.message.includes("never-seen"), "the error names the id that is missing", error.message);
      equal(await idsIn(store, deployment), "a", "chunks after the refused delete");
      equal(
        (await store.delete(into(deployment), { ids: ["a"] }, { onMissing: "error" })).chunks,
        1,
        "delete of what is there",
      );
    },
  ],
  [
    "delete-by-document-and-filter",
    "T5 B35 L8",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "one", { documentId: "d1", metadata: { year: 1 } }),
        wordsOf("b", "two", { documentId: "d1", metadata: { year: 2 } }),
        wordsOf("c", "three", { documentId: "d2", metadata: { year: 2 } }),
        wordsOf("d", "four", { documentId: "d3", metadata: {} }),
      ]);
      await writeChunks(store, into(north), [wordsOf("a", "other", { documentId: "d1", metadata: { year: 2 } })]);
      equal((await store.delete(into(deployment), { documentIds: ["d1", "none"] })).chunks, 2, "chunks of document d1");
      equal(
        (await store.delete(into(deployment), { filter: { op: "eq", key: "year", value: 2 } })).chunks,
        1,
        "chunks of year 2",
      );
      equal(await idsIn(store, deployment), "d", "chunks left");
      equal(await idsIn(store, north), "a", "chunks of the other scope");
    },
  ],
  [
    "reset-scope-for-good",
    "T15 T5 L8",
    async (store) => {
      await writeChunks(store, into(north), [wordsOf("a", "one"), wordsOf("b", "two")]);
      await writeChunks(store, into(south), [wordsOf("a", "kept")]);
      equal((await store.delete(into(north), { scope: true })).chunks, 2, "chunks of the scope");
      equal(await idsIn(store, north), "", "chunks left in it");
      equal(await idsIn(store, south), "a", "chunks of the other scope");
      if (store.capabilities.trash) {
        equal(await store.trash!.restore(into(north), { ids: ["a", "b"] }), 0, "chunks restored after a reset");
      }
      equal(await idsIn(store, north), "", "chunks after the attempt to restore");
      await writeChunks(store, into(north), [wordsOf("c", "new")]);
      equal(await idsIn(store, north), "c", "chunks written after the reset");
    },
  ],
  [
    "restore-as-declared",
    "T13 T5",
    async (store) => {
      const entry = entryOf("a", [3, 4], { documentId: "d1", metadata: { kept: true } });
      await writeChunks(store, into(deployment), [entry, wordsOf("b", "two", { documentId: "d2" })]);
      await store.delete(into(deployment), { ids: ["a"] });
      equal(store.capabilities.trash, store.trash !== undefined, "trash is there as declared");
      if (!store.trash) return;
      equal(await store.trash.restore(into(north), { ids: ["a"] }), 0, "restored in another scope");
      equal(await store.trash.restore(into(deployment), { ids: ["a", "b", "never"] }), 1, "restored by id");
      equal(await store.trash.restore(into(deployment), { ids: ["a"] }), 0, "restored again");
      const [back] = await collect(store.chunks(from(deployment), { includeEmbeddings: true }));
      equal(back, { scope: deployment, ...entry }, "the chunk that came back");
      await store.delete(into(deployment), { documentIds: ["d1", "d2"] });
      equal(await store.trash.restore(into(deployment), { documentIds: ["d1"] }), 1, "restored by document");
      equal(await idsIn(store, deployment), "a", "chunks after the restore");
    },
  ],
  [
    "lists-deleted-chunks-on-request",
    "T5 T13",
    async (store) => {
      const entries = [wordsOf("a", "one"), entryOf("b", [3, 4], { metadata: { year: 1 } }), wordsOf("c", "three")];
      await writeChunks(store, into(deployment), entries);
      await writeChunks(store, into(north), [wordsOf("b", "other")]);
      await store.delete(into(deployment), { ids: ["b"] });
      await store.delete(into(north), { ids: ["b"] });
      const listed = async (options: ListChunksOptions): Promise<string> => {
        const found = await collect(store.chunks(from(deployment), options));
        return found.map(({ chunk, deletedAt }) => `${chunk.id}${deletedAt === undefined ? "" : "!"}`).join(" ");
      };
      equal(await listed({}), "a c", "live chunks");
      equal(await listed({ includeDeleted: false }), "a c", "without the deleted");
      if (!store.capabilities.trash) return equal(await listed({ includeDeleted: true }), "a c", "nothing is kept");
      equal(await listed({ includeDeleted: true }), "a b! c", "with the deleted");
      equal(await listed({ includeDeleted: true, ids: ["c", "b"] }), "b! c", "of these ids");
      equal(await listed({ includeDeleted: true, filter: { op: "eq", key: "year", value: 1 } }), "b!", "by filter");
      const [deleted] = await collect(
        store.chunks(from(deployment), { includeDeleted: true, includeEmbeddings: true, ids: ["b"] }),
      );
      equal(deleted, { scope: deployment, ...entries[1]!, deletedAt: deleted!.deletedAt! }, "the deleted chunk");
      check(!Number.isNaN(Date.parse(deleted!.deletedAt!)), "deletedAt is a time", deleted!.deletedAt);
      await store.trash!.restore(into(deployment), { ids: ["b"] });
      equal(await listed({ includeDeleted: true }), "a b c", "after the restore");
      await store.delete(into(deployment), { ids: ["b"] }, { purge: true });
      equal(await listed({ includeDeleted: true }), "a c", "after a purge");
    },
  ],
  [
    "purge-is-for-good",
    "T14 L8",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "one"), wordsOf("b", "two")]);
      equal((await store.delete(into(deployment), { ids: ["a"] }, { purge: true })).chunks, 1, "chunks purged");
      equal(await idsIn(store, deployment), "b", "chunks left");
      if (store.capabilities.trash) equal(await store.trash!.restore(into(deployment), { ids: ["a"] }), 0, "restored");
      equal(await idsIn(store, deployment), "b", "chunks after the attempt to restore");
    },
  ],
  [
    "write-after-delete-wins",
    "T13 B18",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "old")]);
      await store.delete(into(deployment), { ids: ["a"] });
      await writeChunks(store, into(deployment), [wordsOf("a", "new")]);
      if (store.capabilities.trash) equal(await store.trash!.restore(into(deployment), { ids: ["a"] }), 0, "restored");
      equal((await collect(store.chunks(from(deployment)))).map(textOf), ["new"], "texts");
    },
  ],
  [
    "vacuum-takes-what-is-old-enough",
    "T14 T5",
    async (store) => {
      const authority = systemAuthority();
      await writeChunks(store, into(deployment), [wordsOf("a", "one"), wordsOf("b", "two")]);
      await writeChunks(store, into(north), [wordsOf("a", "three")]);
      await store.delete(into(deployment), { ids: ["a"] });
      await store.delete(into(north), { ids: ["a"] });
      if (!store.capabilities.trash) return;
      equal(await store.trash!.vacuum(authority, { olderThanMs: 3_600_000 }), 0, "vacuumed within retention");
      equal(await store.trash!.restore(into(deployment), { ids: ["a"] }), 1, "restored within retention");
      await store.delete(into(deployment), { ids: ["a"] });
      await new Promise((resolve) => void setTimeout(resolve, 10));
      equal(await store.trash!.vacuum(authority, { olderThanMs: 1 }), 2, "vacuumed past retention, in every scope");
      equal(await store.trash!.restore(into(deployment), { ids: ["a"] }), 0, "restored past retention");
      equal(await idsIn(store, deployment, north), "b", "live chunks");
    },
  ],
];

function textOf(stored: StoredChunk): string {
  return stored.chunk.text;
}

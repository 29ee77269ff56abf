import type { BlobStore } from "../contracts/blob-store.ts";
import { check, collect, equal, scribble, throwsCode } from "./assert.ts";
import { blobConditionCases } from "./blob-condition-cases.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * How the pack gets stores, one for each case.
 *
 * @experimental
 */
export interface BlobStoreSubject {
  /** A fresh, empty store; with this limit to a blob's bytes, when one is named. */
  create(maxBytes?: number): Promise<BlobStore> | BlobStore;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);

/** Keys that some file system, address or object would take for one another, or for something else. In the order of UTF-8. */
const awkwardKeys = [
  "%41",
  "%C3%A9",
  "+",
  ".a",
  "...",
  "A",
  "CON",
  "__proto__",
  "a",
  "a b",
  "a b ",
  "a%2Fb",
  "a+",
  "a+b",
  "a.",
  "a/",
  "a/b",
  "a/b/c",
  "a=b&c?d#e",
  "a\\b",
  "a|b:c*d<e>f\"g'h(i)!",
  "a~",
  "con.txt",
  "e\u0301",
  "nul",
  "x".repeat(1024),
  "z".repeat(200),
  "z".repeat(201),
  `${"z".repeat(200)}/z`,
  "é",
  "日本語",
  "\u{ffee}",
  "🦦",
].filter((key) => !key.endsWith("/"));

const noKeys = ["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/.", "a\u0000", "a\nb", "\ud800"];

/**
 * Contract of every {@link BlobStore}: bytes under their own key, one version at a time, conditions kept, and lists in order.
 *
 * @experimental
 */
export function createBlobStorePack(subject: BlobStoreSubject): readonly ContractCase[] {
  checkSubject("createBlobStorePack", subject);
  const cases: readonly CaseDefinition[] = [
    [
      "gives-back-what-was-put",
      "T2",
      async () => {
        const store = await subject.create();
        equal(await store.get("a"), undefined, "a key that holds nothing");
        equal(await store.head("a"), undefined, "the facts of a key that holds nothing");
        const every = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
        for (const [key, bytes] of [
          ["empty", new Uint8Array()],
          ["every/byte", every],
        ] as const) {
          const put = await store.put(key, bytes);
          check(put.status === "written" && put.etag !== "", `put of ${key} gives a version`, put);
          equal(await store.get(key), { key, size: bytes.length, etag: put.etag, bytes }, `the blob ${key}`);
          equal(await store.head(key), { key, size: bytes.length, etag: put.etag }, `the facts of ${key}`);
        }
      },
    ],
    [
      "keys-apart",
      "T2",
      async () => {
        const store = await subject.create();
        for (const key of awkwardKeys) await store.put(key, bytesOf(`in ${key}`));
        for (const key of awkwardKeys) equal(textOf((await store.get(key))?.bytes), `in ${key}`, `the key ${key}`);
        const listed = await collect(store.list());
        const keys = listed.map(({ key }) => key);
        equal(keys, awkwardKeys.toSorted(byUtf8), "the list");
      },
    ],
    [
      "refuses-what-is-no-key",
      "T2",
      async () => {
        const store = await subject.create();
        for (const key of [...noKeys, "x".repeat(1025), "é".repeat(513)]) {
          const shown = JSON.stringify(key.slice(0, 20));
          await throwsCode(() => store.put(key, bytesOf("x")), "invalid-argument", `put to ${shown}`);
          await throwsCode(() => store.get(key), "invalid-argument", `get of ${shown}`);
          await throwsCode(() => store.head(key), "invalid-argument", `head of ${shown}`);
          await throwsCode(() => store.delete(key), "invalid-argument", `delete of ${shown}`);
        }
        equal(await collect(store.list()), [], "the list after refused keys");
      },
    ],
    [
      "refuses-unknown-options",
      "T2",
      async () => {
        const store = await subject.create();
        const wrong = { prefixes: "a" } as object;
        await throwsCode(() => store.put("a", bytesOf("x"), wrong), "invalid-argument", "put with an unknown option");
        await throwsCode(() => collect(store.list(wrong)), "invalid-argument", "list with an unknown option");
        await throwsCode(() => store.put("a", "text" as never), "invalid-argument", "put of a text");
        equal(await store.head("a"), undefined, "what a refused put left");
      },
    ],
    [
      "takes-the-place-of-what-was-there",
      "T2",
      async () => {
        const store = await subject.create();
        const first = await store.put("a", bytesOf("first, and longer"));
        const second = await store.put("a", bytesOf("second"));
        check(first.etag !== second.etag, "two versions of different bytes have different etags", first);
        const found = await store.get("a");
        equal([textOf(found?.bytes), found?.etag], ["second", second.etag], "the blob after a second put");
        equal(await collect(store.list()), [{ key: "a", size: 6 }], "the list after a second put");
      },
    ],
    ...blobConditionCases(subject),
    [
      "deletes",
      "T2",
      async () => {
        const store = await subject.create();
        for (const key of ["a", "a/b", "a/bc", "b"]) await store.put(key, bytesOf(key));
        await store.delete("a/b");
        equal(await store.get("a/b"), undefined, "what was deleted");
        equal(await store.head("a/b"), undefined, "the facts of what was deleted");
        await store.delete("a/b");
        await store.delete("never/there");
        const keys = (await collect(store.list())).map(({ key }) => key);
        equal(keys, ["a", "a/bc", "b"], "what is left");
        await store.put("a/b", bytesOf("again"));
        equal(textOf((await store.get("a/b"))?.bytes), "again", "what was put where something was deleted");
      },
    ],
    [
      "lists-in-order",
      "T2",
      async () => {
        const store = await subject.create();
        const all = Array.from({ length: 24 }, (_, i) => `p${i % 3}/${String(i).padStart(2, "0")}`);
        for (const key of [...all, "p", "p1", "p1x/1"]) await store.put(key, bytesOf(key));
        const keys = async (options?: object): Promise<string[]> => {
          const listed = await collect(store.list(options));
          for (const { key, size } of listed) equal(size, bytesOf(key).length, `the size of ${key}`);
          return listed.map(({ key }) => key);
        };
        const sorted = [...all, "p", "p1", "p1x/1"].toSorted(byUtf8);
        equal(await keys(), sorted, "the whole list");
        equal(
          await keys({ prefix: "p1" }),
          sorted.filter((key) => key.startsWith("p1")),
          "a prefix",
        );
        equal(
          await keys({ prefix: "p1/" }),
          sorted.filter((key) => key.startsWith("p1/")),
          "a prefix like a folder",
        );
        equal(await keys({ prefix: "p1/1" }), ["p1/10", "p1/13", "p1/16", "p1/19"], "a prefix within a part");
        equal(await keys({ prefix: "nothing" }), [], "a prefix of nothing");
        equal(await keys({ prefix: "../" }), [], "a prefix that no key has");
        equal(
          await keys({ after: "p1" }),
          sorted.filter((key) => byUtf8(key, "p1") > 0),
          "after a key",
        );
        equal(
          await keys({ prefix: "p2/", after: "p2/1" }),
          sorted.filter((key) => key.startsWith("p2/") && byUtf8(key, "p2/1") > 0),
          "after one that is not there",
        );
        equal(await keys({ prefix: "p0/", after: "q" }), [], "after the end");
      },
    ],
    [
      "lists-from-where-it-was-left",
      "T2",
      async () => {
        const store = await subject.create();
        const all = Array.from({ length: 20 }, (_, i) => `k${String(i).padStart(2, "0")}`);
        for (const key of all) await store.put(key, bytesOf("x"));
        const seen: string[] = [];
        while (seen.length < all.length) {
          const before = seen.length;
          const after = seen.at(-1);
          for await (const { key } of store.list(after === undefined ? {} : { after })) {
            seen.push(key);
            if (seen.length === before + 3) break;
          }
          check(seen.length > before, "a list that was left goes on", seen);
        }
        equal(seen, all, "what was seen, three at a time");
      },
    ],
    [
      "not-aliased",
      "B27",
      async () => {
        const store = await subject.create();
        const given = bytesOf("given");
        const put = store.put("a", given);
        scribble(given);
        await put;
        const first = await store.get("a");
        equal(textOf(first?.bytes), "given", "the bytes after the caller changed theirs");
        scribble(first?.bytes);
        equal(textOf((await store.get("a"))?.bytes), "given", "the bytes after a reader changed theirs");
      },
    ],
    [
      "bounds-what-it-takes",
      "T2",
      async () => {
        const store = await subject.create(10);
        await store.put("a", bytesOf("0123456789"));
        await throwsCode(() => store.put("a", bytesOf("0123456789a")), "too-large", "a blob of one byte too many");
        equal(textOf((await store.get("a"))?.bytes), "0123456789", "what a refused put left");
      },
    ],
    [
      "stops-when-told",
      "T2",
      async () => {
        const store = await subject.create();
        await store.put("a", bytesOf("here"));
        const signal = AbortSignal.abort();
        await throwsCode(() => store.put("a", bytesOf("there"), { signal }), "aborted", "put");
        await throwsCode(() => store.get("a", { signal }), "aborted", "get");
        await throwsCode(() => store.head("a", { signal }), "aborted", "head");
        await throwsCode(() => store.delete("a", { signal }), "aborted", "delete");
        await throwsCode(() => collect(store.list({ signal })), "aborted", "list");
        equal(textOf((await store.get("a"))?.bytes), "here", "what stopped calls left");
      },
    ],
    [
      "whole-versions-only",
      "L8",
      async () => {
        const store = await subject.create();
        const version = (letter: number): Uint8Array => new Uint8Array(50_000 + letter).fill(letter);
        await store.put("a", version(65));
        const writing = Array.from({ length: 8 }, (_, i) => store.put("a", version(66 + i)));
        const state = { isWriting: true };
        const written = Promise.all(writing).finally(() => (state.isWriting = false));
        while (state.isWriting) {
          const found = await store.get("a");
          const letter = found?.bytes[0] ?? 0;
          check(found !== undefined && isSame(found.bytes, version(letter)), "a reader sees one version whole", letter);
          // Promises alone would not let a timer or the network have its turn.
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
        await written;
      },
    ],
  ];
  return defineCases("blob-store", cases);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function byUtf8(a: string, b: string): number {
  const [left, right] = [bytesOf(a), bytesOf(b)];
  const at = left.findIndex((byte, i) => byte !== right[i]);
  return at === -1 ? left.length - right.length : at >= right.length ? 1 : (left[at] ?? 0) - (right[at] ?? 0);
}

import { describe } from "vitest";
import type { BlobStore } from "../../src/contracts/blob-store.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { collect } from "../../src/testing/assert.ts";
import { createBlobStorePack } from "../../src/testing/blob-store-pack.ts";
import type { BlobStoreSubject } from "../../src/testing/blob-store-pack.ts";
import { runMutants } from "./mutants.ts";

/** The store in memory, but for what is changed. */
const but = (change: (good: BlobStore) => Partial<BlobStore>): BlobStoreSubject => ({
  create(maxBytes) {
    const good = createMemoryBlobStore(maxBytes === undefined ? {} : { maxBytes });
    return { ...good, ...change(good) };
  },
});

/** Keys as something in between writes them. */
const keyed = (rename: (key: string) => string): BlobStoreSubject =>
  but((good) => ({
    put: (key, bytes, options) => good.put(rename(key), bytes, options),
    get: async (key, options) => {
      const found = await good.get(rename(key), options);
      return found && { ...found, key };
    },
  }));

const without = (name: string, options: object = {}): object =>
  Object.fromEntries(Object.entries(options).filter(([key]) => key !== name));

/** Looks first and writes later, as two steps. */
const twoSteps = (good: BlobStore): Partial<BlobStore> => ({
  async put(key, bytes, { ifNoneMatch, ifMatch, ...rest } = {}) {
    if (ifNoneMatch !== undefined && ifMatch !== undefined) return good.put(key, bytes, { ifNoneMatch, ifMatch });
    if (ifMatch !== undefined && !/^"\d+"$/u.test(ifMatch)) return good.put(key, bytes, { ifMatch });
    const found = await good.head(key);
    if (ifNoneMatch !== undefined && found !== undefined) return { status: "conflict" };
    if (ifMatch !== undefined && found?.etag !== ifMatch) return { status: "conflict" };
    return good.put(key, bytes, rest);
  },
});

describe("the blob store pack notices a store with one fault [T2]", () => {
  runMutants(createBlobStorePack, [
    [
      "empty blobs that are as good as none",
      "blob-store/gives-back-what-was-put",
      but((good) => ({
        get: async (key, options) => {
          const found = await good.get(key, options);
          return found?.size === 0 ? undefined : found;
        },
      })),
    ],
    [
      "another version from head than from put",
      "blob-store/gives-back-what-was-put",
      but((good) => ({
        head: async (key, options) => {
          const found = await good.head(key, options);
          return found && { ...found, etag: `W/${found.etag}` };
        },
      })),
    ],
    ["capitals that are small", "blob-store/keys-apart", keyed((key) => key.toLowerCase())],
    ["accents composed", "blob-store/keys-apart", keyed((key) => (key.isWellFormed() ? key.normalize("NFC") : key))],
    ["a plus that is a space", "blob-store/keys-apart", keyed((key) => key.replaceAll("+", " "))],
    ["parts cut at 200", "blob-store/keys-apart", keyed((key) => key.replaceAll(/([^/]{200})[^/]+/gu, "$1"))],
    ["a way up", "blob-store/refuses-what-is-no-key", keyed((key) => key.replaceAll(/(?<=^|\/)\.\.(?=\/|$)/gu, "up"))],
    [
      "options that nobody reads",
      "blob-store/refuses-unknown-options",
      but((good) => ({ list: ({ prefix } = {}) => good.list(prefix === undefined ? {} : { prefix }) })),
    ],
    [
      "one version for ever",
      "blob-store/takes-the-place-of-what-was-there",
      but((good) => ({
        put: async (key, bytes, options) => {
          const put = await good.put(key, bytes, options);
          return put.status === "written" ? { ...put, etag: '"1"' } : put;
        },
      })),
    ],
    [
      "a first write that stays",
      "blob-store/takes-the-place-of-what-was-there",
      but((good) => ({
        put: async (key, bytes, options) => {
          const found = await good.head(key);
          if (found === undefined) return good.put(key, bytes, options);
          return { status: "written", etag: `${found.etag}+` };
        },
      })),
    ],
    [
      "a creation that replaces",
      "blob-store/creates-only-where-nothing-is",
      but((good) => ({
        put: (key, bytes, { ifNoneMatch, ...rest } = {}) =>
          good.put(
            key,
            bytes,
            ifNoneMatch !== undefined && rest.ifMatch !== undefined ? { ifNoneMatch, ...rest } : rest,
          ),
      })),
    ],
    [
      "a condition that nobody reads",
      "blob-store/replaces-only-the-version-it-knows",
      but((good) => ({ put: (key, bytes, options) => good.put(key, bytes, without("ifMatch", options)) })),
    ],
    [
      "a match where nothing is",
      "blob-store/replaces-only-the-version-it-knows",
      but((good) => ({
        put: async (key, bytes, options = {}) => {
          const there = await good.head(key);
          return there === undefined ? good.put(key, bytes) : good.put(key, bytes, options);
        },
      })),
    ],
    [
      "the last of two conditions",
      "blob-store/refuses-conditions-that-are-none",
      but((good) => ({
        put: (key, bytes, { ifNoneMatch, ...rest } = {}) =>
          good.put(
            key,
            bytes,
            rest.ifMatch !== undefined || ifNoneMatch === undefined ? rest : { ifNoneMatch, ...rest },
          ),
      })),
    ],
    ["a look and then a write, for creators", "blob-store/one-of-many-creates", but(twoSteps)],
    ["a look and then a write, for those who know", "blob-store/counts-every-step-of-many", but(twoSteps)],
    ["nothing deleted", "blob-store/deletes", but(() => ({ delete: () => Promise.resolve() }))],
    [
      "everything below deleted as well",
      "blob-store/deletes",
      but((good) => ({
        async delete(key, options) {
          for await (const each of good.list({ prefix: key })) await good.delete(each.key, options);
        },
      })),
    ],
    [
      "no order",
      "blob-store/lists-in-order",
      but((good) => ({
        async *list(options) {
          yield* (await collect(good.list(options))).toReversed();
        },
      })),
    ],
    [
      "the first page alone",
      "blob-store/lists-in-order",
      but((good) => ({
        async *list(options) {
          yield* (await collect(good.list(options))).slice(0, 7);
        },
      })),
    ],
    [
      "a prefix that is a folder",
      "blob-store/lists-in-order",
      but((good) => ({
        async *list(options = {}) {
          const { prefix } = options;
          const folder = prefix === undefined || prefix.endsWith("/") ? prefix : `${prefix}/`;
          yield* good.list({ ...options, ...(folder === undefined ? {} : { prefix: folder }) });
        },
      })),
    ],
    [
      "the key that a list goes on from, again",
      "blob-store/lists-from-where-it-was-left",
      but((good) => ({
        async *list(options = {}) {
          const { after, ...rest } = options;
          for await (const each of good.list(rest)) if (after === undefined || each.key >= after) yield each;
        },
      })),
    ],
    [
      "the caller's own bytes, kept",
      "blob-store/not-aliased",
      but((good) => {
        const kept = new Map<string, Uint8Array>();
        return {
          put: (key, bytes, options) => (kept.set(key, bytes), good.put(key, bytes, options)),
          get: async (key, options) => {
            const found = await good.get(key, options);
            return found && { ...found, bytes: kept.get(key) ?? found.bytes };
          },
        };
      }),
    ],
    ["no limit", "blob-store/bounds-what-it-takes", { create: () => createMemoryBlobStore() }],
    ["a deaf reader", "blob-store/stops-when-told", but((good) => ({ get: (key) => good.get(key) }))],
    [
      "a deaf writer",
      "blob-store/stops-when-told",
      but((good) => ({ put: (key, bytes, options) => good.put(key, bytes, without("signal", options)) })),
    ],
    [
      "a version in two halves",
      "blob-store/whole-versions-only",
      but((good) => ({
        async put(key, bytes, options) {
          const before = await good.get(key);
          if (before !== undefined) {
            const mixed = new Uint8Array(bytes);
            mixed.set(before.bytes.subarray(0, 100));
            await good.put(key, mixed);
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          return good.put(key, bytes, options);
        },
      })),
    ],
  ]);
});

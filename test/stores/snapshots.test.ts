import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createMemoryBlobStore, type BlobStore, type Store } from "../../src/stores/index.node.ts";
import type { IbidError } from "../../src/contracts/errors.ts";
import { systemAuthority } from "../../src/access/gate.ts";
import { openSnapshotStore } from "../../src/stores/snapshot/snapshot-store.ts";
import { decodeRows, encodeRows } from "../../src/stores/snapshot/snapshot-rows.ts";
import { collect } from "../../src/testing/assert.ts";
import { deployment, from, into, north, wordsOf, writeChunks } from "../../src/testing/store-fixtures.ts";
import { createClock } from "../support/clock.ts";

const open = (blobs: BlobStore, more: object = {}): Promise<Store> =>
  openSnapshotStore({ snapshots: { blobs, clock: createClock(0).clock, ...more } });
const ids = async (store: Store): Promise<string> =>
  (await collect(store.chunks(from(deployment, north)))).map(({ chunk }) => chunk.id).join(" ");
const write = (store: Store, ...named: readonly string[]): Promise<unknown> =>
  writeChunks(
    store,
    into(deployment),
    named.map((id) => wordsOf(id, `the ${id}`)),
  );
const keysIn = async (blobs: BlobStore): Promise<string[]> => (await collect(blobs.list())).map(({ key }) => key);
const settled = (): Promise<unknown> => new Promise((resolve) => void setTimeout(resolve, 0));

/** Blobs that count what is asked of them, and fail as they are told to. */
function watched(blobs: BlobStore, fail: (what: "before" | "after", call: number, verb: string) => void = () => {}) {
  let calls = 0;
  const puts: string[] = [];
  const through =
    <Args extends readonly unknown[], Result>(verb: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const mine = ++calls;
      fail("before", mine, verb);
      if (verb === "put") puts.push(String(args[0]));
      const result = await call(...args);
      fail("after", mine, verb);
      return result;
    };
  return {
    ...blobs,
    head: through("head", (...call: Parameters<BlobStore["head"]>) => blobs.head(...call)),
    get: through("get", (...call: Parameters<BlobStore["get"]>) => blobs.get(...call)),
    put: through("put", (...call: Parameters<BlobStore["put"]>) => blobs.put(...call)),
    delete: through("delete", (...call: Parameters<BlobStore["delete"]>) => blobs.delete(...call)),
    puts,
    calls: () => calls,
  };
}

describe("when a snapshot is saved", () => {
  it("five seconds after the first change, with all that came meanwhile, and again for what came later [T11]", async () => {
    const time = createClock(0);
    const blobs = createMemoryBlobStore();
    const store = await openSnapshotStore({ snapshots: { blobs, clock: time.clock } });
    await write(store, "a");
    await time.pass(4000);
    await write(store, "b");
    await settled();
    expect(await keysIn(blobs)).toEqual([]);
    await time.pass(1000);
    await settled();
    expect(await ids(await open(blobs))).toBe("a b");
    expect(time.isWaiting()).toBe(false);
    await write(store, "c");
    expect(time.isWaiting()).toBe(true);
    await store.close();
    expect(time.isWaiting()).toBe(false);
    expect(await ids(await open(blobs))).toBe("a b c");
  });

  it("only what changed is written, and what nobody needs is deleted [T11]", async () => {
    const blobs = watched(createMemoryBlobStore());
    const store = await open(blobs);
    await write(store, ...Array.from({ length: 3000 }, (_, i) => `chunk${i}`));
    await store.upkeep!.settle();
    await store.close();
    const many = blobs.puts.length;
    const before = await keysIn(blobs);
    const again = await open(blobs);
    await write(again, "one more");
    await again.close();
    // The first part is written twice, which proves that the blob store honours conditions.
    expect(blobs.puts.length - many).toBeLessThanOrEqual(4);
    expect(new Set(blobs.puts.slice(many)).size).toBeLessThanOrEqual(3);
    expect(before.length).toBeGreaterThanOrEqual(5);
    const after = await keysIn(blobs);
    expect(after.filter((key) => !before.includes(key)).length).toBeLessThanOrEqual(3);
    expect(after.length).toBeLessThanOrEqual(before.length + 2);
  });

  it("a purge and a reset are saved at once, and their words are in no blob [T15 L8]", async () => {
    const blobs = createMemoryBlobStore();
    const store = await open(blobs);
    await writeChunks(store, into(deployment), [wordsOf("a", "xylophonezanzibar"), wordsOf("b", "otter")]);
    await writeChunks(store, into(north), [wordsOf("n", "quagmirequartz")]);
    await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
    const holds = async (word: string): Promise<boolean> => {
      for (const key of await keysIn(blobs))
        if (Buffer.from((await blobs.get(key))?.bytes ?? []).includes(word)) return true;
      return false;
    };
    expect(await Promise.all(["xylophonezanzibar", "quagmirequartz"].map(holds))).toEqual([true, true]);
    await store.delete(into(deployment), { documentIds: ["of a"] }, { purge: true });
    await store.delete(into(north), { scope: true });
    expect(await Promise.all(["xylophonezanzibar", "quagmirequartz", "otter"].map(holds))).toEqual([
      false,
      false,
      true,
    ]);
    expect(await ids(await open(blobs))).toBe("b");
    await store.close();
  });

  it("what fails is told and tried again; closing says when it could not be saved [T11 T12 L9]", async () => {
    const time = createClock(0);
    let isDown = false;
    const inner = createMemoryBlobStore();
    const blobs = watched(inner, (_, __, verb) => {
      if (isDown && verb === "put") throw new Error("the disk is full");
    });
    const errors: string[] = [];
    const store = await openSnapshotStore({
      snapshots: { blobs, clock: time.clock, onError: (error) => errors.push(String(error)) },
    });
    isDown = true;
    await write(store, "a");
    await time.pass(5000);
    await settled();
    expect(errors).toEqual(["Error: the disk is full"]);
    expect(await ids(store)).toBe("a");
    isDown = false;
    await time.pass(5000);
    await settled();
    expect(await ids(await open(inner))).toBe("a");
    isDown = true;
    await write(store, "b");
    await expect(store.close()).rejects.toThrow("the disk is full");
    expect(await ids(await open(inner))).toBe("a");
  });

  it("every write after another process saved its own is refused, and so is closing what is unsaved [L8 L9]", async () => {
    const blobs = createMemoryBlobStore();
    const [first, second] = [await open(blobs), await open(blobs)];
    await write(first, "a");
    await first.close();
    await write(second, "b");
    await expect(second.trash!.vacuum(systemAuthority(), { olderThanMs: 0 })).rejects.toMatchObject({
      code: "store-failed",
      details: { reason: "overtaken" },
      hint: expect.stringContaining("one process at a time"),
    });
    await expect(write(second, "c")).rejects.toMatchObject({ details: { reason: "overtaken" } });
    expect(await ids(second)).toBe("b");
    await expect(second.close()).rejects.toMatchObject({ details: { reason: "overtaken" } });
    expect(await ids(await open(blobs))).toBe("a");
  });
});

it("a blob store that ignores conditions is refused when it is opened, before anything can be written", async () => {
  const blobs = createMemoryBlobStore();
  const careless: BlobStore = { ...blobs, put: (key, bytes) => blobs.put(key, bytes) };
  await expect(open(careless)).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("ignores conditional writes"),
  });
  expect(await collect(blobs.list())).toEqual([]);
  // Opening leaves nothing behind in one that honours them.
  const store = await open(blobs);
  expect(await collect(blobs.list())).toEqual([]);
  await store.close();
});

it("a blob store that ignores conditions only after it was opened gets no snapshot", async () => {
  const blobs = createMemoryBlobStore();
  let isCareless = false;
  const careless: BlobStore = {
    ...blobs,
    put: (key, bytes, options) => blobs.put(key, bytes, isCareless ? {} : options),
  };
  const store = await open(careless);
  isCareless = true;
  await write(store, "a");
  const error: unknown = await store.close().catch((reason: unknown) => reason);
  expect([(error as IbidError).code, (error as IbidError).message]).toEqual([
    "unsupported",
    expect.stringContaining("ignores conditional writes"),
  ]);
  expect(await blobs.get("manifest")).toBe(undefined);
});

describe("whoever is killed while they save", () => {
  it("leaves the snapshot before or the one after, whole, at every step [T12 L8]", async () => {
    const seen = new Set<string>();
    for (const moment of ["before", "after"] as const) {
      for (let call = 1; ; call++) {
        const inner = createMemoryBlobStore();
        const first = await open(inner);
        await write(first, "a", "b");
        await first.close();
        let dies = Infinity;
        const blobs = watched(inner, (when, at) => {
          if (at > dies || (at === dies && when === moment)) throw new Error("killed");
        });
        const store = await open(blobs);
        dies = blobs.calls() + call;
        await store.delete(into(deployment), { ids: ["a"] });
        await write(store, "c");
        const done = await store.close().then(
          () => true,
          () => false,
        );
        const next = await open(inner);
        const left = await ids(next);
        expect(["a b", "b c"]).toContain(left);
        seen.add(left);
        // Whoever comes next writes, and leaves nothing of what was begun and never named.
        await write(next, "d");
        await next.close();
        expect(await ids(await open(inner))).toBe(`${left} d`);
        expect((await keysIn(inner)).length).toBeLessThanOrEqual(4);
        if (done) break;
      }
    }
    expect(seen).toEqual(new Set(["a b", "b c"]));
  });

  it("is not overtaken by itself: a write that arrived and was told to have failed is gone on from [L8]", async () => {
    const time = createClock(0);
    const inner = createMemoryBlobStore();
    let lie = true;
    const blobs: BlobStore = {
      ...inner,
      async put(key, bytes, options) {
        const result = await inner.put(key, bytes, options);
        if (!lie || !key.endsWith("manifest")) return result;
        lie = false;
        throw new Error("the connection broke");
      },
    };
    const store = await openSnapshotStore({ snapshots: { blobs, clock: time.clock } });
    await write(store, "a");
    await time.pass(5000);
    await settled();
    expect(lie).toBe(false);
    await write(store, "b");
    await store.close();
    expect(await ids(await open(inner))).toBe("a b");
  });
});

describe("what cannot be read", () => {
  const kept = async (): Promise<BlobStore> => {
    const blobs = createMemoryBlobStore();
    for (const id of ["a", "b"]) {
      const store = await open(blobs);
      await write(store, id);
      await store.close();
    }
    return blobs;
  };
  const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === bytes.length - 5 ? byte ^ 1 : byte));
  const damages: readonly (readonly [string, (key: string, blobs: BlobStore) => Promise<unknown>])[] = [
    ["is flipped", async (key, blobs) => blobs.put(key, flip((await blobs.get(key))!.bytes))],
    ["is cut short", async (key, blobs) => blobs.put(key, (await blobs.get(key))!.bytes.subarray(0, -9))],
    ["is empty", (key, blobs) => blobs.put(key, new Uint8Array())],
    ["is gone", (key, blobs) => blobs.delete(key)],
  ];

  it.each(damages)("a blob that %s refuses to be opened, and nothing is written [T18 L8 L9]", async (_, damage) => {
    for (const key of await keysIn(await kept())) {
      const blobs = await kept();
      const own = (await keysIn(blobs)).find((one) => one.length === key.length && one.startsWith(key.slice(0, 9)))!;
      await damage(own, blobs);
      const before = await keysIn(blobs);
      await expect(open(blobs)).rejects.toMatchObject({ code: "store-corrupt", uri: "ibid/manifest" });
      expect(await keysIn(blobs)).toEqual(before);
    }
  });

  it("a snapshot of a later version is told as one", async () => {
    const blobs = await kept();
    await blobs.put("ibid/manifest", new TextEncoder().encode("ibid snapshot 2\n…"));
    await expect(open(blobs)).rejects.toThrow("later version");
  });

  it("is saved at once at a number of changed chunks, and after the delay where that fails", async () => {
    const time = createClock(0);
    let isDown = false;
    const blobs = watched(createMemoryBlobStore(), (when, _call, verb) => {
      if (isDown && when === "before" && verb === "put") throw new Error("away");
    });
    const failures: unknown[] = [];
    const store = await open(blobs, {
      clock: time.clock,
      maxChangedChunks: 3,
      onError: (error: unknown) => failures.push(error),
    });
    await write(store, "a", "b");
    await settled();
    expect(await keysIn(blobs)).toEqual([]);
    isDown = true;
    await write(store, "c");
    await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 20_000 });
    expect(await keysIn(blobs)).toEqual([]);
    isDown = false;
    await time.pass(5000);
    await vi.waitFor(async () => expect(await keysIn(blobs)).not.toEqual([]), { timeout: 20_000 });
    await write(store, "d", "e", "f");
    await vi.waitFor(async () => expect(await ids(await open(blobs))).toBe("a b c d e f"), { timeout: 20_000 });
    await store[Symbol.asyncDispose]();
  });

  it("options that cannot be are refused", async () => {
    const blobs = createMemoryBlobStore();
    for (const wrong of [
      { prefix: "/" },
      { prefix: "a//" },
      { delayMs: -1 },
      { delayMs: Number.NaN },
      { every: 5 },
      { maxChangedChunks: 0 },
      { maxChangedChunks: 1.5 },
    ])
      await expect(open(blobs, wrong)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(open({} as BlobStore)).rejects.toMatchObject({ code: "invalid-argument" });
    const inFolder = openKnowledgeBase("never-made", { snapshots: { blobs } });
    await expect(inFolder).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("rows as bytes", () => {
  it("come back as they were, whatever they say [L8]", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "\u0000", '{"at":[0,1]}', "\u2028"));
    const row = fc.record({
      text,
      number: fc.oneof(
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
      ),
      nothing: fc.constant(null),
      bytes: fc.uint8Array(),
      parts: fc.array(fc.uint8Array()),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.nat(), row)), (rows) => {
        expect(decodeRows(encodeRows(rows))).toEqual(rows);
      }),
    );
  });
});

describe("a knowledge base in memory that is kept", () => {
  it("is as it was, its own model too, and can be kept beside others [T11 T12 L8 L11]", async () => {
    const blobs = createMemoryBlobStore();
    const openAt = (prefix: string) => openKnowledgeBase({ snapshots: { blobs, prefix } });
    const kb = await openAt("birds/");
    const texts = Array.from({ length: 300 }, (_, i) => ({
      uri: `${i}.md`,
      text: `The ${["heron", "otter", "newt"][i % 3]} number ${i} waits at the ${["river", "pond"][i % 2]}.`,
    }));
    await kb.ingest(texts, { settle: true });
    const found = async (one: typeof kb): Promise<unknown> =>
      (await one.search("otter at the pond", { topK: 20 })).map(({ source, score }) => [source.uri, score]);
    const before = await found(kb);
    await kb.close();
    const again = await openAt("birds/");
    expect(await found(again)).toEqual(before);
    expect(await again.ingest(texts)).toMatchObject({ unchanged: 300, embedded: 0 });
    expect((await again.doctor()).healthy).toBe(true);
    await again.close();
    const other = await openAt("fish/");
    expect(await other.status()).toMatchObject({ documents: 0 });
    await other.close();
  });
});

import { openKnowledgeBase, type KnowledgeBase } from "ibid";
import {
  withIngestion,
  type BlobIngestion,
  type BlobIngestionOptions,
  type BlobUpload,
  type IngestingBlobStore,
} from "ibid/ingest";
import { createMemoryBlobStore, type BlobStore } from "ibid/stores";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collect } from "../../../src/testing/assert.ts";
import { createBlobStorePack } from "../../../src/testing/blob-store-pack.ts";
import { runPack } from "../../contracts/run-pack.ts";

const scope = "team:birds";
let kb: KnowledgeBase;
let blobs: BlobStore;
beforeEach(async () => {
  kb = await openKnowledgeBase();
  blobs = createMemoryBlobStore();
});
afterEach(() => kb.close());

const open = (options: Partial<BlobIngestionOptions> = {}): IngestingBlobStore =>
  withIngestion(blobs, kb, { scope, ...options });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13);
const put = async (store: IngestingBlobStore, key: string, content: string | Uint8Array): Promise<BlobIngestion> =>
  (await store.put(key, typeof content === "string" ? bytes(content) : content)).ingestion as BlobIngestion;
const documents = async (): Promise<string[]> => (await collect(kb.list())).map(({ uri }) => uri);
const textOf = async (key: string): Promise<string | undefined> => (await kb.document(`blob:${key}`))?.text;

describe("a store that is ingested is a store like any other", () => {
  runPack(
    createBlobStorePack({
      create: async (maxBytes) =>
        withIngestion(createMemoryBlobStore(maxBytes === undefined ? {} : { maxBytes }), await openKnowledgeBase(), {
          scope: "deployment",
          mediaTypes: ["text/markdown"],
        }),
    }),
  );
});

describe("what is put into it", () => {
  it("is a document by the time it is saved, of its scope, origin and metadata [T2 T4]", async () => {
    const store = open({ origin: "synthetic", metadata: { year: 2026 } });
    const outcome = await put(store, "birds/heron.md", "# Herons\n\nThe heron waits.");
    expect(outcome).toMatchObject({
      key: "birds/heron.md",
      uri: "blob:birds/heron.md",
      status: "ingested",
      mediaType: "text/markdown",
      result: { status: "added", scope },
    });
    const [hit] = await kb.search("heron", { origins: ["synthetic"], filter: { year: 2026 } });
    expect(hit?.source.uri).toBe("blob:birds/heron.md");
    expect((await put(store, "birds/heron.md", "# Herons\n\nThe heron waits.")).result?.status).toBe("unchanged");
    expect((await put(store, "birds/heron.md", "Gone.")).result?.status).toBe("updated");
  });

  it("is left out where its media type is not wanted or nobody reads it, and that is said [T4]", async () => {
    const store = open();
    const picture = await put(store, "heron.png", png);
    expect([picture.status, picture.error?.code]).toEqual(["skipped", "unsupported-media"]);
    expect(picture.error?.message).toContain("image/png");
    expect((await put(store, "empty.md", "")).error?.code).toBe("empty");
    expect((await put(store, "blob", Uint8Array.of(0, 1, 2, 0, 3))).status).toBe("skipped");
    const some = open({ mediaTypes: ["application/json", "text/*"] });
    expect((await put(some, "a.md", "Wanted.")).status).toBe("ingested");
    expect((await put(some, "a.json", '{"a": 1}')).status).toBe("ingested");
    const page = await put(some, "a.yaml", "a: 1");
    expect([page.status, page.error?.code]).toEqual(["skipped", "unsupported-media"]);
    expect(await documents()).toEqual(["blob:a.json", "blob:a.md"]);
    expect((await collect(blobs.list())).length).toBe(6);
  });

  it("takes the place of a document even where it cannot be one", async () => {
    const store = open();
    await put(store, "heron", "The heron waits.");
    await put(store, "heron", png);
    expect(await documents()).toEqual([]);
  });

  it("is saved though its ingestion fails, and the old text stays", async () => {
    const store = open();
    await put(store, "a", "The heron waits.");
    const broken = await put(store, "a", "%PDF-1.7 and no more");
    expect([broken.status, broken.result?.status]).toEqual(["failed", "failed"]);
    expect((await store.get("a"))?.size).toBe(20);
    expect(await textOf("a")).toBe("The heron waits.");
    await kb.close();
    const closed = await put(store, "b.md", "Text.");
    expect([closed.status, closed.error?.code]).toEqual(["failed", "store-closed"]);
    expect((await store.get("b.md"))?.size).toBe(5);
    kb = await openKnowledgeBase();
  });

  it("is no document when its condition does not hold", async () => {
    const store = open();
    await put(store, "a.md", "First.");
    const second = await store.put("a.md", bytes("Second."), { ifNoneMatch: "*" });
    expect(second).toEqual({ status: "conflict" });
    expect(await textOf("a.md")).toBe("First.");
  });

  it("is the last of many at once, in the store and in the knowledge base", async () => {
    const store = open();
    await Promise.all(Array.from({ length: 10 }, (_, i) => put(store, "a.md", `Version ${i}.`)));
    expect(await textOf("a.md")).toBe("Version 9.");
    await Promise.all([put(store, "a.md", "Last."), store.delete("a.md")]);
    expect([await textOf("a.md"), await store.get("a.md")]).toEqual([undefined, undefined]);
  });

  it("goes only where its sender may write [L3]", () => {
    const ada = kb.as({ userId: "ada" });
    expect(() => withIngestion(blobs, ada, { scope })).toThrow(expect.objectContaining({ code: "access-denied" }));
    expect(() => withIngestion(blobs, ada, { scope: "user:ada" })).not.toThrow();
    expect(() => open({ scopes: [] } as object)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

describe("what is deleted from it", () => {
  it("is gone from the knowledge base as well, and nothing else is [T2]", async () => {
    const store = open();
    for (const key of ["a.md", "a.md.txt", "b.md"]) await put(store, key, `This is ${key}.`);
    await kb.ingest({ uri: "blob:b.md", text: "Another team's." }, { scope: "team:others" });
    await store.delete("b.md");
    await store.delete("never/there");
    expect(await documents()).toEqual(["blob:a.md", "blob:a.md.txt", "blob:b.md"]);
    expect((await kb.document("blob:b.md"))?.scope).toBe("team:others");
    expect(await store.head("b.md")).toBeUndefined();
  });
});

describe("a queue before it", () => {
  it("gets what is to be ingested, and ingests what is there when its turn comes [T2 T42]", async () => {
    const queue: BlobUpload[] = [];
    const store = open({ enqueue: (upload) => queue.push(upload) > 0 });
    expect(await put(store, "a.md", "First.")).toEqual({
      key: "a.md",
      uri: "blob:a.md",
      status: "queued",
      mediaType: "text/markdown",
    });
    expect((await put(store, "heron.png", png)).status).toBe("queued");
    await put(store, "a.md", "Second.");
    await put(store, "b.md", "To be deleted.");
    await store.delete("b.md");
    expect(await documents()).toEqual([]);
    expect(queue.map(({ key, input }) => `${key} ${(input as { bytes: Uint8Array }).bytes.length}`)).toEqual([
      "a.md 6",
      "heron.png 12",
      "a.md 7",
      "b.md 14",
    ]);
    const statuses: string[] = [];
    for (const { key } of queue) statuses.push((await store.ingest(key)).status);
    expect(statuses).toEqual(["ingested", "skipped", "ingested", "removed"]);
    expect([await textOf("a.md"), await documents()]).toEqual(["Second.", ["blob:a.md"]]);
  });

  it("that keeps the bytes gives what a put gives, and lets go of what is deleted [T2 L8]", async () => {
    const queue = new Map<string, BlobUpload>();
    const store = open({
      metadata: { year: 2026 },
      enqueue: (upload) => (queue.set(upload.input.uri, upload), upload.key),
      cancel: (uri, of) => queue.delete(of === scope ? uri : ""),
    });
    await put(store, "a.md", "First.");
    await put(store, "a.md", "Second.");
    await put(store, "b.md", "To be deleted.");
    await put(store, "c.md", "To be a picture.");
    await store.delete("b.md");
    await put(store, "c.md", "");
    for (const { input, options } of queue.values()) await kb.ingest(input, options);
    expect(await documents()).toEqual(["blob:a.md"]);
    const document = await kb.document("blob:a.md");
    expect([document?.text, document?.scope, document?.metadata["year"]]).toEqual(["Second.", scope, 2026]);
  });

  it("that is full, or fails, leaves the blob and says so [T42]", async () => {
    const full = await put(open({ enqueue: () => false }), "a.md", "Text.");
    expect([full.status, full.error?.code]).toEqual(["rejected", "store-busy"]);
    const broken = await put(open({ enqueue: () => Promise.reject(new Error("out of paper")) }), "b.md", "Text.");
    expect([broken.status, broken.error?.message, broken.error?.cause]).toEqual([
      "failed",
      "blob:b.md could not be ingested: a part that the application gave failed.",
      new Error("out of paper"),
    ]);
    expect((await collect(blobs.list())).length).toBe(2);
  });
});

describe("everything at once", () => {
  it("makes up for what no hook saw: blobs of others, a crash after a save, blobs that are gone [T2 L9]", async () => {
    const store = open();
    await put(store, "kept.md", "Kept.");
    await put(store, "gone.md", "Gone.");
    await kb.ingest({ uri: "other.md", text: "Not a blob." }, { scope });
    await kb.ingest({ uri: "blob:gone.md", text: "Another team's." }, { scope: "team:others" });
    await blobs.delete("gone.md");
    await blobs.put("new.md", bytes("New."));
    await blobs.put("heron.png", png);
    const outcomes = await collect(store.ingestAll());
    expect(outcomes.map(({ key, status, result }) => `${key} ${status} ${result?.status ?? ""}`)).toEqual([
      "heron.png skipped failed",
      "kept.md ingested unchanged",
      "new.md ingested added",
      "gone.md removed ",
    ]);
    expect((await collect(kb.list())).map(({ uri, scope }) => `${uri} ${scope}`)).toEqual([
      "blob:gone.md team:others",
      "blob:kept.md team:birds",
      "blob:new.md team:birds",
      "other.md team:birds",
    ]);
  });
});

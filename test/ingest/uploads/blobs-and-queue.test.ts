import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type KnowledgeBase, openKnowledgeBase } from "../../../src/index.node.ts";
import {
  type IngestingBlobStore,
  type IngestionQueue,
  openIngestionQueue,
  withIngestion,
} from "../../../src/ingest/index.node.ts";
import { type MediaTypeHandler } from "../../../src/readers/index.node.ts";
import { openFileBlobStore } from "../../../src/stores/index.node.ts";
import { collect } from "../../../src/testing/assert.ts";

let folder = "";
let location = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-uploads-"));
  location = join(folder, "kb");
});
afterEach(() => rmSync(folder, { recursive: true }));

const scope = "team:birds";
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One chunk for each line of a log, whatever its length. */
const lines: MediaTypeHandler = {
  name: "field-notes/1",
  mediaTypes: ["application/x-field-notes"],
  handle: ({ bytes: data }) => ({ chunks: new TextDecoder().decode(data).split("\n"), title: "Field notes" }),
};

interface Opened {
  readonly kb: KnowledgeBase;
  readonly queue: IngestionQueue;
  readonly uploads: IngestingBlobStore;
  readonly close: () => Promise<void>;
}

async function open(concurrency = 2): Promise<Opened> {
  const kb = await openKnowledgeBase(location, { reading: { handlers: [lines] } });
  const queue = await openIngestionQueue(kb, location, { leaseMs: 2000, pollMs: 20, concurrency });
  const uploads = withIngestion(openFileBlobStore(join(folder, "blobs")), kb, {
    scope,
    mediaTypeOf: (key) => (key.endsWith(".notes") ? "application/x-field-notes" : undefined),
    enqueue: ({ input, options }) => queue.enqueue(input, options),
    cancel: (uri, of) => queue.cancel(queue.idOf(uri, of)),
  });
  const close = async (): Promise<void> => {
    await queue.close();
    await kb.close();
  };
  return { kb, queue, uploads, close };
}

const documents = async (kb: KnowledgeBase): Promise<string[]> => (await collect(kb.list())).map(({ uri }) => uri);

describe("a blob store before a durable queue", () => {
  it("uploads become documents by their media type, one chunk for each part that a handler names [T2 T4 T42]", async () => {
    const { kb, queue, uploads, close } = await open();
    const put = await uploads.put("may.notes", bytes("Heron at six.\nOtter at seven.\n\nOtter again, at eight."));
    expect(put.ingestion).toMatchObject({ status: "queued", mediaType: "application/x-field-notes" });
    await uploads.put("june.md", bytes("# June\n\nNo otter was seen."));
    await queue.drained();
    expect(await documents(kb)).toEqual(["blob:june.md", "blob:may.notes"]);
    const chunks = (await collect(kb.chunks({ uri: "blob:may.notes" }))).map(({ chunk }) => chunk);
    expect(chunks.toSorted((a, b) => a.index - b.index).map(({ text, title }) => [text, title])).toEqual([
      ["Heron at six.", "Field notes"],
      ["Otter at seven.", "Field notes"],
      ["Otter again, at eight.", "Field notes"],
    ]);
    const text = (await kb.document("blob:may.notes"))?.text ?? "";
    for (const { start, end, urtext } of chunks) expect(text.slice(start, end)).toBe(urtext);
    const again = await uploads.ingest("may.notes");
    expect(again.result?.status).toBe("unchanged");
    await close();
  });

  it("a delete takes what waits along, and after a restart it does not come back [T2 T42 L8]", async () => {
    const before = await open(0);
    for (const key of ["a.md", "b.md", "c.md"]) await before.uploads.put(key, bytes(`This is ${key}.`));
    await before.uploads.delete("b.md");
    await before.uploads.put("c.md", bytes("This is the second c."));
    expect(await before.queue.depth()).toMatchObject({ queued: 2 });
    await before.close();

    const after = await open();
    await after.queue.drained();
    expect(await documents(after.kb)).toEqual(["blob:a.md", "blob:c.md"]);
    expect((await after.kb.document("blob:c.md"))?.text).toBe("This is the second c.");
    await after.uploads.delete("a.md");
    expect(await documents(after.kb)).toEqual(["blob:c.md"]);
    expect((await collect(after.uploads.list())).map(({ key }) => key)).toEqual(["c.md"]);
    await after.close();
  });

  it("a process that is killed at it loses nothing that was acknowledged [T2 T42 L7 L8 L9]", async () => {
    const said: string[] = [];
    for (const killAfter of [3, 9]) {
      const child = fork(join(import.meta.dirname, "blobs-child.ts"), [location, join(folder, "blobs"), "20"], {
        execArgv: [],
      });
      let heard = 0;
      child.on("message", (message: string) => {
        said.push(message);
        if (++heard === killAfter) child.kill("SIGKILL");
      });
      await new Promise((resolve) => child.on("exit", resolve));
    }
    expect(said.length).toBeGreaterThanOrEqual(12);
    expect(new Set(said.map((message) => message.split(" ")[0]))).toEqual(new Set(["queued"]));

    const { kb, queue, uploads, close } = await open();
    const acknowledged = new Set(said.map((message) => `blob:${message.split(" ")[1]}`));
    // One of them may still be leased to the process that died.
    for (const uri of acknowledged) expect((await queue.done(queue.idOf(uri, scope))).state).toBe("indexed");
    const there = new Set(await documents(kb));
    expect([...acknowledged].filter((uri) => !there.has(uri))).toEqual([]);
    await queue.drained();
    // What was saved and killed before it was queued is made up for.
    for await (const { status } of uploads.ingestAll()) expect(status).toBe("ingested");
    expect(await documents(kb)).toEqual((await collect(uploads.list())).map(({ key }) => `blob:${key}`));
    expect((await kb.doctor()).healthy).toBe(true);
    await close();
  });
});

describe("a handler of a media type", () => {
  const ingest = async (handler: Partial<MediaTypeHandler>, text = "a\nb"): Promise<unknown> => {
    const kb = await openKnowledgeBase({ reading: { handlers: [{ ...lines, ...handler }] } });
    for await (const result of kb.ingest({ uri: "x", text, mediaType: "application/x-field-notes" })) return result;
    return undefined;
  };

  it("is asked before every reader, for text that is given outright as well [T4]", async () => {
    const kb = await openKnowledgeBase({
      reading: {
        handlers: [{ ...lines, name: "halves", mediaTypes: ["text/*"], handle: () => ({ chunks: ["one", "two"] }) }],
      },
    });
    expect(await kb.ingest({ uri: "a.md", text: "# Anything" })).toMatchObject({ added: 1, chunks: 2 });
    expect(await kb.ingest({ uri: "a.md", text: "# Anything" })).toMatchObject({ unchanged: 1 });
  });

  it("that cannot, says so of the document [T4 L9]", async () => {
    const broken = { handle: () => Promise.reject(new Error("no header")) };
    expect(await ingest(broken)).toMatchObject({ status: "failed", error: { code: "unreadable" } });
    const wrong = { handle: () => ({ chunks: [7 as never] }) };
    expect(await ingest(wrong)).toMatchObject({ status: "failed", error: { code: "unreadable" } });
    expect(await ingest({ handle: () => ({ chunks: [" "] }) })).toMatchObject({ error: { code: "empty" } });
    for (const bad of [{ name: " " }, { mediaTypes: [] }, { mediaTypes: ["notes"] }])
      await expect(ingest(bad)).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("of another version reads its own documents again, and nobody else's [T4 L7]", async () => {
    const inputs = [
      { uri: "a.notes", text: "a\nb", mediaType: "application/x-field-notes" },
      { uri: "b.md", text: "# B\n\nText." },
    ];
    const first = await openKnowledgeBase(location, { reading: { handlers: [lines] } });
    await first.ingest(inputs);
    await first.close();
    const second = await openKnowledgeBase(location, { reading: { handlers: [{ ...lines, name: "field-notes/2" }] } });
    expect(await second.ingest(inputs)).toMatchObject({ updated: 1, unchanged: 1, embedded: 0 });
    await second.close();
  });
});

import { openKnowledgeBase, type IngestResult, type KnowledgeBase } from "ibid";
import { addNote, ingestNarrative } from "ibid/compat";
import { uploadDocument, type Upload } from "ibid/ingest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collect } from "../../../src/testing/assert.ts";

let kb: KnowledgeBase;
beforeEach(async () => {
  kb = await openKnowledgeBase();
});
afterEach(() => kb.close());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const heron = bytes("# Herons\n\nThe heron waits in the reeds.");

describe("what somebody gives", () => {
  it("has the origin of the way by which it came, and is found by it [T9 T42]", async () => {
    const results = [
      await uploadDocument(kb, { name: "heron.md", bytes: heron }),
      await addNote(kb, "The heron was late today."),
      await ingestNarrative(kb, "In spring the heron came back to the lake."),
    ];
    expect(results.map(({ status }) => status)).toEqual(["added", "added", "added"]);
    const found = async (origin: "user-content" | "note" | "narrative" | "synthetic"): Promise<string[]> =>
      (await kb.search("heron", { origins: [origin], topK: "all" })).map(({ source }) => source.uri);
    expect(await found("user-content")).toEqual(["heron.md"]);
    expect(await found("note")).toEqual([results[1]?.uri]);
    expect(await found("narrative")).toEqual([results[2]?.uri]);
    expect(await found("synthetic")).toEqual([]);
  });

  it("has scope, metadata, title and media type as given", async () => {
    const options = { scope: "team:birds", metadata: { year: 2026 }, title: "On herons" } as const;
    await addNote(kb, "# Herons\n\nThey wait.", { ...options, id: "herons", mediaType: "text/markdown" });
    const note = await kb.document("note:herons");
    expect(note).toMatchObject({ scope: "team:birds", title: "On herons", mediaType: "text/markdown" });
    expect(note?.metadata["year"]).toBe(2026);
    expect(note?.root.children.map(({ title }) => title)).toEqual(["Herons"]);
  });

  it("is known again: by its name, its id, or what it says [L7]", async () => {
    const status = async (result: Promise<{ status: string }>): Promise<string> => (await result).status;
    const first = await addNote(kb, "The same words.");
    expect(await status(addNote(kb, "The same words."))).toBe("unchanged");
    expect((await addNote(kb, "Other words.")).uri).not.toBe(first.uri);
    expect((await ingestNarrative(kb, "The same words.")).uri).toBe(first.uri.replace("note:", "narrative:"));
    expect(await status(ingestNarrative(kb, "Day one.", { id: "diary" }))).toBe("added");
    expect(await status(ingestNarrative(kb, "Day two.", { id: "diary" }))).toBe("updated");
    expect((await kb.document("narrative:diary"))?.text).toBe("Day two.");
    expect(await status(uploadDocument(kb, { name: "heron.md", bytes: heron }))).toBe("added");
    expect(await status(uploadDocument(kb, { name: "heron.md", bytes: heron }))).toBe("unchanged");
  });

  it("that cannot be read is a result that says why, and a name that is none an error", async () => {
    const result = (await uploadDocument(kb, { name: "empty.md", bytes: bytes("") })) as IngestResult;
    expect([result.status, result.error?.code]).toEqual(["failed", "empty"]);
    await expect(addNote(kb, "text", { id: " " })).rejects.toMatchObject({ code: "invalid-id" });
    await expect(uploadDocument(kb, { name: " ", bytes: heron })).rejects.toMatchObject({ code: "invalid-id" });
    await expect(addNote(kb, "text", { ids: "x" } as object)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(addNote(kb, "text", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("what somebody gives to a queue", () => {
  it("waits, and is then what it would have been [T9 T42]", async () => {
    const queue: Upload[] = [];
    const enqueue = (upload: Upload): boolean => queue.push(upload) > 0;
    const options = { scope: "team:birds", metadata: { year: 2026 }, enqueue } as const;
    expect(await uploadDocument(kb, { name: "heron.md", bytes: heron }, options)).toEqual({
      uri: "heron.md",
      status: "queued",
    });
    await addNote(kb, "A note.", { ...options, id: "n" });
    await ingestNarrative(kb, "A tale.", { ...options, id: "t" });
    expect(await collect(kb.list())).toEqual([]);
    for (const upload of queue) await kb.ingest(upload.input, upload.options);
    const listed = await collect(kb.list());
    expect(listed.map(({ uri, scope }) => `${uri} ${scope}`)).toEqual([
      "heron.md team:birds",
      "narrative:t team:birds",
      "note:n team:birds",
    ]);
    expect(queue.map(({ options }) => options.origin)).toEqual(["user-content", "note", "narrative"]);
    expect((await kb.document("note:n"))?.metadata["year"]).toBe(2026);
  });

  it("that is full is marked failed, by every way in [T42]", async () => {
    const full = { scope: "deployment", enqueue: () => false } as const;
    for (const result of [
      await uploadDocument(kb, { name: "heron.md", bytes: heron }, full),
      await addNote(kb, "A note.", full),
      await ingestNarrative(kb, "A tale.", full),
    ]) {
      expect(result).toMatchObject({ status: "failed", error: { code: "store-busy", uri: result.uri } });
    }
    expect(await collect(kb.list())).toEqual([]);
  });

  it("goes only where its sender may write, and never without saying where [L3]", async () => {
    const queue: Upload[] = [];
    const enqueue = (upload: Upload): boolean => queue.push(upload) > 0;
    const ada = kb.as({ userId: "ada" });
    await expect(addNote(ada, "A note.", { scope: "team:others", enqueue })).rejects.toMatchObject({
      code: "access-denied",
    });
    await expect(addNote(ada, "A note.", { enqueue })).rejects.toMatchObject({ code: "invalid-argument" });
    expect(queue).toEqual([]);
    expect((await addNote(ada, "A note.", { scope: "user:ada", enqueue })).status).toBe("queued");
    expect((await addNote(ada, "Another note.")) as IngestResult).toMatchObject({ scope: "user:ada" });
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFiles } from "../../src/knowledge-base/open/open-files.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { startService } from "../../src/server/index.node.ts";
import { hashParts } from "../../src/runtime/hash.ts";
import { callIbid } from "../cli/run-ibid.ts";
import type { BlobStore } from "../../src/contracts/blob-store.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { keys, send, type Sent, startWorld } from "./service.ts";

/** A folder in which a service has kept a note, a thread whose sentence rests on it, and an upload. */
async function serveThread() {
  const folder = mkdtempSync(join(tmpdir(), "ibid-threads-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const location = join(folder, "kb");
  const kb = await openKnowledgeBase(location);
  const files = openFiles(location);
  const service = await startService(kb, { keys: Object.values(keys), port: 0, files, mcp: { memory: {} } });
  let isOver = false;
  const end = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await service.stop();
    await kb.close();
  };
  onTestFinished(end);
  const http = async (path: string, sent: Sent = {}) => {
    const answered = await send(service.url, path, { key: keys.ada.key, ...sent });
    expect(answered).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    return answered.json as Record<string, unknown>;
  };
  const { note } = (await http("/notes", { body: { text: "The code word is Quagga17.", key: "code" } })) as {
    note: { uri: string; scope: string };
  };
  const upload = "/document?uri=words.txt&scope=user:ada";
  await http(upload, {
    method: "PUT",
    body: new TextEncoder().encode("The upload says Okapi42."),
    headers: { "content-type": "text/plain" },
  });
  const sources = [];
  const sentences = [];
  for (const [uri, text] of [
    [note.uri, "It is, in other words, Quagga17."],
    ["words.txt", "Elsewhere it is Okapi42."],
  ] as const) {
    const documentId = hashParts("user:ada", uri);
    const place = { marker: "[1]", uri, scope: "user:ada", documentId, start: 0, end: 8 };
    sources.push({ uri, scope: "user:ada", documentId });
    sentences.push({ text, places: [place] }, { text: `Without a place: ${text}`, places: [] });
  }
  const turn = { question: "How is it called?", kind: "written", limits: { documents: sources }, sources, sentences };
  await http("/threads", { body: { title: "Names", turns: [turn] } });
  const bytes = (): string =>
    readdirSync(location, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join("");
  expect(bytes()).toContain("in other words, Quagga17");
  return { folder, service, http, end, bytes };
}

const leftOf = (bytes: string): readonly string[] =>
  ["Quagga17", "quagga17", "Okapi42", "okapi42", "key-code", "words.txt"].filter((word) => bytes.includes(word));

describe("threads and uploads, where what they rest on is purged", () => {
  it("lose it by a key of one's own over HTTP, and keep the rest", async () => {
    const { http, end, bytes } = await serveThread();
    await http("/note?key=code", { method: "DELETE" });
    expect(leftOf(bytes())).toEqual(["Okapi42", "okapi42", "words.txt"]);
    await http("/document?uri=words.txt&purge=true", { method: "DELETE" });
    await end();
    expect(leftOf(bytes())).toEqual([]);
  });

  it("lose it by MCP over HTTP", async () => {
    const { service, end, bytes } = await serveThread();
    const client = new Client({ name: "agent", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${keys.ada.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("mcp", service.url), { requestInit }));
    await client.callTool({ name: "forget", arguments: { key: "code" } });
    await client.close();
    await end();
    expect(leftOf(bytes())).toEqual(["Okapi42", "okapi42", "words.txt"]);
  });

  it("lose it by the command line, when the service has ended", async () => {
    const { folder, end, bytes } = await serveThread();
    await end();
    const forget = ["memory", "forget", "code", "--in", "user:ada", "--kb", "kb"];
    expect(await callIbid(folder, forget)).toMatchObject({ code: 0 });
    expect(leftOf(bytes())).toEqual(["Okapi42", "okapi42", "words.txt"]);
    expect(await callIbid(folder, ["delete", "words.txt", "--purge", "--kb", "kb"])).toMatchObject({ code: 0 });
    expect(leftOf(bytes())).toEqual([]);
  });
});

it("a disk that takes no file leaves nothing of a purged document in threads, originals and jobs [L8]", async () => {
  const blobs = createMemoryBlobStore();
  let isFull = false;
  const full = (): never => {
    throw new Error("ENOSPC: no space left on device");
  };
  const files: BlobStore = {
    ...blobs,
    put: (...given) => (isFull ? full() : blobs.put(...given)),
    delete: (key, ...rest) => (isFull && key.startsWith("originals/") ? full() : blobs.delete(key, ...rest)),
  };
  const { as } = await startWorld({ files });
  const put = {
    method: "PUT",
    body: new TextEncoder().encode("It says Okapi42."),
    headers: { "content-type": "text/plain" },
  };
  await as("ada", "/document?uri=words.txt&scope=user:ada", put);
  const source = { uri: "words.txt", scope: "user:ada", documentId: hashParts("user:ada", "words.txt") };
  const sentences = [{ text: "It is Okapi42.", places: [{ marker: "[1]", ...source, start: 0, end: 8 }] }];
  const turn = { question: "Which?", kind: "written", limits: { documents: [source] }, sources: [source], sentences };
  await as("ada", "/threads", { body: { title: "Names", turns: [turn] } });
  isFull = true;
  // The service says that something is left. The other steps were taken all the same.
  expect((await as("ada", "/document?uri=words.txt&purge=true", { method: "DELETE" })).status).toBe(500);
  expect((await as("ada", "/document?uri=words.txt")).status).toBe(404);
  const left: string[] = [];
  for await (const { key } of files.list()) if (!key.startsWith("originals/")) left.push(key);
  expect(left).toEqual([]);
});

/** Uploads through a job, waits for its end, and keeps a sentence that rests on the document. */
async function uploadByJob(http: Awaited<ReturnType<typeof serveThread>>["http"]): Promise<void> {
  const uri = "jobs.txt";
  const { jobs } = (await http(`/jobs?uri=${uri}&scope=user:ada`, {
    body: new TextEncoder().encode("The job says Numbat99."),
    headers: { "content-type": "text/plain" },
  })) as { jobs: readonly { id: string }[] };
  await expect.poll(async () => (await http(`/job?id=${jobs[0]!.id}`))["state"]).toBe("indexed");
  const source = { uri, scope: "user:ada", documentId: hashParts("user:ada", uri) };
  const place = { marker: "[1]", ...source, start: 0, end: 8 };
  const sentences = [{ text: "It is Numbat99.", places: [place] }];
  const turn = { question: "Which?", kind: "written", limits: { documents: [source] }, sources: [source], sentences };
  await http("/threads", { body: { title: "Jobs", turns: [turn] } });
}

describe("threads, uploads and jobs of a document that is deleted", () => {
  const traces = (bytes: string): readonly string[] =>
    ["Numbat99", "numbat99", "jobs.txt", hashParts("user:ada", "jobs.txt")].filter((trace) => bytes.includes(trace));

  it.each(["the service", "the command line"])(
    "are gone after a vacuum by %s, and stay until then [L8]",
    async (by) => {
      const { folder, http, end, bytes } = await serveThread();
      await uploadByJob(http);
      await http("/document?uri=jobs.txt", { method: "DELETE" });
      await http("/vacuum", { key: keys.operator.key, body: { olderThanHours: 1 } });
      expect(traces(bytes())).toEqual(expect.arrayContaining(["Numbat99", "jobs.txt"]));
      if (by === "the service") await http("/vacuum", { key: keys.operator.key, body: { olderThanHours: 0 } });
      await end();
      if (by !== "the service") await callIbid(folder, ["vacuum", "--older-than", "0s", "--kb", "kb"]);
      expect(traces(bytes())).toEqual([]);
      expect(bytes()).toContain("Okapi42");
    },
  );

  it("are gone after a purge by the command line [L8]", async () => {
    const { folder, http, end, bytes } = await serveThread();
    await uploadByJob(http);
    await end();
    expect(traces(bytes())).toEqual(expect.arrayContaining(["Numbat99", "jobs.txt"]));
    expect(await callIbid(folder, ["delete", "jobs.txt", "--purge", "--kb", "kb"])).toMatchObject({ code: 0 });
    expect(traces(bytes())).toEqual([]);
  });

  it("leave an upload of the same name that came after the deletion [L8]", async () => {
    const { http } = await serveThread();
    await uploadByJob(http);
    await http("/document?uri=jobs.txt", { method: "DELETE" });
    await uploadByJob(http);
    await http("/vacuum", { key: keys.operator.key, body: { olderThanHours: 0 } });
    expect((await http("/document?uri=jobs.txt"))["text"]).toBe("The job says Numbat99.");
    expect(await http("/original?uri=jobs.txt")).toBeUndefined();
    expect(((await http("/jobs"))["jobs"] as readonly object[]).length).toBeGreaterThan(0);
  });
});

describe("turns that are added to a thread", () => {
  const turnOf = (question: string) => ({
    question,
    kind: "written",
    sentences: [{ text: `On ${question}`, places: [] }],
  });

  it("come behind those that are kept, in whatever order they are sent, up to two hundred", async () => {
    const { service, http } = await serveThread();
    const { id } = (await http("/threads", { body: { title: "Many", turns: [turnOf("first")] } })) as { id: string };
    const put = (body: object) => send(service.url, `/thread?id=${id}`, { method: "PUT", key: keys.ada.key, body });
    const questions = Array.from({ length: 5 }, (_, at) => `question ${at}`);
    await Promise.all(questions.map((question) => put({ added: [turnOf(question)] })));
    const { title, turns } = (await http(`/thread?id=${id}`)) as { title: string; turns: { question: string }[] };
    expect(title).toBe("Many");
    expect(turns[0]!.question).toBe("first");
    expect(turns.map(({ question }) => question).toSorted()).toEqual(["first", ...questions]);
    expect(await put({ added: Array.from({ length: 195 }, () => turnOf("one too many")) })).toMatchObject({
      status: 413,
      json: { error: { code: "too-large", message: "The thread has 6 turns of at most 200." } },
    });
    for (const wrong of [{}, { added: [] }, { turns: [] }, { title: "Many", turns: [], added: [turnOf("both")] }])
      expect(await put(wrong)).toMatchObject({ status: 400 });
    expect(((await http(`/thread?id=${id}`)) as { turns: object[] }).turns).toHaveLength(6);
  });

  it("go nowhere where the thread is another's, or gone", async () => {
    const { service, http } = await serveThread();
    const { id } = (await http("/threads", { body: { title: "Own", turns: [turnOf("first")] } })) as { id: string };
    const add = (key: string) =>
      send(service.url, `/thread?id=${id}`, { method: "PUT", key, body: { added: [turnOf("next")] } });
    expect(await add(keys.bob.key)).toMatchObject({ status: 404 });
    await http(`/thread?id=${id}`, { method: "DELETE" });
    expect(await add(keys.ada.key)).toMatchObject({ status: 404 });
  });
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileBlobStore } from "ibid/stores";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { BlobStore } from "../../src/contracts/blob-store.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { openKnowledgeBase } from "ibid";
import type { OcrProvider } from "ibid/readers";
import { encodePng } from "../../src/readers/ocr/encode-png.ts";
import { makePdf } from "../readers/make-pdf.ts";
import { openWorld, startWorld } from "./service.ts";

const words = "Signing keys are rotated every ninety days.";
const pdf = makePdf([[{ text: words, x: 50, y: 700 }]]);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ibid-places-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test("[page 21.1] a place of an uploaded PDF has boxes, and its file comes back in ranges", async () => {
  const { as } = await startWorld({ files: createMemoryBlobStore() });
  await as("ada", "/document?uri=keys.pdf", { method: "PUT", body: pdf });
  const view = (await as("ada", "/view?uri=keys.pdf")).json;
  const start = view.blocks[0].runs[0].text.indexOf("rotated");
  const { json } = await as("ada", `/geometry?uri=keys.pdf&start=${start}&end=${start + 7}`);
  expect(json.pages.map(({ number, boxes }: { number: number; boxes: object[] }) => [number, boxes.length])).toEqual([
    [1, 1],
  ]);
  const range = await as("ada", "/original?uri=keys.pdf", { headers: { range: "bytes=0-4" } });
  expect([range.status, range.text, range.headers["content-range"]]).toEqual([206, "%PDF-", `bytes 0-4/${pdf.length}`]);
  expect(range.headers["content-disposition"]).toContain("attachment");
  expect(range.headers["content-security-policy"]).toContain("sandbox");
  expect((await as("ada", "/original?uri=keys.pdf", { headers: { range: `bytes=${pdf.length}-` } })).status).toBe(416);
  const etag = range.headers.etag!;
  expect((await as("ada", "/original?uri=keys.pdf", { headers: { "if-none-match": etag } })).status).toBe(304);
});

test("words that were recognised in a picture have boxes; a picture without them has none", async () => {
  const word = (text: string, x: number) => ({ text, x, y: 0.5, width: 0.2, height: 0.1, line: 1 });
  const ocr: OcrProvider = {
    name: "fake/1",
    isScanned: ({ uri }) => uri === "sign.png",
    extractText: async () => [{ page: 1, text: "Harbour closed", words: [word("Harbour", 0.1), word("closed", 0.4)] }],
  };
  const kb = await openKnowledgeBase({ reading: { ocr, worker: false } });
  onTestFinished(() => kb.close());
  const { as } = await startWorld({ files: createMemoryBlobStore() }, kb);
  const png = encodePng({ width: 100, height: 50, pixels: new Uint8Array(5000).fill(255), dpi: 72 });
  expect((await as("ada", "/document?uri=sign.png", { method: "PUT", body: png })).status).toBe(201);
  const start = (await as("ada", "/view?uri=sign.png")).json.blocks[0].runs[0].text.indexOf("closed");
  const { status, json } = await as("ada", `/geometry?uri=sign.png&start=${start}&end=${start + 6}`);
  expect([status, json.pageCount, json.sizes]).toEqual([200, 1, [{ width: 595, height: 297.5 }]]);
  const [box] = json.pages[0].boxes;
  expect(Math.abs(box.x - 0.4 * 595)).toBeLessThan(1);
  expect(Math.abs(box.x + box.width - 0.6 * 595)).toBeLessThan(1);
  const view = await as("ada", `/view?uri=sign.png&start=${start}&end=${start + 6}`);
  expect([view.json.place.page, view.json.blocks.length]).toEqual([1, 1]);
  await as("ada", "/document?uri=plan.png", { method: "PUT", body: png });
  const plain = await as("ada", "/geometry?uri=plan.png");
  expect([plain.status, plain.json.error.message]).toEqual([
    422,
    "Only pages of a PDF and pictures with recognised text have places.",
  ]);
});

test("a view around a stretch shows what stands beside it, and names the place of the stretch itself", async () => {
  const { as } = await startWorld();
  const text = "# Keys\n\nThey rotate.\n\n## Lost keys\n\nCall the warden.";
  await as("ada", "/documents", { body: { uri: "keys.md", text, mediaType: "text/markdown" } });
  const start = text.indexOf("warden");
  const view = async (more: string) =>
    (await as("ada", `/view?uri=keys.md&start=${start}&end=${start + 6}${more}`)).json;
  const [narrow, wide] = [await view(""), await view("&around=100")];
  const at = { headings: ["Keys", "Lost keys"], line: 7 };
  expect([narrow.place, narrow.start, wide.place, wide.start]).toEqual([at, text.indexOf("Call"), at, 0]);
  expect((await as("ada", "/view?uri=keys.md&around=-1")).status).toBe(400);
  // The view is of the present: a time is refused, not ignored.
  expect((await as("ada", "/view?uri=keys.md&as-of=2026-01-01")).status).toBe(400);
});

test("a picture and a recording that are uploaded are kept whole where no reader accepts them, and say how they are found", async () => {
  const { as, kb } = await startWorld({ files: createMemoryBlobStore() });
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  const mp3 = Uint8Array.from([0x49, 0x44, 0x33, 3, 0, ...new Uint8Array(200)]);
  const put = await as("ada", "/document?uri=floor%20plan.png", { method: "PUT", body: png });
  expect([put.status, put.json.chunks]).toEqual([201, 1]);
  expect(put.json.notes).toEqual([
    "The image floor plan.png has no text that is read; it is found by its title, its name and its metadata alone.",
  ]);
  const { jobs } = (await as("ada", "/jobs?uri=minutes.mp3", { body: mp3 })).json;
  await vi.waitFor(async () => expect((await as("ada", `/job?id=${jobs[0].id}`)).json.state).toBe("indexed"), {
    timeout: 20_000,
  });
  const found = (await as("ada", "/search", { body: { query: "floor plan" } })).json.hits[0];
  expect(found.source.uri).toBe("floor plan.png");
  const whole = await kb.as({ userId: "ada", teamId: "acme" }).media("minutes.mp3");
  expect(whole).toMatchObject({ type: "audio", content: mp3 });
  expect((await as("ada", "/original?uri=floor%20plan.png")).status).toBe(200);
  const noise = await as("ada", "/document?uri=random.bin", { method: "PUT", body: new Uint8Array(300).fill(7, 5) });
  expect(noise.status).toBe(422);
});

test("[page 21.3] view, geometry and original of another's document answer as for an unknown one", async () => {
  const { as } = await startWorld({ files: createMemoryBlobStore() });
  await as("ada", "/document?uri=keys.pdf", { method: "PUT", body: pdf });
  for (const path of ["/view", "/geometry", "/original"]) {
    const [other, unknown] = await Promise.all([as("bob", `${path}?uri=keys.pdf`), as("bob", `${path}?uri=none.pdf`)]);
    const bare = (text: string): string =>
      text.replaceAll(/keys\.pdf|none\.pdf/gu, "").replace(/"requestId":"[^"]*"/u, "");
    expect([path, other.status, bare(other.text)]).toEqual([path, 404, bare(unknown.text)]);
  }
});

/** A folder of files in which some writes of originals fail, or work comes before them. */
function originalsOver(
  files: BlobStore,
  before: () => Promise<void> | void,
  after?: (key: string) => Promise<void>,
): BlobStore {
  return {
    ...files,
    async put(key, bytes, options) {
      if (!key.startsWith("originals/")) return files.put(key, bytes, options);
      await before();
      const result = await files.put(key, bytes, options);
      await after?.(key);
      return result;
    },
  };
}

async function countOriginals(files: BlobStore): Promise<number> {
  let count = 0;
  for await (const _ of files.list({ prefix: "originals/" })) count++;
  return count;
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** Uploads in each way that keeps a file. **Shape** the status of the route, or the state of the job. */
const uploads = {
  async "PUT /document"({ as }: World, uri: string, body: Uint8Array, type = "text/plain") {
    const headers = { "content-type": type };
    return (await as("ada", `/document?uri=${uri}`, { method: "PUT", body, headers })).status;
  },
  async "POST /jobs"({ as }: World, uri: string, body: Uint8Array, type = "text/plain") {
    const headers = { "content-type": type };
    const { id } = (await as("ada", `/jobs?uri=${uri}`, { method: "POST", body, headers })).json.jobs[0];
    const shown = await vi.waitFor(async () => {
      const { json } = await as("ada", `/job?id=${id}`);
      // A job that waits for its next attempt has an error too.
      expect(json.error !== undefined || json.state === "indexed").toBe(true);
      return json;
    });
    return shown.state === "indexed" ? 201 : shown.error.message;
  },
};

describe.each(Object.entries(uploads))("a text and its file are there together: %s", (_, upload) => {
  const lynx = new TextEncoder().encode("A lynx sleeps by day.");

  test("a disk that fills before the file is written keeps neither", async () => {
    const files = createMemoryBlobStore();
    let isFull = true;
    const full = originalsOver(files, () => {
      if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    });
    const world = await startWorld({ files: full });
    expect(await upload(world, "lynx.txt", lynx)).not.toBe(201);
    expect((await world.as("ada", "/document?uri=lynx.txt")).status).toBe(404);
    isFull = false;
    expect(await upload(world, "lynx.txt", lynx)).toBe(201);
    expect((await world.as("ada", "/original?uri=lynx.txt")).text).toBe("A lynx sleeps by day.");
  });

  test("a file that cannot be read leaves no bytes, but for those of a document", async () => {
    const files = createMemoryBlobStore();
    const world = await startWorld({ files });
    const type = "application/pdf";
    expect(await upload(world, "broken.pdf", lynx, type)).not.toBe(201);
    expect(await countOriginals(files)).toBe(0);
    const both = [upload(world, "broken.pdf", lynx, type), upload(world, "lynx.txt", lynx)];
    expect((await Promise.all(both)).filter((status) => status === 201)).toHaveLength(1);
    expect(await countOriginals(files)).toBe(1);
    await upload(world, "broken.pdf", lynx, type);
    expect((await world.as("ada", "/original?uri=lynx.txt")).text).toBe("A lynx sleeps by day.");
  });

  test("a purge elsewhere, between file and text, does not take the file", async () => {
    const files = createMemoryBlobStore();
    let purges = 1;
    const swept = originalsOver(
      files,
      () => {},
      async (key) => {
        if (purges-- > 0) await files.delete(key);
      },
    );
    const world = await startWorld({ files: swept });
    expect(await upload(world, "lynx.txt", lynx)).toBe(201);
    expect((await world.as("ada", "/original?uri=lynx.txt")).text).toBe("A lynx sleeps by day.");
  });
});

test("a purge removes the kept files of every version, and leaves those of others and of the trash [L8]", async () => {
  const folder = makeFolder();
  const { as } = await startWorld({ files: openFileBlobStore(folder) });
  const put = (uri: string, text: string) =>
    as("ada", `/document?uri=${uri}&scope=user:ada`, {
      method: "PUT",
      body: new TextEncoder().encode(text),
      headers: { "content-type": "text/plain" },
    });
  for (const text of ["The first zorble.", "The second zorble.", "The third zorble."]) await put("plan.txt", text);
  await put("other.txt", "Another gromble.");
  await put("trashed.txt", "A trashed gromble.");
  await as("ada", "/document?uri=trashed.txt", { method: "DELETE" });
  const kept = (word: string): number =>
    filesBelow(folder).filter((file) => readFileSync(file, "latin1").includes(word)).length;
  expect([kept("zorble"), kept("gromble")]).toEqual([3, 2]);
  expect((await as("ada", "/document?uri=plan.txt&purge=true", { method: "DELETE" })).status).toBe(200);
  expect([kept("zorble"), kept("gromble")]).toEqual([0, 2]);
  expect((await as("ada", "/original?uri=other.txt")).text).toBe("Another gromble.");
});

test("[page 21.1] a purge removes the kept file and the sentences that rest on it; a trashed document comes back", async () => {
  const folder = makeFolder();
  const { as } = await startWorld({ files: openFileBlobStore(folder) });
  await as("ada", "/document?uri=keys.pdf", { method: "PUT", body: pdf });
  await as("ada", "/geometry?uri=keys.pdf&start=0&end=9");
  const { documentId } = (await as("ada", "/view?uri=keys.pdf")).json;
  const place = { marker: "[1]", uri: "keys.pdf", documentId, start: 0, end: 12 };
  const body = {
    title: "Keys",
    turns: [
      {
        question: "How often?",
        kind: "written",
        sentences: [{ text: "Every zorble.", verdict: "supported", places: [place] }],
      },
    ],
  };
  const { id } = (await as("ada", "/threads", { body })).json;
  expect((await as("ada", `/thread?id=${id}`)).json.turns[0].sentences[0]).toMatchObject({
    text: "Every zorble.",
    places: [{ quote: words.slice(0, 12) }],
  });
  await as("ada", "/document?uri=keys.pdf", { method: "DELETE" });
  expect((await as("ada", "/trash")).json.documents.map(({ uri }: { uri: string }) => uri)).toEqual(["keys.pdf"]);
  expect((await as("bob", "/trash")).status).toBe(403);
  expect((await as("ada", "/restore", { body: { uri: "keys.pdf" } })).status).toBe(200);
  expect((await as("ada", "/view?uri=keys.pdf")).status).toBe(200);
  expect(filesBelow(folder).some((file) => readFileSync(file).includes("%PDF-"))).toBe(true);
  expect((await as("ada", "/document?uri=keys.pdf&purge=true", { method: "DELETE" })).status).toBe(200);
  expect((await as("ada", "/original?uri=keys.pdf")).status).toBe(404);
  const rest = filesBelow(folder)
    .map((file) => readFileSync(file, "latin1"))
    .join("\n");
  expect(rest).not.toContain("%PDF-");
  expect(rest).not.toContain("zorble");
});

test("[page 21.3] a shared thread shows no sentence whose evidence its reader may not read", async () => {
  const { as } = await startWorld({ files: createMemoryBlobStore() });
  const place = async (uri: string) => {
    const { documentId, scope } = (await as("ada", `/view?uri=${uri}`)).json;
    return { marker: "[1]", uri, scope, documentId, start: 0, end: 6 };
  };
  const sentences = [
    { text: "All may know this.", verdict: "supported", places: [await place("deployment.md")] },
    { text: "Ada alone may know this.", verdict: "supported", places: [await place("user-ada.md")] },
  ];
  const { id } = (
    await as("ada", "/threads", {
      body: { title: "Keys", turns: [{ question: "Where?", kind: "written", sentences }] },
    })
  ).json;
  expect((await as("ada", `/thread?id=${id}`)).text).toContain("Ada alone");
  const shared = await as("bob", `/thread?id=${id}`);
  expect(shared.text).not.toContain("Ada alone");
  expect(shared.json.turns[0].sentences.map(({ withheld = false }) => withheld)).toEqual([false, true]);
  expect((await as("bob", `/thread?id=${id}`, { method: "DELETE" })).status).toBe(404);
  const own = { title: "Mine", turns: [{ question: "Where?", kind: "written", sentences: [sentences[1]] }] };
  const hidden = (await as("ada", "/threads", { body: own })).json.id as string;
  expect((await as("bob", `/thread?id=${hidden}`)).status).toBe(404);
  expect((await as("bob", "/threads")).json.threads).toEqual([]);
});

test("[page 21.1] a thread shows no other words in the place of a quotation whose document has changed", async () => {
  const kb = await openWorld();
  const { as } = await startWorld({ files: createMemoryBlobStore() }, kb);
  const write = (text: string) => kb.ingest({ uri: "tide.txt", text });
  await write("The gate opens at dawn. The gate shuts at dusk.");
  const { documentId, scope } = (await as("operator", "/view?uri=tide.txt")).json;
  const place = { marker: "[1]", uri: "tide.txt", scope, documentId, start: 0, end: 23 };
  const turn = { question: "When?", kind: "quotes", sentences: [{ verdict: "supported", places: [place] }] };
  const { id } = (await as("operator", "/threads", { body: { title: "Tide", turns: [turn] } })).json;
  const read = async () => (await as("operator", `/thread?id=${id}`)).json.turns[0].sentences[0];
  expect(await read()).toMatchObject({ text: "The gate opens at dawn." });
  expect((await read()).places[0]).not.toHaveProperty("changed");

  await write("The gate opens at dawn. The gate shuts at midnight.");
  const still = await read();
  expect(still).toMatchObject({ text: "The gate opens at dawn.", places: [{ changed: true }] });
  expect(still.places[0]).not.toHaveProperty("gone");

  await write("Nobody knows. The gate opens at dawn.");
  expect(await read()).toMatchObject({
    text: "",
    places: [{ quote: "", changed: true, gone: true, start: 0, end: 23 }],
  });
  // A page that keeps the thread again, with another question, does not take the present words for the cited ones.
  await as("operator", `/thread?id=${id}`, { method: "PUT", body: { title: "Tide", turns: [turn, turn] } });
  expect(await read()).toMatchObject({ text: "", places: [{ gone: true }] });
});

test("[page 21.1] no reader sees a path of the server; the public name leads back to the document", async () => {
  const folder = join(makeFolder(), "handbook");
  mkdirSync(join(folder, "keys"), { recursive: true });
  writeFileSync(join(folder, "keys", "rotation.md"), `# Rotation\n\n${words}\n`);
  writeFileSync(join(folder, "keys.pdf"), pdf);
  const kb = await openWorld();
  await kb.ingest(folder);
  const { as } = await startWorld({ readSource: (path) => readFile(path).catch(() => undefined) }, kb);
  const question = { query: "signing keys rotated" };
  const mcp = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "search", arguments: { query: "signing keys rotated" } },
  };
  const told = [
    await as("bob", "/documents"),
    await as("bob", "/search", { body: question }),
    await as("bob", "/ask", { body: { question: "How often are signing keys rotated?" } }),
    await as("bob", "/ask", {
      body: { question: "How often are signing keys rotated?" },
      headers: { accept: "text/event-stream" },
    }),
    await as("bob", "/mcp", { body: mcp, headers: { accept: "application/json, text/event-stream" } }),
    await as("bob", "/view?uri=handbook/keys/rotation.md"),
    await as("bob", "/outline?uri=handbook/keys/rotation.md"),
    await as("bob", "/geometry?uri=handbook/keys.pdf&start=0&end=5"),
    await as("bob", "/document?uri=handbook/nothing.md"),
  ];
  expect(told.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 404]);
  for (const { text } of told) expect(text).not.toContain(folder);
  expect(told[1]!.text).toContain("handbook/keys/rotation.md");
  expect((await as("operator", "/documents")).text).toContain(folder);
});

test("[page 21.2] the session says who asks and what they may do", async () => {
  const { as } = await startWorld({ files: createMemoryBlobStore() });
  expect((await as("bob", "/session")).json).toMatchObject({
    name: "bob",
    operator: false,
    write: false,
    needsKey: true,
    login: false,
    threads: true,
  });
  expect((await as("ada", "/session")).json).toMatchObject({ name: "ada", write: true });
});

test("[page 21.2] a thread gets another title alone, keeps its turns and its age, and names its documents as readers know them", async () => {
  const { as } = await startWorld({ files: createMemoryBlobStore() });
  const { documentId, scope } = (await as("ada", "/view?uri=deployment.md")).json;
  const place = { marker: "[1]", uri: "deployment.md", scope, documentId, start: 0, end: 6 };
  const turn = { question: "Where?", kind: "quotes", sentences: [{ verdict: "supported", places: [place] }] };
  const { id } = (await as("ada", "/threads", { body: { title: "Keys", turns: [turn] } })).json;
  const before = (await as("ada", `/thread?id=${id}`)).json;
  expect((await as("ada", `/thread?id=${id}`, { method: "PUT", body: { title: "Locks" } })).json).toEqual({ id });
  expect((await as("ada", `/thread?id=${id}`)).json).toEqual({ ...before, title: "Locks" });
  expect((await as("bob", `/thread?id=${id}`, { method: "PUT", body: { title: "Mine" } })).status).toBe(404);
  const none = `${id.slice(0, -8)}00000000`;
  expect((await as("ada", `/thread?id=${none}`, { method: "PUT", body: { title: "None" } })).status).toBe(404);
  const { rootLabel, path } = (await as("ada", "/documents?under=deployment.md")).json.documents[0];
  expect(before.turns[0].sentences[0].places[0]).toMatchObject({ ...(rootLabel && { rootLabel }), path });
});

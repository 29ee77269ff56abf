import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IngestOptions, type KnowledgeBase, openKnowledgeBase } from "ibid";
import { alwaysRefresh, neverRefreshExisting, refreshAfter, refreshMatching } from "ibid/ingest";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-refresh-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function statuses(
  kb: KnowledgeBase,
  input: Parameters<KnowledgeBase["ingest"]>[0],
  options?: IngestOptions,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { uri, status, error } of kb.ingest(input, options))
    found[uri] = error === undefined ? status : `${status}: ${error.code}`;
  return found;
}

const summaryOf = async (kb: KnowledgeBase, uri: string) => {
  for await (const summary of kb.list()) if (summary.uri === uri) return summary;
  return expect.fail(`${uri} is not there`);
};

describe("ingesting with a refresh policy [E16]", () => {
  const old = { uri: "a.txt", text: "The heron waits." };
  const fresh = { uri: "a.txt", text: "The heron has gone." };
  const other = { uri: "b.txt", text: "The otter swims." };

  it("does not read what the policy does not want", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest([old]);
    let reads = 0;
    const bytes = (async function* () {
      reads++;
      yield new TextEncoder().encode("The heron has gone.");
    })();
    expect(await statuses(kb, [{ uri: "a.txt", bytes }, other], { refresh: neverRefreshExisting })).toEqual({
      "a.txt": "unchanged",
      "b.txt": "added",
    });
    expect(reads).toBe(0);
    expect((await kb.document("a.txt"))?.text).toBe(old.text);
    expect(await statuses(kb, [fresh], { refresh: alwaysRefresh })).toEqual({ "a.txt": "updated" });
    expect(await statuses(kb, [old, other], { refresh: refreshMatching("b.") })).toEqual({
      "a.txt": "unchanged",
      "b.txt": "unchanged",
    });
    await kb.close();
  });

  it("writes nothing for what has not changed, however often it is looked at [L7]", async () => {
    const kb = await openKnowledgeBase(join(folder, "kb"));
    await kb.ingest([old, other]);
    const before = await summaryOf(kb, "a.txt");
    expect(before.checkedAt).toBe(before.ingestedAt);
    await kb.ingest([old, other]);
    expect(await summaryOf(kb, "a.txt")).toEqual(before);
    const { embedded, unchanged } = await kb.ingest([old, other], { refresh: alwaysRefresh });
    const after = await summaryOf(kb, "a.txt");
    expect([embedded, unchanged]).toEqual([0, 2]);
    expect(after).toEqual({ ...before, checkedAt: after.checkedAt });
    expect(after.checkedAt >= before.checkedAt).toBe(true);
    await kb.close();
  });

  it("counts the age from when it was last looked at, not from when it was last written", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest([old]);
    let now = Date.now();
    const hourly = refreshAfter(3_600_000, { now: () => now });
    expect(await statuses(kb, [fresh], { refresh: hourly })).toEqual({ "a.txt": "unchanged" });
    expect((await kb.document("a.txt"))?.text).toBe(old.text);
    now += 3_600_000 + 60_000;
    expect(await statuses(kb, [fresh], { refresh: hourly })).toEqual({ "a.txt": "updated" });
    await kb.close();
  });

  it("asks once for each document, and what a policy throws fails that document alone", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest([old, other]);
    const asked: string[] = [];
    const refresh = {
      shouldReread: (uri: string): boolean => {
        asked.push(uri);
        if (uri === "a.txt") throw new Error("no idea");
        return true;
      },
    };
    expect(await statuses(kb, [fresh, other], { refresh })).toEqual({
      "a.txt": "failed: internal",
      "b.txt": "unchanged",
    });
    expect(asked).toEqual(["a.txt", "b.txt"]);
    expect((await kb.document("a.txt"))?.text).toBe(old.text);
    await kb.close();
  });

  it("keeps documents of a folder that the policy leaves unread: they are not gone", async () => {
    const kb = await openKnowledgeBase();
    const source = (text: string) => ({
      folders: ["shelf"],
      async *items() {
        for (const uri of ["shelf/a.txt", "shelf/b.txt"])
          yield { uri, folder: "shelf", bytes: async () => new TextEncoder().encode(`${text} ${uri}`) };
      },
    });
    await kb.ingest(source("one"));
    expect(await statuses(kb, source("two"), { refresh: neverRefreshExisting })).toEqual({
      "shelf/a.txt": "unchanged",
      "shelf/b.txt": "unchanged",
    });
    await kb.close();
  });

  it("shows readers the old document or the new one, never a gap [L7]", async () => {
    const kb = await openKnowledgeBase(join(folder, "kb"));
    const versions = ["heron", "otter"].map((word) => ({
      uri: "a.txt",
      text: Array.from({ length: 12 }, (_, i) => `${word} ${i} ${"lantern ".repeat(110)}`).join("\n\n"),
    }));
    await kb.ingest(versions[0]!);
    const done = new AbortController();
    const seen = new Set<string>();
    const watch = (async () => {
      while (!done.signal.aborted) {
        // Without a turn for what waits on the event loop, the writer would never get on.
        await new Promise((resolve) => void setImmediate(resolve));
        const hits = await kb.search("lantern", { topK: "all", mode: "lexical", snippetLength: 0 });
        const words = new Set(hits.map(({ text }) => /heron|otter/u.exec(text)?.[0] ?? "neither"));
        seen.add([...words].join("+"));
        const [first] = hits;
        // A chunk that was found may be gone by now; what it expands to is of one version all the same.
        const around = first && (await kb.expand(first, { neighbours: 3 }));
        if (around !== undefined) seen.add([...new Set(around.text.match(/heron|otter/gu))].join("+"));
      }
    })();
    for (let round = 1; round <= 12; round++)
      expect((await kb.ingest(versions[round % 2]!, { refresh: alwaysRefresh })).updated).toBe(1);
    done.abort();
    await watch;
    expect([...seen].toSorted()).toEqual(["heron", "otter"]);
    await kb.close();
  });
});

describe("asking a server whether anything has changed [E16]", () => {
  let server: Server;
  let origin = "";
  const requests: IncomingMessage[] = [];
  let version = 1;
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      const dated = request.url === "/dated";
      const etag = `"v${version}"`;
      const lastModified = new Date(version * 1e9).toUTCString();
      if (dated) response.setHeader("last-modified", lastModified);
      else response.setHeader("etag", etag);
      response.setHeader("content-type", "text/plain");
      const { "if-none-match": known, "if-modified-since": since } = request.headers;
      if (known === etag || (since !== undefined && Date.parse(since) >= version * 1e9)) response.writeHead(304).end();
      else response.end(`the page in version ${version}`);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    requests.length = 0;
    version = 1;
  });
  const open = (options = {}): Promise<KnowledgeBase> =>
    openKnowledgeBase(join(folder, "kb"), { sources: { allowAddress: () => true }, ...options });

  it.each([
    ["/tagged", "if-none-match"],
    ["/dated", "if-modified-since"],
  ])("sends back what it said of %s, and takes its 304 for an answer [L7]", async (path, header) => {
    const uri = `${origin}${path}`;
    const first = await open();
    expect(await statuses(first, uri)).toEqual({ [uri]: "added" });
    await first.close();
    // What a server said is kept with the document, also for the next process.
    const kb = await open();
    const before = await summaryOf(kb, uri);
    expect(await statuses(kb, uri)).toEqual({ [uri]: "unchanged" });
    expect(requests.map(({ headers }) => header in headers)).toEqual([false, true]);
    expect(await summaryOf(kb, uri)).toEqual(before);
    version = 2;
    expect(await statuses(kb, uri)).toEqual({ [uri]: "updated" });
    expect((await kb.document(uri))?.text).toBe("the page in version 2");
    expect(await statuses(kb, uri)).toEqual({ [uri]: "unchanged" });
    await kb.close();
  });

  it("asks for the whole page where its metadata or the pipeline are others by now", async () => {
    const uri = `${origin}/tagged`;
    const kb = await open();
    await kb.ingest(uri);
    expect(await statuses(kb, uri, { metadata: { team: "web" } })).toEqual({ [uri]: "updated" });
    expect("if-none-match" in requests[1]!.headers).toBe(false);
    await kb.close();
    const again = await open({
      models: { embedding: null },
      transformers: [{ name: "same", transform: (chunk: never) => chunk }],
    });
    expect(await statuses(again, uri, { metadata: { team: "web" } })).toEqual({ [uri]: "updated" });
    await again.close();
  });

  it("does not ask at all where the policy says no", async () => {
    const uri = `${origin}/tagged`;
    const kb = await open();
    await kb.ingest(uri);
    expect(await statuses(kb, uri, { refresh: neverRefreshExisting })).toEqual({ [uri]: "unchanged" });
    expect(await statuses(kb, uri, { refresh: refreshAfter(3_600_000) })).toEqual({ [uri]: "unchanged" });
    expect(requests.length).toBe(1);
    const before = await summaryOf(kb, uri);
    expect(await statuses(kb, uri, { refresh: refreshAfter(0) })).toEqual({ [uri]: "unchanged" });
    const after = await summaryOf(kb, uri);
    expect(after).toEqual({ ...before, checkedAt: after.checkedAt });
    expect(requests.length).toBe(2);
    await kb.close();
  });

  it("refuses a 304 that answers nothing", async () => {
    const broken = createServer((_, response) => response.writeHead(304).end());
    await new Promise<void>((resolve) => void broken.listen(0, "127.0.0.1", resolve));
    const uri = `http://127.0.0.1:${(broken.address() as AddressInfo).port}/`;
    const kb = await open();
    expect(await statuses(kb, uri)).toEqual({ [uri]: "failed: fetch-failed" });
    await kb.close();
    broken.close();
  });
});

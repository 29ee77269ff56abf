import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as startRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Upload } from "tus-js-client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openFileBlobStore } from "../../src/stores/blobs/open-file-blob-store.ts";
import { defaultLimits } from "../../src/server/handler-options.ts";
import { createMemoryJobShelf } from "../../src/server/jobs/job-shelf.ts";
import { createServiceJobs } from "../../src/server/jobs/service-jobs.ts";
import type { BlobStore } from "../../src/contracts/blob-store.ts";
import type { JobRecord } from "../../src/server/jobs/job.ts";
import { createJobShelf } from "../../src/server/jobs/job-shelf.ts";
import { createWebhookSender } from "../../src/server/jobs/webhook.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Caller } from "../../src/server/route.ts";
import { keys, openWorld, startWorld, type TestService, type Who } from "./service.ts";

const operatorOf = (kb: KnowledgeBase): Caller => ({
  name: "ops",
  kb,
  access: "operator",
  isOperator: true,
  mayWrite: true,
  perMinute: 1,
  perDay: { requests: 0, bytes: 0, tokens: 0 },
});

const over = /^(?:indexed|unchanged|failed|cancelled)$/u;

/** Waits until a job is over. */
async function ended({ as }: TestService, who: Who, id: string) {
  return await vi.waitFor(
    async () => {
      const { json } = await as(who, `/job?id=${id}`);
      expect(json.state).toMatch(over);
      return json;
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** The server-sent events of a response so far, and whether it ended. */
function parseEvents(text: string) {
  return text
    .split("\n\n")
    .filter((block) => block.includes("data: "))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "mu").exec(block)?.[1] ?? "";
      return { id: field("id"), event: field("event"), data: JSON.parse(field("data")) as Record<string, unknown> };
    });
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "ibid-jobs-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A knowledge base in a folder, with the files of its service beside it. */
async function openLasting(path: string) {
  const kb = await openKnowledgeBase(join(path, "kb"), { reading: { worker: false } });
  onTestFinished(() => kb.close());
  return { kb, files: openFileBlobStore(join(path, "kb", "files")) };
}

async function listen(handle: Parameters<typeof createServer>[1]): Promise<{ server: Server; url: string }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const markdown = { "content-type": "text/markdown" };

describe("jobs over HTTP", () => {
  it("ingests a raw file with its metadata, and tells its caller the end", async () => {
    const world = await startWorld();
    const body = "# Cheese\n\nCheddar ripens for twelve months.\n";
    const metadata = encodeURIComponent('{"topic":"cheese"}');
    const made = await world.as("ada", `/jobs?uri=cheese.md&title=On%20cheese&metadata=${metadata}`, {
      body,
      headers: markdown,
    });
    expect(made.status).toBe(202);
    const [job] = made.json.jobs;
    expect(job).toMatchObject({ uri: "cheese.md", scope: "team:acme", received: body.length, size: body.length });
    const done = await ended(world, "ada", job.id);
    expect(done).toMatchObject({ state: "indexed", attempts: 1, result: { status: "added", scope: "team:acme" } });
    const found = await world.as("ada", "/search", { body: { query: "cheddar", filter: { topic: "cheese" } } });
    expect(found.json.hits[0].source).toMatchObject({ uri: "cheese.md", title: "On cheese" });
    const again = await world.as("ada", `/jobs?uri=cheese.md&title=On%20cheese&metadata=${metadata}`, {
      body,
      headers: markdown,
    });
    expect((await ended(world, "ada", again.json.jobs[0].id)).state).toBe("unchanged");
  });

  it("tells the pages of a file while it is read, also to its stream of events [20]", async () => {
    let turn = Promise.withResolvers<void>();
    const kb = await openKnowledgeBase({
      readers: [
        {
          name: "scroll/1",
          accepts: (mediaType) => mediaType === "application/x-scroll",
          async read({ onPage }) {
            for (const done of [1, 3]) {
              onPage?.(done, 3);
              await turn.promise;
              turn = Promise.withResolvers();
            }
            return "Herons wade.";
          },
        },
      ],
    });
    onTestFinished(() => kb.close());
    const world = await startWorld({}, kb);
    const made = await world.as("ada", "/jobs?uri=a.scroll", {
      body: new Uint8Array([1]),
      headers: { "content-type": "application/x-scroll" },
    });
    const { id } = made.json.jobs[0];
    const events = world.as("ada", `/jobs/events?id=${id}`);
    for (const done of [1, 3]) {
      await vi.waitFor(
        async () => {
          const { json } = await world.as("ada", `/job?id=${id}`);
          expect(json).toMatchObject({ state: "reading", progress: { chunks: 0, pages: { done, of: 3 } } });
        },
        { timeout: 30_000, interval: 10 },
      );
      turn.resolve();
    }
    const told = parseEvents((await events).text).map(({ data }) => data["progress"]);
    expect(told).toContainEqual({ chunks: 0, pages: { done: 3, of: 3 } });
    const done = await ended(world, "ada", id);
    expect(done.state).toBe("indexed");
    expect(done).not.toHaveProperty("progress");
  });

  it("takes a batch of texts, and a form with files, each under one name", async () => {
    const world = await startWorld();
    const { json } = await world.as("ada", "/jobs", {
      body: {
        jobs: [
          { uri: "one.txt", text: "The first kite is red." },
          { uri: "two.txt", text: "The second kite is blue.", metadata: { colour: "blue" } },
        ],
        batch: "kites",
        metadata: { topic: "kites" },
      },
    });
    expect(json.jobs.map(({ batch }: { batch: string }) => batch)).toEqual(["kites", "kites"]);
    for (const { id } of json.jobs) expect((await ended(world, "ada", id)).state).toBe("indexed");
    const blue = await world.as("ada", "/search", {
      body: { query: "kite", filter: { colour: "blue", topic: "kites" } },
    });
    expect(blue.json.hits).toMatchObject([{ source: { uri: "two.txt" } }]);
    const form = new FormData();
    form.set("scope", "user:ada");
    form.set("metadata", '{"kind":"note"}');
    form.append("file", new File(["Ada likes plums."], "plums.txt", { type: "text/plain" }));
    form.append("file", new File(["Ada dislikes figs."], "figs.txt", { type: "text/plain" }));
    const sent = await fetch(`${world.service.url}jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.ada.key}` },
      body: form,
    });
    const made = (await sent.json()) as { jobs: { id: string; batch: string; uri: string; scope: string }[] };
    expect(made.jobs.map(({ uri, scope }) => [uri, scope])).toEqual([
      ["plums.txt", "user:ada"],
      ["figs.txt", "user:ada"],
    ]);
    expect(new Set(made.jobs.map(({ batch }) => batch)).size).toBe(1);
    for (const { id } of made.jobs) expect((await ended(world, "ada", id)).state).toBe("indexed");
    const list = await world.as("ada", "/jobs?limit=3&state=indexed");
    expect(list.json).toMatchObject({
      total: 4,
      jobs: [{ uri: "figs.txt" }, { uri: "plums.txt" }, { uri: "two.txt" }],
    });
    const rest = await world.as("ada", `/jobs?limit=3&state=indexed&after=${list.json.next}`);
    expect(rest.json).toEqual({ total: 4, jobs: [expect.objectContaining({ uri: "one.txt" })] });
  });

  it("reads an address; one on a private network, and one without a page, fail with their reason", async () => {
    const { url } = await listen((request, response) => {
      const status = request.url === "/" ? 200 : 404;
      response.writeHead(status, { "content-type": "text/html" }).end("<title>Owls</title><p>Owls hunt by night.</p>");
    });
    const blocked = await startWorld();
    const { json } = await blocked.as("ada", "/jobs", { body: { url } });
    expect(await ended(blocked, "ada", json.jobs[0].id)).toMatchObject({
      state: "failed",
      source: "url",
      error: { code: "blocked-address", message: "The address is not public." },
    });
    const path = await folder();
    const kb = await openKnowledgeBase(join(path, "kb"), {
      reading: { worker: false },
      sources: { allowAddress: (address) => address === "127.0.0.1" },
    });
    onTestFinished(() => kb.close());
    const world = await startWorld({}, kb);
    const made = await world.as("ada", "/jobs", { body: { url } });
    expect(await ended(world, "ada", made.json.jobs[0].id)).toMatchObject({ state: "indexed", uri: url });
    const found = await world.as("ada", "/search", { body: { query: "owls" } });
    expect(found.json.hits[0].source).toMatchObject({ uri: url, title: "Owls" });
    const missing = await world.as("ada", "/jobs", { body: { url: `${url}gone` } });
    expect(await ended(world, "ada", missing.json.jobs[0].id)).toMatchObject({
      state: "failed",
      error: { code: "fetch-failed", message: "The address answered with status 404." },
    });
    for (const bad of ["file:///etc/passwd", "/etc/passwd", "ftp://a/b"])
      expect((await world.as("ada", "/jobs", { body: { url: bad } })).status).toBe(400);
  });

  it("shows a job to its caller and to operators alone; others get the answer for one that is not there", async () => {
    const carol = { name: "carol", key: "carol-carol-carol-1", userId: "carol", teamId: "acme", write: true } as const;
    const world = await startWorld({ keys: [...Object.values(keys), carol] });
    const { json } = await world.as("ada", "/jobs?uri=a.txt", { body: "Ada wrote this." });
    const { id } = json.jobs[0];
    await ended(world, "ada", id);
    const asCarol = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(new URL(path, world.service.url), {
        ...init,
        headers: { authorization: `Bearer ${carol.key}`, "content-type": "application/json", "tus-resumable": "1.0.0" },
      });
      return { status: response.status, text: await response.text() };
    };
    const strip = ({ status, text }: { status: number; text: string }) => ({
      status,
      text: text.replace(/"requestId":"[^"]*"/u, ""),
    });
    const ids = (one: string) => ({ method: "POST", body: JSON.stringify({ ids: [one] }) });
    for (const [path, init] of [
      ["job?id=ID", {}],
      ["job?id=ID", { method: "DELETE" }],
      ["upload?id=ID", { method: "DELETE" }],
      ["upload?id=ID", {}],
      ["jobs/events?id=ID", {}],
      ["jobs/cancel", ids(id)],
      ["jobs/retry", ids(id)],
    ] as const) {
      const own = await asCarol(path.replace("ID", id), init);
      const unknown = await asCarol(
        path.replace("ID", "nothing"),
        path.startsWith("jobs/") && "body" in init ? ids("x") : init,
      );
      expect(strip(own)).toEqual(strip(unknown));
      expect(own.status).toBe(404);
    }
    expect(JSON.parse((await asCarol("jobs")).text)).toEqual({ jobs: [], total: 0 });
    expect((await world.as("bob", "/jobs")).status).toBe(403);
    expect((await world.as("operator", "/jobs")).json).toMatchObject({ total: 1, jobs: [{ id, caller: "ada" }] });
    expect((await world.as("ada", "/jobs")).json.jobs[0].caller).toBeUndefined();
    expect((await world.as("ada", `/job?id=${id}`, { method: "DELETE" })).json).toEqual({ ids: [id] });
    expect((await world.as("operator", "/jobs")).json.total).toBe(0);
    // The document stays.
    expect((await world.as("ada", "/document?uri=a.txt")).status).toBe(200);
  });

  it("loses the jobs of a purged document, and none of the same uri in a scope of others [L4]", async () => {
    const world = await startWorld({ keys: Object.values(keys) });
    const uris = async () =>
      ((await world.as("operator", "/jobs")).json.jobs as { uri: string; scope: string }[]).map(({ scope }) => scope);
    for (const [who, scope] of [
      ["operator", "team:umbrella"],
      ["ada", "user:ada"],
    ] as const) {
      const { json } = await world.as(who, `/jobs?uri=plan.txt&scope=${scope}`, { body: "The plan." });
      expect(await ended(world, who, json.jobs[0].id)).toMatchObject({ state: "indexed" });
    }
    expect((await uris()).toSorted()).toEqual(["team:umbrella", "user:ada"]);
    // Without a scope, the document is the one that the caller may read.
    expect((await world.as("ada", "/document?uri=plan.txt&purge=true", { method: "DELETE" })).status).toBe(200);
    expect(await uris()).toEqual(["team:umbrella"]);
  });

  it("refuses what cannot be: foreign scopes, unknown fields, too large files, and uris in the wrong place", async () => {
    const world = await startWorld({ limits: { maxUploadBytes: 1000 } });
    const refusal = async (path: string, body: unknown) => {
      const { status, json } = await world.as("ada", path, { body });
      return [status, json.error.message];
    };
    expect(await refusal("/jobs?uri=a.txt&scope=team:umbrella", "text")).toEqual([
      403,
      expect.stringContaining("umbrella"),
    ]);
    expect(await refusal("/jobs", { uri: "a", text: "b", titel: "c" })).toEqual([
      400,
      expect.stringContaining("titel"),
    ]);
    expect(await refusal("/jobs", { uri: "a" })).toEqual([400, expect.stringContaining("neither url")]);
    expect(await refusal("/jobs", { url: "https://a.example/", title: "A" })).toEqual([
      400,
      expect.stringContaining("title"),
    ]);
    expect(await refusal("/jobs", "no uri")).toEqual([400, "The parameter uri is missing."]);
    expect(await refusal("/jobs?uri=a.txt", "x".repeat(1001))).toEqual([413, expect.stringContaining("1000")]);
    expect((await world.as("ada", "/jobs")).json.total).toBe(0);
  });
});

describe("resumable uploads", () => {
  /** Sends a file by the client of tus; `cut` breaks its connections off. */
  function upload(
    url: string,
    bytes: Buffer,
    metadata: Record<string, string>,
    more: Partial<ConstructorParameters<typeof Upload>[1]> = {},
  ) {
    return new Promise<{ id: string; upload: Upload }>((resolve, reject) => {
      const sending = new Upload(bytes, {
        endpoint: `${url}uploads`,
        headers: { authorization: `Bearer ${keys.ada.key}` },
        metadata,
        retryDelays: [10, 50, 100],
        onSuccess: () => resolve({ id: new URL(sending.url!).searchParams.get("id")!, upload: sending }),
        onError: reject,
        ...more,
      });
      sending.start();
    });
  }

  it("takes a file from the client of tus, in pieces, with metadata", async () => {
    const world = await startWorld();
    const text = `# Rivers\n\n${"The Danube flows to the Black Sea. ".repeat(3000)}`;
    const { id } = await upload(
      world.service.url,
      Buffer.from(text),
      { filename: "rivers.md", filetype: "text/markdown", metadata: '{"topic":"rivers"}', title: "Flüsse" },
      { chunkSize: 20_000 },
    );
    expect(await ended(world, "ada", id)).toMatchObject({
      state: "indexed",
      uri: "rivers.md",
      title: "Flüsse",
      size: text.length,
    });
    const { json } = await world.as("ada", "/document?uri=rivers.md");
    expect(json).toMatchObject({ metadata: expect.objectContaining({ topic: "rivers" }), length: text.length });
  });

  it("goes on after a connection that broke, and after the service began anew, without a byte again", async () => {
    const path = await folder();
    const { kb, files } = await openLasting(path);
    const first = await startWorld({ files }, kb);
    const bytes = Buffer.from(`A line about storks.${"\n".repeat(9_000_000)}The end of the storks.`);
    const begun = await fetch(`${first.service.url}uploads`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${keys.ada.key}`,
        "tus-resumable": "1.0.0",
        "upload-length": String(bytes.length),
        "upload-metadata": `filename ${btoa("storks.txt")}`,
      },
    });
    expect(begun.status).toBe(201);
    const location = begun.headers.get("location")!;
    const half = 6_000_000;
    await new Promise<void>((resolve) => {
      const patch = startRequest(new URL(location, first.service.url), {
        method: "PATCH",
        headers: {
          authorization: `Bearer ${keys.ada.key}`,
          "tus-resumable": "1.0.0",
          "content-type": "application/offset+octet-stream",
          "upload-offset": "0",
          "content-length": String(bytes.length),
        },
      });
      patch.on("error", () => resolve());
      // The socket is cut when the half has left it. A busy service has not read all of it by then.
      patch.write(bytes.subarray(0, half), () => setTimeout(() => patch.destroy(), 300));
    });
    const head = async (url: string) =>
      fetch(new URL(location, url), {
        method: "HEAD",
        headers: { authorization: `Bearer ${keys.ada.key}`, "tus-resumable": "1.0.0" },
      });
    const shown = await head(first.service.url);
    expect([shown.status, shown.headers.get("upload-length")]).toEqual([204, String(bytes.length)]);
    expect(Date.parse(shown.headers.get("upload-expires")!)).toBeGreaterThan(Date.now());
    await first.service.stop();
    const second = await startWorld({ files }, kb);
    const kept = Number((await head(second.service.url)).headers.get("upload-offset"));
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(half);
    let sent = 0;
    const { id } = await upload(
      second.service.url,
      bytes,
      {},
      {
        uploadUrl: new URL(location, second.service.url).href,
        onChunkComplete: (size) => void (sent += size),
      },
    );
    expect(sent).toBe(bytes.length - kept);
    expect(await ended(second, "ada", id)).toMatchObject({ state: "indexed", uri: "storks.txt" });
    const { json } = await second.as("ada", "/search", { body: { query: "the end of the storks" } });
    expect(json.hits[0].text).toContain("The end of the storks.");
  });

  it("speaks tus 1.0.0: its version, wrong offsets, wrong types, termination", async () => {
    const world = await startWorld();
    const call = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
      fetch(new URL(path, world.service.url), {
        method,
        headers: { authorization: `Bearer ${keys.ada.key}`, "tus-resumable": "1.0.0", ...headers },
        ...(body !== undefined && { body }),
      });
    const options = await call("OPTIONS", "uploads");
    expect(options.headers.get("tus-version")).toBe("1.0.0");
    expect(options.headers.get("tus-extension")).toBe("creation,creation-with-upload,expiration,termination");
    expect(options.headers.get("tus-max-size")).toBe(String(32 * 2 ** 20));
    const name = { "upload-metadata": `filename ${btoa("a.txt")}` };
    expect((await call("POST", "uploads", { ...name, "tus-resumable": "0.2.2", "upload-length": "5" })).status).toBe(
      412,
    );
    expect((await call("POST", "uploads", name)).status).toBe(400);
    expect((await call("POST", "uploads", { ...name, "upload-length": String(2 ** 30) })).status).toBe(413);
    expect(
      (await call("POST", "uploads", { "upload-metadata": `colour ${btoa("red")}`, "upload-length": "5" })).status,
    ).toBe(400);
    const piece = { "content-type": "application/offset+octet-stream" };
    const made = await call("POST", "uploads", { ...name, ...piece, "upload-length": "10" }, "hello");
    expect([made.status, made.headers.get("upload-offset"), made.headers.get("tus-resumable")]).toEqual([
      201,
      "5",
      "1.0.0",
    ]);
    const at = made.headers.get("location")!;
    expect((await call("PATCH", at, { ...piece, "upload-offset": "4" }, "xxxxx")).status).toBe(409);
    expect((await call("PATCH", at, { "content-type": "text/plain", "upload-offset": "5" }, "world")).status).toBe(415);
    expect((await call("PATCH", at, { ...piece, "upload-offset": "5" }, "worlds!")).status).toBe(413);
    expect((await call("HEAD", at)).headers.get("upload-offset")).toBe("5");
    const half = await call("POST", "uploads", { ...name, ...piece, "upload-length": "10" }, "hello");
    const halfway = half.headers.get("location")!;
    const ids = [new URL(halfway, world.service.url).searchParams.get("id")];
    expect((await world.as("ada", "/jobs/cancel", { body: { ids } })).json).toEqual({ ids });
    // Not a conflict, after which a client would send the same bytes again.
    expect((await call("PATCH", halfway, { ...piece, "upload-offset": "5" }, "world")).status).toBe(410);
    expect((await call("DELETE", at)).status).toBe(204);
    const gone = await call("HEAD", at);
    expect([gone.status, gone.headers.get("tus-resumable")]).toEqual([404, "1.0.0"]);
    const empty = await call("POST", "uploads", {
      "upload-metadata": `filename ${btoa("e.txt")}`,
      "upload-length": "0",
    });
    const id = new URL(empty.headers.get("location")!, world.service.url).searchParams.get("id")!;
    expect((await ended(world, "ada", id)).error.code).toBe("empty");
  });
});

describe("the life of a job", () => {
  it("refuses an address with a user and a password at once, so that no list shows them", async () => {
    const world = await startWorld();
    const refused = await world.as("ada", "/jobs", { body: { url: "https://ada:secret@example.org/" } });
    expect(refused).toMatchObject({ status: 400, json: { error: { code: "invalid-argument" } } });
    expect((await world.as("ada", "/jobs")).json).toMatchObject({ jobs: [], total: 0 });
  });

  it.each([
    [{ webhook: { url: "https://receiver.example/" } }, "The fields of webhook are url, secret."],
    [{ webhook: "https://receiver.example/" }, "The fields of webhook are url, secret."],
    [{ webhook: { url: "https://receiver.example/", secrets: "x" } }, 'Did you mean "secret"?'],
    [{ webhok: {} }, 'Did you mean "webhook"?'],
    [{ uri: 3 }, "The fields are "],
  ])("names the fields of what is wrong: %j", async (wrong, hint) => {
    const world = await startWorld();
    const { status, json } = await world.as("ada", "/jobs", { body: { uri: "w.txt", text: "Wolves.", ...wrong } });
    expect([status, json.error.hint.slice(0, hint.length)]).toEqual([400, hint]);
  });

  it("streams every change with ids; a client that comes back gets just what it missed", async () => {
    const world = await startWorld();
    const watch = async (last?: string) => {
      const response = await fetch(`${world.service.url}jobs/events?batch=b`, {
        headers: { authorization: `Bearer ${keys.ada.key}`, ...(last !== undefined && { "last-event-id": last }) },
      });
      return { status: response.status, events: parseEvents(await response.text()) };
    };
    const { json } = await world.as("ada", "/jobs", {
      body: { batch: "b", jobs: [1, 2, 3].map((n) => ({ uri: `${n}.txt`, text: `Kite ${n}.` })) },
    });
    const { events } = await watch();
    expect(events[0]).toMatchObject({ event: "begin", data: { jobs: 3 } });
    expect(events.at(-1)).toMatchObject({ event: "end", data: { reason: "over" } });
    const last = new Map(events.filter(({ event }) => event === "job").map(({ data }) => [data["id"], data["state"]]));
    expect([...last.values()]).toEqual(["indexed", "indexed", "indexed"]);
    expect(new Set(last.keys())).toEqual(new Set(json.jobs.map(({ id }: { id: string }) => id)));
    // From each place on, the rest is the same final state.
    for (const [index, { id }] of events.entries()) {
      const missed = new Set(
        events
          .slice(index + 1)
          .filter(({ event }) => event === "job")
          .map(({ data }) => data["id"]),
      );
      const rest = await watch(id);
      const seen = rest.events.filter(({ event }) => event === "job").map(({ data }) => data["id"]);
      expect([rest.status, new Set(seen)]).toEqual([missed.size === 0 ? 204 : 200, missed]);
    }
    const elsewhere = await watch("00000000-3");
    expect(elsewhere.events.filter(({ event }) => event === "job")).toHaveLength(3);
  });

  it("retries a failed job, and does jobs of an earlier process", async () => {
    const path = await folder();
    const { kb, files } = await openLasting(path);
    const first = await startWorld({ files, limits: { jobsAtOnce: 1 } }, kb);
    const broken = await first.as("ada", "/jobs?uri=a.pdf", {
      body: "no pdf",
      headers: { "content-type": "application/pdf" },
    });
    const { id } = broken.json.jobs[0];
    const failed = await ended(first, "ada", id);
    expect(failed).toMatchObject({ state: "failed", attempts: 1, error: { code: expect.any(String) } });
    expect((await first.as("ada", "/jobs/retry", { body: { ids: [id] } })).json).toEqual({ ids: [id] });
    expect(await ended(first, "ada", id)).toMatchObject({ state: "failed", attempts: 1 });
    await first.service.stop();
    // A record as a killed process leaves it, with its bytes.
    const left = await files.get(`jobs/${id}.json`);
    const record = {
      ...JSON.parse(new TextDecoder().decode(left!.bytes)),
      state: "reading",
      uri: "left.txt",
      mediaType: "text/plain",
    };
    delete record.error;
    await files.put(`jobs/${id}.json`, new TextEncoder().encode(JSON.stringify(record)));
    const second = await startWorld({ files }, kb);
    expect(await ended(second, "ada", id)).toMatchObject({ state: "indexed", uri: "left.txt" });
    expect((await second.as("ada", "/document?uri=left.txt")).json.text).toBe("no pdf");
    await vi.waitFor(
      async () => {
        const kept: string[] = [];
        for await (const { key } of files.list({ prefix: "jobs/" })) kept.push(key);
        expect(kept).toEqual([`jobs/${id}.json`]);
      },
      { timeout: 20_000 },
    );
  });

  it("cancels jobs that are done and jobs that wait, and goes on with the next", async () => {
    // An address that never answers holds the only place.
    const silent = await listen(() => {});
    const path = await folder();
    const kb = await openKnowledgeBase(join(path, "kb"), {
      reading: { worker: false },
      sources: { allowAddress: (address) => address === "127.0.0.1" },
    });
    onTestFinished(() => kb.close());
    const world = await startWorld({ limits: { jobsAtOnce: 1 } }, kb);
    const { json } = await world.as("ada", "/jobs", {
      body: {
        jobs: [{ url: silent.url }, { uri: "waits.txt", text: "It waits." }, { uri: "next.txt", text: "It is next." }],
      },
    });
    const [running, waiting, next] = json.jobs.map(({ id }: { id: string }) => id);
    await vi.waitFor(async () => expect((await world.as("ada", `/job?id=${running}`)).json.state).toBe("reading"), {
      timeout: 20_000,
    });
    expect((await world.as("ada", `/job?id=${next}`)).json).toMatchObject({ state: "queued", ahead: 1 });
    const started = performance.now();
    expect((await world.as("ada", "/jobs/cancel", { body: { ids: [waiting, running] } })).json.ids).toHaveLength(2);
    expect(await ended(world, "ada", next)).toMatchObject({ state: "indexed" });
    expect(performance.now() - started).toBeLessThan(2000);
    for (const id of [running, waiting])
      expect((await world.as("ada", `/job?id=${id}`)).json).toMatchObject({
        state: "cancelled",
        error: { code: "aborted" },
      });
    expect((await world.as("ada", "/document?uri=waits.txt")).status).toBe(404);
    expect((await world.as("ada", "/jobs/retry", { body: { ids: [waiting] } })).json).toEqual({ ids: [] });
  });

  it("bounds the jobs and the bytes of one caller, and leaves room for another", async () => {
    const silent = await listen(() => {});
    const path = await folder();
    const kb = await openKnowledgeBase(join(path, "kb"), { sources: { allowAddress: () => true } });
    onTestFinished(() => kb.close());
    const world = await startWorld({ limits: { jobs: 8, jobBytes: 100_000, jobsAtOnce: 2 } }, kb);
    const statuses: number[] = [];
    for (let index = 0; index < 6; index++)
      statuses.push((await world.as("ada", "/jobs", { body: { url: `${silent.url}${index}` } })).status);
    expect(statuses).toEqual([202, 202, 202, 202, 503, 503]);
    const other = await world.as("operator", "/jobs?uri=a.txt", { body: "x" });
    expect(other.status).toBe(202);
    const headers = { "tus-resumable": "1.0.0", "upload-metadata": `filename ${btoa("a")}` };
    const big = (size: number) =>
      world.as("operator", "/uploads", { method: "POST", headers: { ...headers, "upload-length": String(size) } });
    expect((await big(60_000)).status).toBe(503);
    expect((await big(40_000)).status).toBe(201);
    expect((await big(20_000)).status).toBe(503);
  });

  it("signs a webhook for the end of a job, and never goes to a private address unless permitted", async () => {
    const taken: { headers: Record<string, unknown>; body: string }[] = [];
    const { url } = await listen((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (part: string) => (body += part));
      request.on("end", () => {
        taken.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    const secret = "a secret of the receiver";
    const job = { uri: "w.txt", text: "Wolves.", webhook: { url, secret } };
    const permitted = await startWorld({ webhookNetworks: ["127.0.0.1"] });
    const { json } = await permitted.as("ada", "/jobs", { body: job });
    await vi.waitFor(() => expect(taken).toHaveLength(1), { timeout: 5000 });
    const [{ headers, body }] = taken as [{ headers: Record<string, string>; body: string }];
    const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", secret).update(content).digest("base64")}`);
    expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000)).toBeLessThan(60);
    expect(JSON.parse(body)).toMatchObject({ type: "job.indexed", job: { id: json.jobs[0].id, uri: "w.txt" } });
    expect(body).not.toContain(secret);
    await vi.waitFor(
      async () =>
        expect((await permitted.as("ada", `/job?id=${json.jobs[0].id}`)).json.webhook).toEqual({
          state: "delivered",
          attempts: 1,
        }),
      { timeout: 20_000 },
    );
    const closed = await startWorld();
    const other = await closed.as("ada", "/jobs", { body: job });
    await vi.waitFor(
      async () =>
        expect((await closed.as("ada", `/job?id=${other.json.jobs[0].id}`)).json.webhook).toEqual({
          // The same address would be refused at each further attempt.
          state: "failed",
          attempts: 1,
          error: {
            code: "blocked-address",
            message: "The address of the webhook is not public.",
            hint: "Name a public one, or ask the operator for serve.webhookNetworks.",
          },
        }),
      { timeout: 20_000 },
    );
    expect(taken).toHaveLength(1);
  });

  it("tells the end of a batch once, with the message of its last job", async () => {
    const taken: { type: string; batch?: object }[] = [];
    const { url } = await listen((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (part: string) => (body += part));
      request.on("end", () => {
        taken.push(JSON.parse(body) as { type: string });
        response.writeHead(204).end();
      });
    });
    const world = await startWorld({ webhookNetworks: ["127.0.0.1"], limits: { jobsAtOnce: 1 } });
    const jobs = [
      { uri: "one.txt", text: "The first." },
      { uri: "two.bin", text: "\0\u0001\u0002", mediaType: "application/x-unknown" },
      { uri: "three.txt", text: "The third." },
    ];
    const webhook = { url, secret: "a secret of the receiver" };
    await world.as("ada", "/jobs", { body: { jobs, batch: "mine", webhook } });
    await vi.waitFor(() => expect(taken).toHaveLength(3), { timeout: 5000 });
    const told = taken.flatMap(({ batch }) => (batch === undefined ? [] : [batch]));
    const failed = taken.filter(({ type }) => type === "job.failed").length;
    expect(told).toEqual([{ name: "mine", total: 3, indexed: 3 - failed, unchanged: 0, failed, cancelled: 0 }]);
  });

  it("writes a raw file to the shelf as it arrives, and leaves nothing of one that breaks off", async () => {
    const { kb, files } = await openLasting(await folder());
    const world = await startWorld({ files }, kb);
    const line = "A line of a long text.\n";
    const whole = Buffer.from(line.repeat(Math.ceil((9 * 2 ** 20) / line.length)));
    const begin = () =>
      startRequest(new URL("jobs?uri=long.txt", world.service.url), {
        method: "POST",
        headers: {
          authorization: `Bearer ${keys.operator.key}`,
          "content-type": "text/plain",
          "content-length": whole.length,
        },
      });
    const kept = async (): Promise<number> => {
      let bytes = 0;
      for await (const { key, size } of files.list({ prefix: "jobs/" })) bytes += key.endsWith(".json") ? 0 : size;
      return bytes;
    };
    const broken = begin();
    broken.on("error", () => {});
    broken.write(whole.subarray(0, 6 * 2 ** 20));
    // A piece of 4 MiB stands on the disk while the rest is still to come.
    await vi.waitFor(async () => expect(await kept()).toBeGreaterThanOrEqual(2 ** 22), { timeout: 5000 });
    expect((await world.as("operator", "/jobs")).json.jobs[0]).toMatchObject({
      state: "receiving",
      size: whole.length,
    });
    broken.destroy();
    await vi.waitFor(async () => expect((await world.as("operator", "/jobs")).json.jobs).toEqual([]), {
      timeout: 5000,
    });
    await vi.waitFor(async () => expect(await kept()).toBe(0), { timeout: 5000 });
    const request = begin();
    const answered = new Promise<string>((resolve) =>
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve(text));
      }),
    );
    request.end(whole);
    const { jobs } = JSON.parse(await answered) as { jobs: { id: string }[] };
    expect(jobs).toMatchObject([{ received: whole.length, size: whole.length }]);
    // Its ingestion is no part of this.
    await world.as("operator", "/jobs/cancel", { body: { ids: [jobs[0]!.id] } });
  });

  it("removes a job whose state is being written at the moment [L8]", async () => {
    const blobs = createMemoryBlobStore();
    const held = Promise.withResolvers<void>();
    const files: BlobStore = {
      ...blobs,
      async put(...given) {
        await held.promise;
        return blobs.put(...given);
      },
    };
    const shelf = createJobShelf(files);
    const work = [shelf.save({ id: "a" } as JobRecord), shelf.remove("a")];
    held.resolve();
    await Promise.all(work);
    expect(await blobs.get("jobs/a.json")).toBeUndefined();
  });

  it("tells the end of a batch by one message, also where jobs end together and messages are sent again", async () => {
    const kb = await openWorld();
    const caller = operatorOf(kb);
    const shelf = createMemoryJobShelf();
    const sent: { readonly id: string; readonly hasBatch: boolean }[] = [];
    const jobs = createServiceJobs({
      kb,
      // Other jobs end while the end of one is written.
      shelf: { ...shelf, save: (record) => sleep(30).then(() => shelf.save(record)) },
      settings: { ...defaultLimits, jobsAtOnce: 4, retry: { attempts: 3, initialMs: 200, longestMs: 200, jitter: 0 } },
      keepWith: (_uri, _bytes, add) => add(),
      async deliver(_to, id, message) {
        const isAgain = sent.some((each) => each.id === id);
        sent.push({ id, hasBatch: "batch" in message });
        return isAgain ? undefined : { code: "fetch-failed", message: "It was not taken." };
      },
    });
    onTestFinished(() => jobs.close());
    const webhook = { url: "https://receiver.example/", secret: "a secret of the receiver" };
    const ids = await Promise.all(
      ["wolf", "owl", "heron"].map((name) =>
        jobs.create(caller, { uri: name, webhook, batch: "b", batchSize: 3 }, { kind: "text", size: 5 }),
      ),
    );
    const never = new AbortController().signal;
    await Promise.all(ids.map((id) => jobs.receive(id, 0, new TextEncoder().encode("Bird."), never)));
    await vi.waitFor(() => expect(sent).toHaveLength(6), { timeout: 20_000 });
    const tellers = sent.filter(({ hasBatch }) => hasBatch).map(({ id }) => id);
    expect([tellers.length, new Set(tellers).size]).toEqual([2, 1]);
  });

  it("tells a webhook again that did not answer, with growing pauses, until it takes the message or has had its attempts", async () => {
    const kb = await openWorld();
    const caller = operatorOf(kb);
    const settle = async (fails: number) => {
      const times: number[] = [];
      const ids: string[] = [];
      const jobs = createServiceJobs({
        kb,
        shelf: createMemoryJobShelf(),
        settings: {
          ...defaultLimits,
          retry: { attempts: 3, initialMs: 40, longestMs: 1000, jitter: 0 },
        },
        keepWith: (_uri, _bytes, add) => add(),
        async deliver(_to, id) {
          times.push(performance.now());
          ids.push(id);
          return times.length > fails ? undefined : { code: "fetch-failed", message: "It was not taken." };
        },
      });
      onTestFinished(() => jobs.close());
      const webhook = { url: "https://receiver.example/", secret: "a secret of the receiver" };
      const id = await jobs.create(caller, { uri: "wolf.txt", webhook }, { kind: "text", size: 5 });
      await jobs.receive(id, 0, new TextEncoder().encode("Wolf."), new AbortController().signal);
      const delivery = await vi.waitFor(
        async () => {
          const { record } = await jobs.find(caller, id);
          expect(record.delivery?.state).toMatch(/delivered|failed/u);
          return record.delivery;
        },
        { timeout: 20_000 },
      );
      // One message has one id, by which its receiver knows it again.
      expect(new Set(ids).size).toBe(1);
      return { delivery, pauses: times.slice(1).map((at, index) => at - times[index]!) };
    };
    const second = await settle(2);
    expect(second.delivery).toMatchObject({ state: "delivered", attempts: 3 });
    expect(second.pauses[0]).toBeGreaterThan(35);
    expect(second.pauses[1]).toBeGreaterThan(75);
    expect((await settle(9)).delivery).toMatchObject({
      state: "failed",
      attempts: 3,
      error: { code: "fetch-failed", message: "It was not taken." },
    });
  });

  it("says why a webhook did not take its message, and shows the error of a sender to operators alone", async () => {
    const kb = await openWorld();
    const answers: (() => { readonly status: number })[] = [
      () => ({ status: 503 }),
      () => {
        throw new IbidError("fetch-failed", "10.0.0.7 does not answer.");
      },
      () => {
        throw new TypeError("the proxy of the senders is not set up");
      },
    ];
    const shelf = createMemoryJobShelf();
    const jobs = createServiceJobs({
      kb,
      // The next attempt is due before the record of the last one is written.
      shelf: { ...shelf, save: (record) => sleep(5).then(() => shelf.save(record)) },
      settings: { ...defaultLimits, retry: { attempts: 3, initialMs: 1, longestMs: 1, jitter: 0 } },
      keepWith: (_uri, _bytes, add) => add(),
      deliver: createWebhookSender(
        async () => ({ ...answers.shift()!(), headers: {}, body: new Uint8Array() }) as never,
      ),
    });
    onTestFinished(() => jobs.close());
    const caller = operatorOf(kb);
    const webhook = { url: "https://receiver.example/", secret: "a secret of the receiver" };
    const id = await jobs.create(caller, { uri: "wolf.txt", webhook }, { kind: "text", size: 5 });
    await jobs.receive(id, 0, new TextEncoder().encode("Wolf."), new AbortController().signal);
    const job = await vi.waitFor(
      async () => {
        const found = await jobs.find(caller, id);
        expect(found.record.delivery?.state).toBe("failed");
        return found;
      },
      { timeout: 20_000 },
    );
    const shown = (isOperator: boolean) => jobs.show({ ...caller, isOperator }, job) as { readonly webhook: object };
    expect(shown(true).webhook).toMatchObject({
      state: "failed",
      attempts: 3,
      error: { code: "internal", cause: "TypeError: the proxy of the senders is not set up" },
    });
    expect(JSON.stringify(shown(false))).not.toContain("proxy");
    expect(shown(false).webhook).toMatchObject({ error: { message: "The service could not send the message." } });
  });

  it("goes on where what became of a message cannot be written", async () => {
    const kb = await openWorld();
    const shelf = createMemoryJobShelf();
    let refused = 0;
    const jobs = createServiceJobs({
      kb,
      shelf: {
        ...shelf,
        async save(record) {
          if ((record.delivery?.attempts ?? 0) > 0) throw new Error(`no space left (${++refused})`);
          await shelf.save(record);
        },
      },
      settings: { ...defaultLimits, retry: { attempts: 3, initialMs: 1, longestMs: 1, jitter: 0 } },
      keepWith: (_uri, _bytes, add) => add(),
      deliver: createWebhookSender(async () => ({ status: 503, headers: {}, body: new Uint8Array() }) as never),
    });
    onTestFinished(() => jobs.close());
    const caller = operatorOf(kb);
    const webhook = { url: "https://receiver.example/", secret: "a secret of the receiver" };
    const id = await jobs.create(caller, { uri: "wolf.txt", webhook }, { kind: "text", size: 5 });
    await jobs.receive(id, 0, new TextEncoder().encode("Wolf."), new AbortController().signal);
    await vi.waitFor(async () => expect((await jobs.find(caller, id)).record.delivery?.state).toBe("failed"), 20_000);
    expect(refused).toBe(3);
  });

  it("begins a job at once that waits for its next attempt [20]", async () => {
    let isBroken = true;
    const kb = await openWorld();
    const { kb: view } = operatorOf(kb);
    const failing: KnowledgeBase = {
      ...view,
      ingest: (...given) => {
        if (isBroken) throw new IbidError("store-busy", "Another process writes.");
        return view.ingest(...given);
      },
    };
    const jobs = createServiceJobs({
      kb: failing,
      shelf: createMemoryJobShelf(),
      settings: { ...defaultLimits, retry: { attempts: 5, initialMs: 3_600_000, longestMs: 3_600_000, jitter: 0 } },
      keepWith: (_uri, _bytes, add) => add(),
      deliver: undefined,
    });
    onTestFinished(() => jobs.close());
    const caller = operatorOf(failing);
    const id = await jobs.create(caller, { uri: "wolf.txt" }, { kind: "text", size: 5 });
    await jobs.receive(id, 0, new TextEncoder().encode("Wolf."), new AbortController().signal);
    const shown = async () => jobs.show(caller, await jobs.find(caller, id)) as { readonly state: string };
    await vi.waitFor(
      async () =>
        expect(await shown()).toMatchObject({ state: "queued", attempts: 1, retryAt: expect.any(String) as string }),
      { timeout: 20_000 },
    );
    isBroken = false;
    expect(await jobs.retry(caller, [id])).toEqual([id]);
    await vi.waitFor(async () => expect((await shown()).state).toBe("indexed"), { timeout: 20_000 });
    expect(await jobs.retry(caller, [id])).toEqual([]);
  });

  it("says that a job failed when its file cannot be kept, and does the next one", async () => {
    const kb = await openWorld();
    const caller = operatorOf(kb);
    const jobs = createServiceJobs({
      kb,
      shelf: createMemoryJobShelf(),
      settings: { ...defaultLimits, jobsAtOnce: 1, retry: { attempts: 1, initialMs: 1, longestMs: 1, jitter: 0 } },
      async keepWith(uri, _bytes, add) {
        if (uri === "wolf.txt") throw new Error("no space left on device");
        return add();
      },
      deliver: undefined,
    });
    onTestFinished(() => jobs.close());
    const states = ["wolf.txt", "lynx.txt"].map(async (uri) => {
      const id = await jobs.create(caller, { uri }, { kind: "file", size: 5 });
      await jobs.receive(id, 0, new TextEncoder().encode("Wolf."), new AbortController().signal);
      return await vi.waitFor(
        async () => {
          const { record } = await jobs.find(caller, id);
          expect(record.state).toMatch(over);
          return record.state;
        },
        { timeout: 20_000 },
      );
    });
    expect(await Promise.all(states)).toEqual(["failed", "indexed"]);
  });
});

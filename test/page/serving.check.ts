import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { startIbid, writeFiles } from "../cli/run-ibid.ts";
import { papers } from "./documents.ts";
import { askOnPage, openHarbour, serve, visit, visitHarbour } from "./open-page.ts";

/** Time in which a process could have run, and others did. 0 where the system does not tell it. **Units** milliseconds. **Source** Linux, sched-stats. */
function delayOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

test("[page 1] in an empty folder `ibid serve --write` answers GET / within three seconds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-empty-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const started = performance.now();
  const serving = startIbid(folder, ["serve", "--write", "--port", "0", "--json"]);
  onTestFinished(() => void serving.kill("SIGTERM"));
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    const listen = (part: Buffer): void => {
      said += part.toString();
      const [address] = /http:\/\/[^"\s]+/u.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    };
    serving.stdout.on("data", listen);
    serving.stderr.on("data", listen);
    serving.once("exit", () => reject(new Error(`It ended: ${said}`)));
  });
  expect((await fetch(url)).status).toBe(200);
  // A machine that is busy with others makes the clock's time longer.
  expect(performance.now() - started - delayOf(serving.pid!)).toBeLessThan(3000);
});

test("[page 2] a page over nothing offers a choice of files, and says that there is nothing yet", async () => {
  const { page } = await visit(await serve(await openKnowledgeBase()));
  await page.waitForSelector("text=Nothing here yet");
  expect(await page.$$eval("input[type=file]", (found) => found.length)).toBeGreaterThan(0);
});

test("[page 2] those who may not write are told whom to ask instead", async () => {
  const { page } = await visit(await serve(await openKnowledgeBase(), { local: { access: { userId: "bob" } } }));
  await page.waitForSelector("text=Nothing here yet");
  expect(await page.$$eval("input[type=file]", (found) => found.length)).toBe(0);
  expect(await page.textContent("main")).toContain("Ask the person who runs this service");
});

test("[page 7] the first load is at most 80 kB compressed, in at most six files", async () => {
  const { page, url } = await visitHarbour();
  const loaded: string[] = [];
  page.on("response", (response) => loaded.push(response.url()));
  await page.reload();
  await page.waitForSelector("#question");
  const files = loaded.filter((address) => address === url || /\.(?:js|css)$/u.test(address));
  expect(files.length).toBeLessThanOrEqual(6);
  let size = 0;
  for (const file of files) {
    const response = await fetch(file);
    size += gzipSync(new Uint8Array(await response.arrayBuffer()), { level: 9 }).length;
  }
  expect(size).toBeLessThanOrEqual(80_000);
});

test("[page 8] the policy names no other origin, and the watch of these tests sees a request that breaks it", async () => {
  const visited = await visitHarbour();
  const { page, url, problems } = visited;
  const policy = (await fetch(url)).headers.get("content-security-policy") ?? "";
  expect(policy).not.toMatch(/unsafe|http|\*/u);
  await page.waitForSelector("#question");
  await page.evaluate("fetch('https://elsewhere.example/').catch(() => {})");
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  expect(problems.join(" ")).toMatch(/elsewhere\.example/u);
  (problems as string[]).length = 0;
});

test("[page 14] the view trees of all formats reproduce the text in a thousand random stretches", async () => {
  const kb = await openHarbour();
  const { url } = await serve(kb);
  const draws = fc.sample(
    fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.double({ min: 0, max: 0.999, noNaN: true })),
    {
      numRuns: 1000,
      seed: 21,
    },
  );
  let runs = 0;
  for (const [index, [first, second]] of draws.entries()) {
    const { name } = papers[index % papers.length]!;
    const uri = `harbour/${name}`;
    const { text } = (await kb.document(uri))!;
    const start = Math.floor(first * text.length);
    const end = start + 1 + Math.floor(second * (text.length - start));
    const response = await fetch(
      `${url}view?${new URLSearchParams({ uri, start: `${start}`, end: `${end}` }).toString()}`,
    );
    const { blocks } = (await response.json()) as { blocks: readonly Block[] };
    const own = blocks.flatMap((block) => block.runs ?? block.rows!.flatMap((row) => row.cells.flat()));
    for (const run of own) {
      expect([uri, run.start, run.text]).toEqual([uri, run.start, text.slice(run.start, run.end)]);
      runs += 1;
    }
    // Every sign of the stretch that is no white space stands in a run.
    const shown = new Set(own.flatMap((run) => Array.from({ length: run.end - run.start }, (_, at) => run.start + at)));
    const lost = Array.from({ length: end - start }, (_, at) => start + at).filter(
      (at) => !shown.has(at) && /\S/u.test(text[at]!),
    );
    expect([uri, start, end, lost]).toEqual([uri, start, end, []]);
  }
  expect(runs).toBeGreaterThan(1000);
});

interface Run {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
interface Block {
  readonly runs?: readonly Run[];
  readonly rows?: readonly { readonly cells: readonly (readonly Run[])[] }[];
}

test("[page 19] nothing that a reader gets names where the files lie on the machine", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-papers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await writeFiles(folder, Object.fromEntries(papers.map(({ name, bytes }) => [name, bytes])));
  const kb = await openKnowledgeBase();
  await kb.ingest(folder);
  const serving = await serve(kb, { local: { access: { userId: "bob" } } });
  const { page } = await visit(serving);
  const heard: string[] = [];
  page.on(
    "response",
    (response) =>
      void response.text().then(
        (body) => heard.push(body),
        () => {},
      ),
  );
  await askOnPage(page, papers[0]!.question);
  await page.click(".marker");
  await page.waitForSelector(".evidence mark");
  await page.goto(new URL("library", serving.url).href);
  await page.click(".document >> nth=0");
  await page.waitForSelector(".place-body");
  await page.goto(new URL("search#q=harbour", serving.url).href);
  await page.waitForSelector(".hit");
  expect(heard.length).toBeGreaterThan(5);
  const [first] = (
    (await (await fetch(`${serving.url}documents?limit=1`)).json()) as { documents: readonly { uri: string }[] }
  ).documents;
  const { threads } = (await (await fetch(`${serving.url}threads`)).json()) as { threads: readonly { id: string }[] };
  const own = new URLSearchParams({ uri: first!.uri }).toString();
  const { question } = papers[0]!;
  const mcp = (method: string, params: object) => ["mcp", { jsonrpc: "2.0", id: 1, method, params }] as const;
  const asked: readonly (readonly [string, object?])[] = [
    ...["document", "view", "outline", "geometry", "original", "versions"].map((route) => [`${route}?${own}`] as const),
    ...["documents?total=true", "documents?sort=newest", "folders", "status", "session", "collections", "notes"].map(
      (route) => [route] as const,
    ),
    [`thread?id=${threads[0]!.id}`],
    ["openapi.json"],
    ["v1/models"],
    ["search", { query: "harbour", explain: true }],
    ["ask", { question }],
    ["rag/query", { query: question }],
    ["verify", { answer: "The lamp glass is polished every ninety days." }],
    ["v1/chat/completions", { model: "ibid", messages: [{ role: "user", content: question }] }],
    ["v1/responses", { model: "ibid", input: question }],
    ["recall", { query: question }],
    ["document?uri=/etc/passwd"],
    mcp("resources/list", {}),
    mcp("tools/call", { name: "search", arguments: { query: "harbour" } }),
  ];
  for (const [route, body] of asked) {
    const response = await fetch(new URL(route, serving.url), {
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    const told = `${JSON.stringify([...response.headers])} ${await response.text()}`;
    expect([route, told.includes(folder)]).toEqual([route, false]);
  }
  expect(heard.filter((body) => body.includes(folder))).toEqual([]);
  expect(await page.content()).not.toContain(folder);
});

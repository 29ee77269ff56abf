import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid, type Finished, jsonLines, makeFolder, runIbid, startIbid } from "./run-ibid.ts";
import { sample } from "../support/runs.ts";

const keys = `# Keys

## Rotation

Keys rotate every ninety days. 🔑 Rotate them by hand with the command rotate-keys.

## Storage

Keys are kept in the vault.
`;

let cwd: string;
/** A link and a title by OSC, controls of C1 alone, and an override of direction. */
const steering = " \u001B]8;;https://evil.example\u001B\\here\u001B]0;x\u0007 \u009B2J\u009D0;x\u009C\u0085 \u202Ex";

beforeAll(async () => {
  cwd = await makeFolder({
    "docs/keys.md": keys,
    "docs/guide/start.md":
      "\uFEFF---\ntitle: Start\n---\r\n\r\n# Start\r\n\r\nBegin with the installation of the package.\r\n",
    "docs/evil.md": `# Evil \u001B[31mtitle\u001B[0m${steering}\n\nThe escape \u001B[2J sequence clears the screen.${steering}\n`,
    "pages/links.html":
      '<h1>Where</h1><p>Read <a href="https://a.example/one">the first</a>.</p><h2>Then</h2><p>And <a href="https://a.example/two">the second</a>.</p>',
    "ada/keys.md": "# Ada's keys\n\nAda hides hers under the doormat.\n",
  });
  await callIbid(cwd, ["ingest", "docs", "--metadata", "product=api", "year=2026"]);
  await callIbid(cwd, ["ingest", "ada/keys.md", "--user", "ada", "--metadata", "year=1999"]);
  await callIbid(cwd, ["ingest", "docs/keys.md", "--team", "acme"]);
  await callIbid(cwd, ["ingest", "docs/keys.md", "--user", "ada"]);
});
afterAll(() => rm(cwd, { recursive: true }));

const ibid = (...args: string[]): Promise<Finished> => callIbid(cwd, args);

async function json<Shape>(...args: string[]): Promise<Shape> {
  return await jsonOfCode(0, ...args);
}

async function jsonOfCode<Shape>(expected: number, ...args: string[]): Promise<Shape> {
  const { code, stdout, stderr } = await ibid(...args, "--json");
  expect([code, stderr]).toEqual([expected, ""]);
  expect(stdout.trimEnd()).not.toContain("\n");
  return JSON.parse(stdout) as Shape;
}

interface HitJson {
  readonly rank: number;
  readonly score: number;
  readonly chunkId: string;
  readonly text: string;
  readonly source: {
    uri: string;
    title: string;
    headings: string[];
    start: number;
    end: number;
    page?: number;
    line?: number;
  };
  readonly metadata: Record<string, unknown>;
  readonly matches?: { start: number; end: number }[];
  readonly copies?: { count: number; places: { uri: string }[] };
  readonly explain?: { parts: { value: number }[] };
}

/** The keys of a hit, which HTTP and MCP have too. */
const hitKeys = "rank score chunkId documentId scope text snippet source structure metadata origin evidence".split(" ");

describe("ibid search", () => {
  it("--json: the keys are a contract, and every text is the slice it says [L1]", async () => {
    const found = await json<{ query: string; hits: HitJson[]; ms: number }>("search", "rotate keys");
    expect(Object.keys(found)).toEqual(["query", "hits", "ms"]);
    expect(found.query).toBe("rotate keys");
    expect(found.hits.length).toBeGreaterThan(1);
    for (const [index, hit] of found.hits.entries()) {
      expect(Object.keys(hit).filter((key) => key !== "copies")).toEqual(hitKeys);
      expect(Object.keys(hit.source).slice(0, 7)).toEqual([
        "uri",
        "rootLabel",
        "path",
        "title",
        "headings",
        "start",
        "end",
      ]);
      expect(hit.rank).toBe(index + 1);
    }
    const ofKeys = found.hits.filter(({ source }) => source.uri === "docs/keys.md");
    expect(ofKeys.length).toBeGreaterThan(0);
    for (const { source, text } of ofKeys) expect(keys.slice(source.start, source.end)).toBe(text);
    const scores = found.hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(found.hits[0]?.source).toMatchObject({ uri: "docs/keys.md", line: expect.any(Number) });
  });

  it("folds a text that stands in several scopes, and says where it stands", async () => {
    const { hits } = await json<{ hits: HitJson[] }>("search", "ninety days");
    expect(hits[0]?.copies).toMatchObject({ count: 2, places: [{ uri: "docs/keys.md" }, { uri: "docs/keys.md" }] });
    const [first, ...rest] = hits.map(({ text }) => text);
    expect(rest).not.toContain(first);
    expect((await ibid("search", "ninety days")).stdout).toMatch(
      /\n {4}and 2 copies: docs\/keys\.md, docs\/keys\.md\n/,
    );
    const every = (await json<{ hits: HitJson[] }>("search", "ninety days", "--copies", "all")).hits;
    expect(every.filter(({ text }) => text === first)).toHaveLength(3);
  });

  it("takes a query in Lucene's syntax, and says where it does not parse [E25]", async () => {
    const { hits } = await json<{ hits: HitJson[] }>(
      "search",
      '+keys -zzyzx "rotat*',
      "--syntax",
      "literal",
      "--as-user",
      "bob",
    );
    expect(hits.length).toBeGreaterThan(0);
    const found = await json<{ hits: HitJson[] }>("search", "+key* -zzyzx", "--syntax", "lucene", "--as-user", "bob");
    expect(found.hits.length).toBeGreaterThan(0);
    const none = await json<{ hits: HitJson[] }>("search", "+key* -rotat*", "--syntax", "lucene", "--as-user", "bob");
    for (const { text } of none.hits) expect(text).not.toMatch(/rotat/iu);
    const [open, dense] = await Promise.all([
      ibid("search", 'keys "open', "--syntax", "lucene"),
      ibid("search", "keys", "--syntax", "lucene", "--mode", "dense"),
    ]);
    expect(open.code).not.toBe(0);
    expect(open.stderr).toMatch(/quotation mark has no other half at character 6/u);
    expect(dense.code).not.toBe(0);
    expect(dense.stderr).toMatch(/Leave mode out/u);
  });

  it("obeys top-k, filter, mode and explain; regex hits say where they matched", async () => {
    const [one, all, plain, built, none, explained, regex, both] = await Promise.all([
      json<{ hits: HitJson[] }>("search", "keys", "--top-k", "1"),
      json<{ hits: HitJson[] }>("search", "keys", "--top-k", "all", "--copies", "all"),
      json<{ hits: HitJson[] }>("search", "keys", "--filter", '{"year":{"lt":2000}}'),
      json<{ hits: HitJson[] }>("search", "keys", "--filter", '{"op":"eq","key":"product","value":"api"}'),
      json<{ hits: HitJson[] }>("search", "zzyzx qwfpgj", "--mode", "lexical"),
      json<{ hits: HitJson[] }>("search", "keys", "--explain", "--mode", "lexical"),
      json<{ hits: HitJson[] }>("search", "[Rr]otate.?keys?", "--mode", "regex", "--as-user", "bob"),
      json<{ hits: HitJson[] }>(
        "search",
        "zzyzx",
        "--pattern",
        "ROTATE.keys",
        "--ignore-case",
        "--explain",
        "--as-user",
        "bob",
      ),
    ]);
    expect(both.hits.map(({ matches }) => matches?.length)).toEqual([1]);
    expect(both.hits[0]?.explain?.parts.at(-1)).toEqual({ name: "pattern", value: 0.5 });
    expect(one.hits.length).toBe(1);
    expect(all.hits.length).toBeGreaterThan(3);
    expect(plain.hits.map(({ source }) => source.uri)).toEqual(["ada/keys.md"]);
    expect(new Set(built.hits.map(({ metadata }) => metadata["product"]))).toEqual(new Set(["api"]));
    expect(none.hits).toEqual([]);
    for (const { score, explain } of explained.hits) {
      expect(explain?.parts.reduce((sum, { value }) => sum + value, 0)).toBe(score);
    }
    expect(regex.hits.length).toBe(1);
    expect(Object.keys(regex.hits[0] ?? {})).toContain("matches");
    expect(regex.hits[0]?.matches?.map(({ start, end }) => keys.slice(start, end))).toEqual(["rotate-keys"]);
  });

  it("shows people where and what, plainly when piped, and nothing that steers a terminal", async () => {
    const [hits, none, evil, regex] = await Promise.all([
      ibid("search", "rotation", "--as-user", "bob", "--explain"),
      ibid("search", "zzyzx qwfpgj", "--mode", "lexical"),
      ibid("search", "escape sequence", "--top-k", "1"),
      ibid("search", "vault", "--mode", "regex", "--as-user", "bob"),
    ]);
    expect(hits).toMatchObject({ code: 0, stderr: "" });
    expect(hits.stdout).toMatch(/^Keys\ndocs\/keys\.md\n 1\. \d+ % · line 1\n {4}.*rotate every ninety days/);
    expect(hits.stdout).toMatch(/\n {4}best: .* = \d\.\d{3}\n/);
    expect(hits.stdout).toMatch(/\n {4}model: not fitted yet, sees how words are written, weight \d\.\d{3}\n/);
    expect(none).toEqual({ code: 0, stdout: "Nothing found.\n", stderr: "" });
    expect(evil.stdout).toContain("docs/evil.md\n");
    for (const { stdout } of [hits, evil, regex]) expect(stdout).not.toContain("\u001B");
    expect(regex.stdout).toContain("kept in the vault.");
  });

  it("steers no terminal by a document that is shown into a pipe, unless it is raw", async () => {
    const evil = "docs/evil.md";
    const commands = [["show", evil], ["show", evil, "--outline"], ["show", evil, "--section", "0.0"], ["list"]];
    const others = [
      ["ask", "Which escape sequence clears it?", steering],
      ["search", `escape ${steering}`, "--explain"],
      ["search", "escape", "--json"],
      ["delete", `nothing${steering}`],
      ["migrate", `copy${steering.replaceAll("/", "")}`],
    ];
    for (const args of [...commands, ["show", evil, "--suspicious"], ...others]) {
      const { stdout, stderr } = await ibid(...args);
      // oxlint-disable-next-line no-control-regex -- the pattern looks for them
      const found = /[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/u.exec(stdout + stderr);
      expect([args, found]).toEqual([args, null]);
    }
    expect((await ibid("show", evil)).stdout).toContain("The escape ␛[2J sequence");
    expect((await ibid("show", evil, "--raw")).stdout).toContain("The escape \u001B[2J sequence");
    expect((await ibid("show", evil, "--section", "0.0", "--raw")).stdout).toContain("\u001B[2J");
  });

  it("tells a bad filter or pattern from a failure: exit 2", async () => {
    const [filter, pattern] = await Promise.all([
      ibid("search", "x", "--filter", '{"year":{"bigger":1}}', "--json"),
      ibid("search", "(?=x)", "--mode", "regex", "--json"),
    ]);
    expect(filter).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(filter.stderr)).toMatchObject({ error: { code: "invalid-filter" } });
    expect(pattern).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(pattern.stderr)).toMatchObject({ error: { code: "invalid-regex" } });
  });
});

describe("as a process", () => {
  it("every command does the same", async () => {
    const steady = (text: string): string => text.replaceAll(/"ms":\d+/g, '"ms":0');
    const commands = [
      ["search", "rotate keys", "--json"],
      ["ask", "How often do keys rotate?", "--as-user", "bob"],
      ["list"],
      ["show", "docs/evil.md"],
      ["delete", "nobody.md", "--json"],
      ["status", "--json"],
    ];
    for (const args of sample(commands, 2)) {
      const [asProcess, here] = [await runIbid(cwd, args), await callIbid(cwd, args)];
      expect({ ...asProcess, stdout: steady(asProcess.stdout) }).toEqual({ ...here, stdout: steady(here.stdout) });
      expect(asProcess.stdout).not.toBe("");
    }
  });
});

/** The names of all keys of a value, but for those of metadata, which belong to the user. */
function keysOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...(key === "metadata" ? [] : keysOf(inner))]);
}

describe("every command's --json", () => {
  it.each([
    [["search", "rotate keys", "--explain", "--pattern", "keys"]],
    [["ask", "How often do keys rotate?"]],
    [["list"]],
    [["show", "docs/keys.md", "--scope", "deployment"]],
    [["show", "docs/keys.md", "--scope", "deployment", "--outline"]],
    [["status"]],
    [["status", "--health"]],
    [["doctor"]],
  ])("%j names its keys in camelCase", async (args) => {
    const names = new Set(keysOf(await json(...args)));
    expect(names.size).toBeGreaterThan(1);
    expect([...names].filter((name) => !/^[a-z][a-zA-Z0-9]*$/u.test(name))).toEqual([]);
  });
});

interface AnswerJson {
  readonly text: string;
  readonly kind: string;
  readonly citations: { marker: string; uri: string; start: number; end: number; quote: string }[];
  readonly hits: HitJson[];
  readonly model: string | null;
}

describe("ibid ask", () => {
  it("--json: the keys are a contract, and every quote is the slice it says [L2]", async () => {
    const answer = await json<AnswerJson>("ask", "How often do keys rotate?", "--as-user", "bob");
    expect(Object.keys(answer).join(" ")).toBe(
      "question kind text citations sentences verbatim support withheld removedMarkers removedQuotes removedAddresses relevance nearest hits model ms",
    );
    expect(answer).toMatchObject({
      question: "How often do keys rotate?",
      model: null,
      kind: "quotes",
      verbatim: true,
    });
    expect(answer.citations.length).toBeGreaterThan(0);
    for (const citation of answer.citations) {
      expect(Object.keys(citation)).toEqual([
        "marker",
        "uri",
        "title",
        "headings",
        "line",
        "documentId",
        "chunkId",
        "start",
        "end",
        "quote",
      ]);
      expect(answer.text).toContain(citation.marker);
    }
    const ofKeys = answer.citations.filter(({ uri }) => uri === "docs/keys.md");
    expect(ofKeys.length).toBeGreaterThan(0);
    for (const { start, end, quote } of ofKeys) expect(keys.slice(start, end)).toBe(quote);
    expect(answer.citations.map(({ quote }) => quote).join(" ")).toContain("ninety days");
    expect(Object.keys(answer.hits[0] ?? {})).toEqual(hitKeys);
  });

  it("prints the answer, then where each claim stands, to the line; a refusal exits 3", async () => {
    const [answer, refusal] = await Promise.all([
      ibid("ask", "How often do keys rotate?", "--as-user", "bob"),
      ibid("ask", "zzyzx qwfpgj?", "--grounding", "strict"),
    ]);
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toMatch(
      /ninety days.*\[1\].*\n\n\[1\] docs\/keys\.md:5\n {4}[^\n“]*Keys[^\n“]*\n {4}“Keys rotate every ninety days\./s,
    );
    expect(refusal).toMatchObject({ code: 3, stderr: "" });
    expect(refusal.stdout).toContain("Refused");
    expect(await jsonOfCode<AnswerJson>(3, "ask", "zzyzx qwfpgj?", "--grounding", "strict")).toMatchObject({
      kind: "refused",
      refusal: "no-evidence",
      citations: [],
    });
  });

  it("asks a model through its HTTP interface, and cites what it marks", async () => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        const event = (delta: object, finish: string | null): string =>
          `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
        response.setHeader("content-type", "text/event-stream");
        response.end(
          `${event({ role: "assistant", content: "Every ninety " }, null)}${event({ content: "days [1]." }, null)}${event({}, "stop")}data: [DONE]\n\n`,
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const env = { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
      const question = ["ask", "How often do keys rotate?", "--as-user", "bob", "--model", "openai-compatible/m"];
      const [asked, plain] = await Promise.all([
        callIbid(cwd, [...question, "--json"], env),
        callIbid(cwd, question, env),
      ]);
      expect(asked).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(asked.stdout)).toMatchObject({
        text: "Every ninety days [1].",
        model: "openai-compatible/m",
        citations: [{ marker: "[1]", uri: "docs/keys.md" }],
      });
      expect(plain.stdout).toMatch(/^Every ninety days \[1\]\.\n\n\[1\] docs\/keys\.md:\d+\n/);
    } finally {
      server.close();
    }
  });

  it("says what to set when a model cannot be reached", async () => {
    const [key, name] = await Promise.all([
      ibid("ask", "x?", "--model", "openai/gpt-5", "--json"),
      ibid("ask", "x?", "--model", "gpt", "--json"),
    ]);
    expect(key).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(key.stderr)).toMatchObject({
      error: { code: "configuration-missing", hint: expect.stringContaining("OPENAI_API_KEY") },
    });
    expect(name).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("ibid list and status", () => {
  it("list --json: by uri, then scope", async () => {
    const { documents } = await json<{ documents: Record<string, unknown>[] }>("list");
    expect(documents.map(({ uri, scope }) => `${String(uri)} ${String(scope)}`)).toEqual([
      "ada/keys.md user:ada",
      "docs/evil.md deployment",
      "docs/guide/start.md deployment",
      "docs/keys.md deployment",
      "docs/keys.md team:acme",
      "docs/keys.md user:ada",
    ]);
    expect(Object.keys(documents[0] ?? {})).toEqual([
      "uri",
      "rootLabel",
      "path",
      "scope",
      "documentId",
      "title",
      "mediaType",
      "chunks",
      "bytes",
      "ingestedAt",
    ]);
    expect(documents[3]).toMatchObject({
      title: "Keys",
      mediaType: "text/markdown",
      bytes: Buffer.byteLength(keys),
      ingestedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(new Set(documents.map(({ documentId }) => documentId)).size).toBe(6);
  });

  it("for people: columns", async () => {
    const { stdout } = await ibid("list");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(6);
    expect(lines[3]).toMatch(/^docs\/keys\.md +\d+ chunks? +\d+ B {2}\d{4}-\d\d-\d\d {2}deployment$/);
    expect(new Set(lines.map((line) => line.search(/\d{4}-/))).size).toBe(1);
    expect((await ibid("list", "--as-user", "bob")).stdout).not.toContain("deployment");
  });

  it("stops quietly when its reader is gone", async () => {
    const child = startIbid(cwd, ["list", "--json"]);
    child.stdout.destroy();
    let stderr = "";
    child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("status --json, for the operator and for somebody", async () => {
    const status = await json<{
      kb: string;
      documents: number;
      chunks: number;
      scopes: { scope: string; documents: number }[];
    }>("status");
    expect(Object.keys(status)).toEqual([
      "kb",
      "documents",
      "chunks",
      "bytes",
      "scopes",
      "embeddingVersions",
      "fit",
      "versions",
      "cacheHitRate",
    ]);
    expect(status).toMatchObject({ kb: join(cwd, ".ibid"), documents: 6, cacheHitRate: 0 });
    expect(status.scopes.map(({ scope, documents }) => [scope, documents])).toEqual([
      ["deployment", 3],
      ["team:acme", 1],
      ["user:ada", 2],
    ]);
    const bob = await json<{ documents: number; scopes: unknown[] }>("status", "--as-user", "bob");
    expect([bob.documents, bob.scopes.length]).toEqual([3, 1]);
    const { stdout } = await ibid("status");
    expect(stdout).toMatch(/^knowledge base {2}\//);
    expect(stdout).toMatch(/\ndocuments +6\n/);
    expect(stdout).toMatch(/\nfitted on +nothing yet; from 256 chunks on\n/);
    expect(stdout).toMatch(/\nembeddings +ibid\/latent-semantic, \d+ dimensions: \d+ chunks\n/);
  });
});

describe("ibid show", () => {
  it("prints where the words of a page lead, of all of it or a stretch", async () => {
    await ibid("ingest", "pages/links.html", "--user", "links");
    const show = (...args: string[]): Promise<Finished> =>
      ibid("show", "pages/links.html", "--links", "--as-user", "links", ...args);
    const [first, second] = ["https://a.example/one  the first\n", "https://a.example/two  the second\n"];
    expect((await show()).stdout).toBe(`${first}${second}`);
    expect((await show("--at", "0:20")).stdout).toBe(first);
    expect((await show("--section", "0.0.0")).stdout).toBe(second);
    const { text, links } = JSON.parse((await show("--json")).stdout) as {
      text: string;
      links: { start: number; end: number; text: string; url: string }[];
    };
    expect(links.map(({ start, end, url }) => [text.slice(start, end), url])).toEqual([
      ["the first", "https://a.example/one"],
      ["the second", "https://a.example/two"],
    ]);
    await ibid("delete", "pages/links.html", "--as-user", "links");
  });

  it("prints the canonical text and nothing added", async () => {
    const [plain, other, view] = await Promise.all([
      ibid("show", "docs/keys.md", "--scope", "deployment"),
      ibid("show", "docs/guide/start.md"),
      json<Record<string, unknown>>("show", "docs/keys.md", "--scope", "deployment"),
    ]);
    expect(plain).toEqual({ code: 0, stdout: keys, stderr: "" });
    expect(other.stdout).toBe("---\ntitle: Start\n---\n\n# Start\n\nBegin with the installation of the package.\n");
    expect(Object.keys(view)).toEqual(["uri", "documentId", "title", "text", "metadata"]);
    expect(view).toMatchObject({
      uri: "docs/keys.md",
      title: "Keys",
      text: keys,
      metadata: { product: "api", year: 2026, fileName: "keys.md" },
    });
  });

  it("--at: a slice in UTF-16, exit 2 out of range or through an emoji", async () => {
    const at = keys.indexOf("🔑");
    const show = (range: string): Promise<Finished> =>
      ibid("show", "docs/keys.md", "--scope", "deployment", "--at", range, "--json");
    const [whole, empty, end, through, into, beyond, backwards] = await Promise.all([
      show(`${at}:${at + 2}`),
      show("0:0"),
      show(`0:${keys.length}`),
      show(`${at}:${at + 1}`),
      show(`${at + 1}:${at + 4}`),
      show(`0:${keys.length + 1}`),
      show("5:4"),
    ]);
    expect(JSON.parse(whole.stdout)).toEqual({ uri: "docs/keys.md", start: at, end: at + 2, text: "🔑" });
    expect(JSON.parse(empty.stdout)).toMatchObject({ text: "" });
    expect(JSON.parse(end.stdout)).toMatchObject({ text: keys });
    for (const wrong of [through, into, beyond, backwards]) {
      expect(wrong).toMatchObject({ code: 2, stdout: "" });
      expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { code: "invalid-argument", uri: "docs/keys.md" } });
    }
    expect((await ibid("show", "docs/keys.md", "--scope", "deployment", "--at", `${at}:${at + 2}`)).stdout).toBe("🔑");
  });

  const section = (id: string, kind: string, headings: readonly string[]) => ({
    id,
    kind,
    headings,
    title: headings.at(-1),
    level: headings.length,
  });

  it("--outline: the sections in reading order", async () => {
    const outline = await json("show", "docs/keys.md", "--outline", "--scope", "team:acme");
    const [rotation, storage] = [keys.indexOf("## Rotation"), keys.indexOf("## Storage")];
    expect(outline).toEqual({
      uri: "docs/keys.md",
      scope: "team:acme",
      documentId: expect.any(String),
      title: "Keys",
      length: keys.length,
      sections: [
        { ...section("0", "root", []), title: "Keys", start: 0, end: keys.length, line: 1 },
        { ...section("0.0", "container", ["Keys"]), start: 0, end: keys.length, line: 1 },
        { ...section("0.0.0", "leaf", ["Keys", "Rotation"]), start: rotation, end: storage, line: 3 },
        { ...section("0.0.1", "leaf", ["Keys", "Storage"]), start: storage, end: keys.length, line: 7 },
      ],
    });
    const { stdout } = await ibid("show", "docs/keys.md", "--outline", "--scope", "team:acme");
    expect(stdout).toBe(
      `Keys\n  Keys  0:${keys.length}  0.0\n    Rotation  ${rotation}:${storage}  0.0.0\n    Storage  ${storage}:${keys.length}  0.0.1\n`,
    );
  });

  it("--section: the very text of one, whole [E52]", async () => {
    const storage = keys.indexOf("## Storage");
    const show = (...args: string[]): Promise<Finished> =>
      ibid("show", "docs/keys.md", "--scope", "deployment", "--section", ...args);
    expect(await show("0.0.1")).toEqual({ code: 0, stdout: keys.slice(storage), stderr: "" });
    expect(JSON.parse((await show("0.0.1", "--json")).stdout)).toMatchObject({
      uri: "docs/keys.md",
      sectionId: "0.0.1",
      kind: "leaf",
      headings: ["Keys", "Storage"],
      start: storage,
      end: keys.length,
      line: 7,
      text: keys.slice(storage),
      truncated: false,
    });
    expect(await show("0.9")).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("--outline") });
  });

  it("--chunk: what a search found, with its neighbours or its section, for whoever may read it [E53 L3]", async () => {
    const [hit] = (await json<{ hits: HitJson[] }>("search", "doormat", "--as-user", "ada")).hits;
    const id = hit?.chunkId ?? "";
    const printed = await ibid("search", "doormat", "--as-user", "ada", "--ids");
    expect(printed.stdout).toContain(`chunk ${id}`);
    const ada = ["--as-user", "ada"];
    const [plain, near, section, whole] = await Promise.all([
      ibid("show", "--chunk", id, ...ada),
      json<Record<string, unknown>>("show", "--chunk", id, "--neighbours", "2", ...ada),
      json<Record<string, unknown>>("show", "--chunk", id, "--zoom-out", ...ada),
      json<Record<string, unknown>>("show", "--chunk", id, "--zoom-out", "5", ...ada),
    ]);
    expect(plain).toEqual({ code: 0, stdout: hit?.text, stderr: "" });
    expect(near).toMatchObject({ uri: "ada/keys.md", chunks: [{ chunkId: id }], truncated: false });
    expect(section).toMatchObject({ kind: "leaf", headings: ["Ada's keys"] });
    expect(whole).toMatchObject({ kind: "root", sectionId: "0", scope: "user:ada" });
    const [hidden, missing] = await Promise.all([
      ibid("show", "--chunk", id, "--as-user", "bob"),
      ibid("show", "--chunk", "none", "--as-user", "bob"),
    ]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(hidden).toEqual({ ...missing, stderr: missing.stderr.replace("none", id) });
  });

  it("--chunk --zoom-out says when there is more, beside the text and not in it [E52]", async () => {
    const folder = await makeFolder({ "long.md": `# Long\n\n${"A sentence about lanterns. ".repeat(2000)}\n` });
    await callIbid(folder, ["ingest", "long.md"]);
    const [hit] = (JSON.parse((await callIbid(folder, ["search", "lanterns", "--json"])).stdout) as { hits: HitJson[] })
      .hits;
    const shown = await callIbid(folder, ["show", "--chunk", hit?.chunkId ?? "", "--zoom-out"]);
    expect([shown.code, shown.stdout.length]).toEqual([0, 25_000]);
    expect(shown.stderr).toContain(
      "[TRUNCATED: 25,000 of 54,009 characters; all of it: ibid show long.md --section 0.0]",
    );
    const whole = await callIbid(folder, ["show", "long.md", "--section", "0.0"]);
    expect([whole.stdout.length, whole.stderr]).toEqual([54_009, ""]);
    await rm(folder, { recursive: true });
  });

  it("takes any path that leads to the document", async () => {
    const elsewhere = join(cwd, "docs", "guide");
    const shown = await Promise.all([
      ibid("show", "./docs/../docs/guide/start.md"),
      ibid("show", join(cwd, "docs/guide/start.md")),
      callIbid(elsewhere, ["show", "start.md", "--kb", "../../.ibid"]),
      callIbid(elsewhere, ["show", "docs/guide/start.md", "--kb", join(cwd, ".ibid")]),
    ]);
    for (const { code, stdout } of shown) expect([code, stdout]).toEqual([0, expect.stringContaining("Begin with")]);
  });

  it("asks which one when several scopes hold it: exit 2 and the list", async () => {
    const [plain, json, ada] = await Promise.all([
      ibid("show", "docs/keys.md"),
      ibid("show", "docs/keys.md", "--json"),
      ibid("show", "docs/keys.md", "--as-user", "bob"),
    ]);
    expect(plain).toMatchObject({ code: 2, stdout: "" });
    for (const scope of ["deployment", "team:acme", "user:ada", "--scope"]) expect(plain.stderr).toContain(scope);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "ambiguous", uri: "docs/keys.md" } });
    expect(ada).toMatchObject({ code: 0, stdout: keys });
  });

  it("says the same of what is not there and of what may not be read [L3]", async () => {
    const [hidden, scoped, missing] = await Promise.all([
      ibid("show", "ada/keys.md", "--as-user", "bob"),
      ibid("show", "ada/keys.md", "--as-user", "bob", "--scope", "user:ada"),
      ibid("show", "bob/keys.md", "--as-user", "bob"),
    ]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(hidden).toEqual({ ...missing, stderr: missing.stderr.replaceAll("bob/keys", "ada/keys") });
    expect(scoped).toMatchObject({ code: 1, stdout: "" });
    expect((await ibid("show", "ada/keys.md", "--as-user", "ada")).code).toBe(0);
  });
});

describe("ibid delete", () => {
  it("takes out one document, behind the same gate as reading", async () => {
    const [ambiguous, hidden, missing, denied] = await Promise.all([
      ibid("delete", "docs/keys.md", "--json"),
      ibid("delete", "ada/keys.md", "--as-user", "bob", "--json"),
      ibid("delete", "ida/keys.md", "--as-user", "bob", "--json"),
      ibid("delete", "docs/evil.md", "--as-user", "bob", "--json"),
    ]);
    expect(ambiguous).toMatchObject({ code: 2, stdout: "" });
    expect(missing).toMatchObject({ code: 1, stdout: '{"deleted":[]}\n' });
    expect(hidden).toEqual({ ...missing, stderr: missing.stderr.replaceAll("ida/keys.md", "ada/keys.md") });
    expect(denied).toMatchObject({ code: 1, stdout: "" });
    expect(jsonLines(denied.stderr)).toMatchObject([{ error: { code: "access-denied" } }]);

    expect(await json("delete", join(cwd, "docs/keys.md"), "--scope", "team:acme")).toEqual({
      deleted: [{ uri: "docs/keys.md", scope: "team:acme", chunks: expect.any(Number) }],
    });
    expect((await ibid("delete", "docs/keys.md", "--scope", "team:acme")).code).toBe(1);
    expect((await ibid("delete", "ada/keys.md", "--as-user", "ada")).stdout).toMatch(
      /^deleted ada\/keys\.md from user:ada {2}\d+ chunks?\n$/,
    );
    const { documents } = await json<{ documents: { uri: string; scope: string }[] }>("list");
    expect(documents.map(({ uri, scope }) => `${uri} ${scope}`)).toEqual([
      "docs/evil.md deployment",
      "docs/guide/start.md deployment",
      "docs/keys.md deployment",
      "docs/keys.md user:ada",
    ]);
  });
});

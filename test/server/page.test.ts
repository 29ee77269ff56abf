import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ar } from "../../page/catalogue/ar.ts";
import { de } from "../../page/catalogue/de.ts";
import { en } from "../../page/catalogue/en.ts";
import { loadPageFile } from "../../src/server/page/page-files.ts";
import { startWorld } from "./service.ts";
import { createMemoryBlobStore } from "../../src/stores/index.ts";

const page = join(import.meta.dirname, "..", "..", "page");

test("[page 21.4] the first load is at most 80 kB compressed in at most 6 requests, and the part for PDF at most 520 kB", async () => {
  const { as } = await startWorld();
  const shell = (await as(null, "/")).text;
  const wanted = [...shell.matchAll(/(?:src|href)="(page[^"]*)"/gu)].map(([, name]) => name!);
  for (const name of wanted) {
    const { text } = await as(null, `/${name}`);
    for (const [, own] of text.matchAll(/(?:from|import)\s*"\.\/(page-[\w-]+\.js)"/gu))
      if (!wanted.includes(own!)) wanted.push(own!);
  }
  expect(wanted.toSorted()).toEqual(["page-shared.js", "page-view.js", "page.css", "page.js"]);
  let size = gzipSync(shell).length;
  for (const name of wanted) size += (await loadPageFile(name as "page.js")).length;
  expect(size).toBeLessThan(80_000);
  const pdf = (await loadPageFile("page-pdf.js")).length + (await loadPageFile("page-pdf-worker.js")).length;
  expect(pdf).toBeLessThan(520_000);
});

test("[page 21.2] the policy names this origin alone, and Trusted Types are required", async () => {
  const { as } = await startWorld();
  for (const path of ["/", "/d?uri=a.md&at=1:2", "/t?id=x", "/search", "/library?trash", "/page.js"]) {
    const { status, headers } = await as(null, path, { headers: { accept: "text/html" } });
    const policy = String(headers["content-security-policy"]);
    expect([path, status]).toEqual([path, 200]);
    expect(policy).not.toMatch(/unsafe|http|\*/u);
    expect(policy).toContain("require-trusted-types-for 'script'");
  }
});

test("an address that there is not says so to a browser in a page, and to a program in JSON", async () => {
  const { as, log } = await startWorld({ basePath: "/kb" });
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const shown = await as(null, "/kb/nothing/here", { headers: { accept } });
  expect(shown).toMatchObject({ status: 404, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(shown.text).toContain("There is nothing at this address");
  expect(shown.text).toContain('<link rel="stylesheet" href="/kb/page.css">');
  expect(shown.text).toContain('href="/kb/"');
  expect(shown.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(shown.text).toContain(String(shown.headers["x-request-id"]));
  for (const other of ["application/json", "*/*"]) {
    const { status, json } = await as(null, "/kb/nothing/here", { headers: { accept: other } });
    expect({ status, json }).toMatchObject({ status: 404, json: { error: { code: "not-found" } } });
  }
  const posted = await as(null, "/kb/nothing/here", { method: "POST", headers: { accept } });
  expect(posted.json).toMatchObject({ error: { code: "not-found" } });
  expect(log).toHaveLength(4);
  expect(log.every(({ status, refused }) => status === 404 && refused === "not-found")).toBe(true);
  const bare = await startWorld({ page: false });
  expect((await bare.as(null, "/nothing", { headers: { accept } })).json).toMatchObject({
    error: { code: "not-found" },
  });
});

test("the threads lead a browser to their screen, and are data for a program", async () => {
  const files = createMemoryBlobStore();
  const { as } = await startWorld({ basePath: "/kb", files });
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const shown = await as(null, "/kb/threads", { headers: { accept } });
  expect(shown).toMatchObject({ status: 303, headers: { location: "/kb/history" } });
  expect((await as("ada", "/kb/threads", { headers: { accept: "*/*" } })).json).toEqual({ threads: [] });
  expect((await as(null, "/kb/threads")).status).toBe(401);
  const bare = await startWorld({ page: false, files });
  expect((await bare.as("ada", "/threads", { headers: { accept } })).status).toBe(200);
});

test("[page 21.2] a file of the page comes compressed, with a tag that saves the second load", async () => {
  const { service } = await startWorld();
  const first = await fetch(`${service.url}page.js`, { headers: { "accept-encoding": "gzip" } });
  expect(first.headers.get("content-encoding")).toBe("gzip");
  const etag = first.headers.get("etag")!;
  expect((await fetch(`${service.url}page.js`, { headers: { "if-none-match": etag } })).status).toBe(304);
  const plain = await fetch(`${service.url}page.js`, { headers: { "accept-encoding": "identity" } });
  expect(await plain.text()).toBe(gunzipSync(await loadPageFile("page.js")).toString("utf8"));
});

test("[page 21.4] German and Arabic have every message, with the same blanks and the plurals of their language", () => {
  const blanks = (message: unknown): string[] =>
    [...new Set(JSON.stringify(message).match(/\{\w+\}/gu) ?? [])].toSorted();
  for (const [language, catalogue] of Object.entries({ de, ar })) {
    expect(Object.keys(catalogue)).toEqual(Object.keys(en));
    for (const [key, message] of Object.entries(catalogue)) {
      const own = en[key as keyof typeof en];
      expect([language, key, blanks(message).filter((blank) => blank !== "{n}")]).toEqual([
        language,
        key,
        blanks(own).filter((blank) => blank !== "{n}"),
      ]);
      const forms = typeof message === "string" ? undefined : Object.keys(message).toSorted();
      const expected =
        typeof own === "string"
          ? undefined
          : new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
      expect([language, key, forms]).toEqual([language, key, expected]);
    }
  }
});

test("[page 21.4] no screen holds a literal of its own: every word comes from the catalogue", () => {
  const found: string[] = [];
  for (const file of globSync("*.tsx", { cwd: page })) {
    const source = readFileSync(join(page, file), "utf8").replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*/gu, "");
    for (const [, text] of source.matchAll(/(?<!=)>\s*([A-Za-z][A-Za-z ,.'-]{2,})\s*<\/?[a-z]/gu))
      found.push(`${file}: ${text}`);
    for (const [, text] of source.matchAll(/(?:aria-label|title|placeholder|alt)="([^"]+)"/gu))
      found.push(`${file}: ${text}`);
  }
  // A name, a command to type, and a type.
  expect(found.filter((each) => !/: (?:ibid|Promise)/u.test(each))).toEqual([]);
});

test("[page 21.2] no source of the page writes HTML or runs text as code", () => {
  for (const file of globSync("*.{ts,tsx}", { cwd: page })) {
    const source = readFileSync(join(page, file), "utf8");
    expect([
      file,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|\beval\(|new Function/u.test(source),
    ]).toEqual([file, false]);
  }
});

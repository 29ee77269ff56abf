// Checks the built site: npm run docs:check
//
//   links    every address and every #place on a page exists; each page is there as Markdown too
//   plain    every address in that Markdown, in llms.txt and in llms-full.txt exists
//   files    the name of each sample's file stands above the sample
//   sizes    script and style that the first page loads, gzipped, beside a bar
//   axe      ten pages, light and dark, wide and narrow, have no finding of WCAG 2.2 A or AA
//   missing  an address without a page has one that searches
//   tables   no word of a cell is broken, and no page is wider than its window, on twenty pages
//   map      each page under docs/ is in the sidebar or linked from it; each name of the root stands in a guide
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { checkAccessibility } from "./check-axe.ts";
import { checkMissing } from "./check-missing.ts";
import { serveFolder } from "./serve-folder.ts";

/** Script and style of a page before its reader does anything. **Units** bytes, gzipped. */
const mostBytes = 40_000;

const root = join(import.meta.dirname, "..");
const built = join(import.meta.dirname, "dist");
if (!existsSync(join(built, "index.html"))) throw new Error("There is no built site. Run npm run docs:build first.");

const failures: string[] = [...checkLinks(), ...checkPlain(), ...checkFiles(), ...checkSizes(), ...checkNames()];
const server = await serveFolder(built);
try {
  failures.push(...(await checkMissing(server.address)), ...(await checkAccessibility(server.address, root)));
} finally {
  await server.close();
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

function checkLinks(): readonly string[] {
  const pages = globSync("**/*.html", { cwd: built }).map((path) => path.replaceAll("\\", "/"));
  const base = readBase();
  const texts = new Map(pages.map((path) => [path, readFileSync(join(built, path), "utf8")]));
  const places = new Map(
    Array.from(texts, ([path, text]) => [
      path,
      new Set(Array.from(text.matchAll(/\sid="([^"]+)"/gu), ([, id = ""]) => decodeText(id))),
    ]),
  );
  const found: string[] = [];
  let count = 0;
  for (const [path, text] of texts) {
    if (path !== "404.html" && !existsSync(join(built, markdownOf(path))))
      found.push(`${path}: has no ${markdownOf(path)}`);
    for (const [, address = ""] of text.matchAll(/\s(?:href|src)="([^"]+)"/gu)) {
      if (/^(?:[a-z]+:|\/\/)/u.test(address)) continue;
      count += 1;
      const [target = "", place = ""] = decodeText(address).split("#");
      const whole =
        target === ""
          ? path
          : fileOf(target.startsWith("/") ? target.slice(base.length) : posix.join(posix.dirname(path), target));
      if (!existsSync(join(built, whole)) || statSync(join(built, whole)).isDirectory())
        found.push(`${path}: links to ${address}, which is not there`);
      else if (place !== "" && whole.endsWith(".html") && !places.get(whole)?.has(decodeURIComponent(place)))
        found.push(`${path}: links to ${address}, and the page has no such place`);
    }
  }
  console.log(`links   ${count} on ${pages.length} pages, ${found.length} broken`);
  return found;
}

/** A site below a path has that path in the address of its icon. */
function readBase(): string {
  return /href="([^"]*)favicon\.svg"/u.exec(readFileSync(join(built, "index.html"), "utf8"))?.[1] ?? "/";
}

/** Links of the pages as Markdown: code keeps what looks like one, and a place on the same page needs no file. */
function checkPlain(): readonly string[] {
  const base = readBase();
  const paths = globSync(["**/*.md", "llms.txt", "llms-full.txt"], { cwd: built });
  const found: string[] = [];
  let count = 0;
  for (const path of paths) {
    const text = readFileSync(join(built, path), "utf8").replaceAll(/^(`{3,}|~{3,}).*?^\1|`[^`\n]*`/gmsu, "");
    for (const [, address = ""] of text.matchAll(/\]\(([^)\s#:]+)(?:#[^)\s]*)?(?: "[^"\n]*")?\)/gu)) {
      count += 1;
      if (!address.startsWith(base) || !existsSync(join(built, decodeURIComponent(address.slice(base.length)))))
        found.push(`${path}: links to ${address}, which is not there`);
    }
  }
  console.log(`plain   ${count} links in ${paths.length} files of Markdown, ${found.length} broken`);
  return found;
}

/** Names of files that samples of a page have, and that its readers do not see. */
function checkFiles(): readonly string[] {
  const found: string[] = [];
  let count = 0;
  for (const path of globSync("**/*.md", { cwd: built })) {
    const html = join(built, path === "index.md" ? "index.html" : path.replace(/\.md$/u, "/index.html"));
    if (!existsSync(html)) continue;
    const shown = readFileSync(html, "utf8");
    for (const [, name = ""] of readFileSync(join(built, path), "utf8").matchAll(/^`{3,}\w+.*? file=(\S+)/gmu)) {
      count += 1;
      if (!shown.includes(`<span class="title">${name}</span>`))
        found.push(`${path}: the file ${name} has no name above it`);
    }
  }
  console.log(`files   ${count} samples, ${found.length} without the name of their file`);
  return found;
}

function fileOf(address: string): string {
  const plain = decodeURIComponent(address.replace(/[?].*$/u, ""));
  return plain === "" || plain.endsWith("/") ? `${plain}index.html` : plain;
}

function markdownOf(path: string): string {
  return path === "index.html" ? "index.md" : path.replace(/\/index\.html$/u, ".md");
}

function decodeText(text: string): string {
  return text
    .replaceAll(/&#x([0-9a-f]+);/giu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

function checkSizes(): readonly string[] {
  const text = readFileSync(join(built, "index.html"), "utf8");
  const loaded = Array.from(
    text.matchAll(/<(?:script[^>]*\ssrc|link[^>]*rel="stylesheet"[^>]*\shref)="([^"]+)"/gu),
    ([, address = ""]) => address,
  );
  const inline = Array.from(
    text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gsu),
    ([, code = ""]) => code,
  ).join("");
  const bytes =
    loaded.reduce((sum, address) => sum + gzipSync(readFileSync(join(built, address))).length, 0) +
    gzipSync(inline).length;
  console.log(`sizes   ${bytes} bytes of script and style on the first page, at most ${mostBytes}`);
  return bytes > mostBytes ? [`The first page loads ${bytes} bytes of script and style; the bar is ${mostBytes}.`] : [];
}

/** Names of the root that no tutorial, guide or page of reference shows in code. */
function checkNames(): readonly string[] {
  const rows = readFileSync(join(root, "test/surface/names.tsv"), "utf8").trim().split("\n").slice(1);
  const names = rows
    .map((row) => row.split("\t"))
    .filter((cells) => cells.includes("ibid"))
    .map(([name = ""]) => name);
  const guides = globSync(["README.md", "docs/*.md", "docs/{tutorials,guides,library,migrate,explanation}/*.md"], {
    cwd: root,
  })
    .filter((path) => !path.endsWith("stability.md"))
    .map((path) => readFileSync(join(root, path), "utf8"))
    .flatMap((text) => Array.from(text.matchAll(/^```.*?^```|`[^`\n]+`/gmsu), ([code]) => code))
    .join("\n");
  const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`, "u").test(guides));
  console.log(`names   ${names.length - missing.length} of ${names.length} names of the root stand in a guide`);
  return missing.map((name) => `The name ${name} of the root stands in no guide.`);
}

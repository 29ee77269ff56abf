// How well the site's search finds what readers ask for: npm run docs:search-quality
//
// Asks the questions of site/search/questions.jsonl in Chromium, of ibid's index and of Pagefind's over the same pages. A question names the
// pages that answer it: 2 is a page that a reader should get, 1 one that helps. Ends with 1 where ibid is not better in both figures, or where the
// first answer takes more than a second or 300 KB.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { chromiumSwitches, findChromium } from "../scripts/browser/find-chromium.ts";
import { searchWeights } from "./map.ts";
import { serveFolder } from "./serve-folder.ts";

interface Question {
  readonly question: string;
  /** Grades by the address of the page. */
  readonly pages: Readonly<Record<string, number>>;
}

/** Pages by question, best first. */
type Run = readonly (readonly string[])[];

const depth = 10;
const mostBytes = 300_000;
const mostMs = 1_000;
/** Visitors until one has its answer in time. */
const mostVisitors = 5;

const built = join(import.meta.dirname, "dist");
if (!existsSync(join(built, "ibid/manifest.ibid")))
  throw new Error("There is no built site with an index. Run npm run docs:build first.");
const questions = readFileSync(join(import.meta.dirname, "search/questions.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Question);
for (const { question, pages } of questions) {
  for (const address of Object.keys(pages))
    if (!existsSync(join(built, address, "index.html")))
      throw new Error(`"${question}" wants ${address}, which is not there.`);
}

const executablePath = findChromium();
if (executablePath === undefined)
  throw new Error("There is no Chromium. Install it, or say in IBID_CHROMIUM where it is.");
const browser = await chromium.launch({ executablePath, args: [...chromiumSwitches] });
const work = mkdtempSync(join(tmpdir(), "ibid-quality-"));
const failures: string[] = [];
try {
  const asked = questions.map(({ question }) => question);
  const { run, cited, bytes, firstMs } = await askIbid(browser, asked);
  const ours = measure(run);
  const rows = [
    ["ibid", ours],
    ["Pagefind", measure(await askPagefind(browser, asked, {}))],
    ["Pagefind, same weights", measure(await askPagefind(browser, asked, searchWeights))],
  ] as const;
  console.log(`${questions.length} questions           nDCG@${depth}   top-1   nothing found`);
  for (const [name, { ndcg, top1, nothing }] of rows) {
    console.log(`${name.padEnd(24)}  ${ndcg.toFixed(3)}   ${top1.toFixed(3)}   ${nothing}`);
    if (name !== "ibid" && (ours.ndcg <= ndcg || ours.top1 <= top1)) failures.push(`ibid is not better than ${name}.`);
  }
  const right = cited.filter((page, i) => page !== undefined && questions[i]!.pages[page] === 2).length;
  const none = cited.filter((page) => page === undefined).length;
  console.log(`answers: ${right} quote a page of grade 2 first, ${none} are refused`);
  const [median, most] = [bytes[bytes.length >> 1]!, bytes.at(-1)!];
  console.log(
    `first answer: ${median} bytes, for one of the questions ${most} (at most ${mostBytes}), scripts included`,
  );
  console.log(`first answer: ${Math.round(firstMs)} ms from the question, with nothing loaded (at most ${mostMs})`);
  if (most > mostBytes) failures.push(`A first answer loads ${most} bytes.`);
  if (firstMs > mostMs) failures.push(`The first answer takes ${Math.round(firstMs)} ms.`);
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

/** Means over all questions. **Source** nDCG with gains of 2^grade - 1 (Burges et al., 2005). */
function measure(run: Run): { readonly ndcg: number; readonly top1: number; readonly nothing: number } {
  const gain = (grade: number, rank: number): number => (2 ** grade - 1) / Math.log2(rank + 2);
  let [ndcg, top1] = [0, 0];
  questions.forEach(({ pages }, i) => {
    const found = run[i]!.slice(0, depth);
    const best = Object.values(pages)
      .toSorted((a, b) => b - a)
      .slice(0, depth);
    const sum = (grades: readonly number[]): number => grades.reduce((all, grade, rank) => all + gain(grade, rank), 0);
    ndcg += sum(found.map((page) => pages[page] ?? 0)) / sum(best);
    top1 += pages[found[0] ?? ""] === 2 && found.length > 0 ? 1 : 0;
  });
  const nothing = run.filter((found) => found.length === 0).length;
  return { ndcg: ndcg / questions.length, top1: top1 / questions.length, nothing };
}

/**
 * Time from a question to its answer in the element, for a visitor with nothing loaded: the quickest of some visitors, since other work on the machine only adds to it.
 *
 * **Units** milliseconds.
 */
async function timeFirstAnswer(chrome: Browser, address: string, question: string): Promise<number> {
  let quickest = Infinity;
  for (let visitor = 0; visitor < mostVisitors && quickest > mostMs; visitor++) {
    const context = await chrome.newContext();
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForFunction('customElements.get("ibid-search") !== undefined');
    const ms = (await page.evaluate(
      `(async (question) => {
        const element = document.querySelector("ibid-search");
        const started = performance.now();
        const searched = element.search(question);
        await new Promise((done) => {
          const answer = element.shadowRoot.querySelector(".answer");
          new MutationObserver(done).observe(answer, { childList: true });
        });
        const ms = performance.now() - started;
        await searched;
        return ms;
      })(${JSON.stringify(question)})`,
    )) as number;
    quickest = Math.min(quickest, ms);
    await context.close();
  }
  return quickest;
}

/** Asks the index as the element does. */
async function askIbid(chrome: Browser, asked: readonly string[]) {
  const server = await serveFolder(built);
  try {
    const firstMs = await timeFirstAnswer(chrome, `${server.address}limits/`, asked.at(-1)!);
    const page = await chrome.newPage();
    await page.goto(`${server.address}limits/`);
    const found = (await page.evaluate(
      `(async (asked, depth) => {
        const { openSite } = await import("/ibid/ibid-engine.js");
        let loaded = 0;
        const cache = new Map();
        const read = async (name) => {
          if (!cache.has(name)) cache.set(name, new Uint8Array(await (await fetch("/ibid/" + name)).arrayBuffer()));
          loaded += cache.get(name).length;
          return cache.get(name);
        };
        const pageOf = (uri) => (uri === "./" ? "" : uri);
        const all = [];
        for (const question of asked) {
          // Each is the first question of a reader who has loaded nothing.
          loaded = 0;
          const site = await openSite({ read });
          const { citations } = await site.ask(question);
          const bytes = loaded;
          const hits = await site.search(question, { topK: depth });
          all.push({ pages: hits.map(({ source }) => pageOf(source.uri)), cited: citations[0] && pageOf(citations[0].uri), bytes });
        }
        return all;
      })(${JSON.stringify(asked)}, ${depth})`,
    )) as readonly { readonly pages: readonly string[]; readonly cited?: string; readonly bytes: number }[];
    const scripts = ["ibid-search.js", "ibid-engine.js"].reduce(
      (sum, name) => sum + gzipSync(readFileSync(join(built, "ibid", name))).length,
      0,
    );
    return {
      run: found.map(({ pages }) => pages),
      cited: found.map(({ cited }) => cited),
      bytes: found.map(({ bytes }) => scripts + bytes).toSorted((a, b) => a - b),
      firstMs,
    };
  } finally {
    await server.close();
  }
}

/** Asks Pagefind's own index of the same pages, in the browser, as its documentation shows. */
async function askPagefind(
  chrome: Browser,
  asked: readonly string[],
  weights: Readonly<Record<string, number>>,
): Promise<Run> {
  const pagefind = (await import(join(import.meta.dirname, "node_modules/pagefind/lib/index.js"))) as {
    createIndex(options: object): Promise<{
      index: {
        addHTMLFile(file: { url: string; content: string }): Promise<unknown>;
        writeFiles(options: { outputPath: string }): Promise<unknown>;
      };
    }>;
    close(): Promise<unknown>;
  };
  const { index } = await pagefind.createIndex({});
  for (const path of globSync("**/*.html", { cwd: built }).toSorted()) {
    if (path === "404.html") continue;
    const address = path.replace(/index\.html$/u, "");
    const start = Object.keys(weights).find((each) => address.startsWith(each));
    const weight = start === undefined ? "" : ` data-pagefind-weight="${weights[start]}"`;
    const content = readFileSync(join(built, path), "utf8").replace(
      "data-pagefind-body",
      `data-pagefind-body${weight}`,
    );
    await index.addHTMLFile({ url: `/${address}`, content });
  }
  const folder = mkdtempSync(join(work, "pagefind-"));
  await index.writeFiles({ outputPath: join(folder, "pagefind") });
  await pagefind.close();
  const server = await serveFolder(folder);
  try {
    const page = await chrome.newPage();
    await page.route(server.address, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
    await page.goto(server.address);
    return (await page.evaluate(
      `(async (asked, depth) => {
        const pagefind = await import("/pagefind/pagefind.js");
        const all = [];
        for (const question of asked) {
          const { results } = await pagefind.search(question);
          const pages = await Promise.all(results.slice(0, depth).map((result) => result.data()));
          all.push(pages.map(({ url }) => url.replace(/^\\//, "")));
        }
        return all;
      })(${JSON.stringify(asked)}, ${depth})`,
    )) as Run;
  } finally {
    await server.close();
  }
}

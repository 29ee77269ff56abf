import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OcrProvider } from "../../src/contracts/extraction.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { encodePng } from "../../src/readers/ocr/encode-png.ts";
import { openFileBlobStore } from "../../src/stores/index.node.ts";
import { expect, onTestFinished, test } from "vitest";
import { glyphBox, makePages, type PageLine } from "./make-pages.ts";
import { drawn, papers } from "./documents.ts";
import { askOnPage, markedText, serve, visit, visitHarbour } from "./open-page.ts";

/** The part of a quote that a mark shows. White space between blocks is not drawn, nor is the line of dashes below a table's head. */
const drawnSigns = (text: string): string => text.replaceAll(/^[ |:-]*--[ |:-]*$/gmu, "").replaceAll(/\s+/gu, "");

const formats = papers.filter(({ name }) => !name.endsWith(".pdf"));

test("[page 12] marker [1] opens the cited place, and the marks joined are the quote, for every format", async () => {
  const { page } = await visitHarbour();
  for (const { name, question, answer } of formats) {
    await page.goto(new URL("./", page.url()).href);
    const told = await askOnPage(page, question);
    const citation = told.citations[0]!;
    expect([name, citation.uri]).toEqual([name, `harbour/${name}`]);
    expect([name, citation.quote]).toEqual([name, expect.stringContaining(answer)]);
    await page.click(".turn:last-of-type .marker >> nth=0");
    // The names of columns are marked and not drawn: they stand in the head of the table.
    await page.waitForSelector(".evidence .text-view mark:not(.syntax)");
    expect([name, drawnSigns(await markedText(page))]).toEqual([name, drawnSigns(citation.quote)]);
    expect([name, await page.isVisible(".evidence mark:not(.syntax) >> nth=0")]).toEqual([name, true]);
  }
});

test("[page 12] a place that begins or ends within the name of a column is marked to the character", async () => {
  const { page, url, kb } = await visitHarbour();
  const { text } = (await kb.document("harbour/fleet.xlsx"))!;
  const label = text.indexOf("built: 2007");
  // Within one name; from one name into another; from a name to the value behind it.
  for (const [start, end] of [
    [label + 1, label + 4],
    [label + 2, text.indexOf("home berth: ", label) + 4],
    [label + 3, label + "built: 2007".length],
  ] as const) {
    await page.goto(new URL(`d?uri=harbour/fleet.xlsx&scope=deployment&at=${start}:${end}`, url).href);
    await page.waitForSelector(".text-view mark:not(.syntax)");
    expect(drawnSigns(await markedText(page))).toBe(drawnSigns(text.slice(start, end)));
    const seen = await page.$$eval(".text-view mark:not(.syntax)", (marks) =>
      marks.map((mark) => mark.getBoundingClientRect().width > 4),
    );
    expect(seen.every(Boolean)).toBe(true);
  }
});

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
const overlap = (one: Box, other: Box): number =>
  Math.max(0, Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)) *
  Math.max(0, Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y));
const area = ({ width, height }: Box): number => width * height;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Ten stretches of each file: words that stand in its text, and the lines on which they were drawn. */
function stretchesOf(
  lines: readonly (readonly PageLine[])[],
): { page: number; line: PageLine; from: number; to: number }[] {
  const all = lines.flatMap((own, page) =>
    own.flatMap((line) => {
      const words = [...line.text.matchAll(/\S+/gu)];
      return words.slice(0, -2).map((word, index) => ({
        page: page + 1,
        line,
        from: word.index,
        to: words[index + 2]!.index + words[index + 2]![0].length,
      }));
    }),
  );
  return Array.from({ length: 10 }, (_, index) => all[Math.floor((index * all.length) / 10)]!);
}

test("[page 13] the boxes on a PDF's page cover the glyphs of 50 quotes in five files: turned, Arabic, in columns, over pages", async () => {
  const { page, url, kb } = await visitHarbour();
  let count = 0;
  for (const [name, { pages, turn = 0 }] of Object.entries(drawn)) {
    const uri = `harbour/${name}`;
    const { text } = (await kb.document(uri))!;
    const [width, height] = turn === 90 ? [800, 600] : [600, 800];
    for (const { page: number, line, from, to } of stretchesOf(pages)) {
      const words = line.text.slice(from, to);
      // A line that both pages have stands last in the text where it stands on the last page.
      const near = number > 1 ? text.lastIndexOf(line.text.slice(0, 12)) : text.indexOf(line.text.slice(0, 12));
      const start = text.indexOf(words, Math.max(0, near));
      expect([name, words, start >= 0]).toEqual([name, words, true]);
      const address = `d?${new URLSearchParams({ uri, scope: "deployment", at: `${start}:${start + words.length}` }).toString()}`;
      await page.goto(new URL(address, url).href);
      await page.waitForSelector(`.pdf-page[data-page="${number}"][data-drawn="true"] .pdf-mark`);
      const boxes = (
        await page.$$eval(`.pdf-page[data-page="${number}"] .pdf-mark`, (marks) =>
          marks.map((mark) => {
            const frame = mark.parentElement!.querySelector("canvas")!.getBoundingClientRect();
            const { x, y, width: wide, height: high } = mark.getBoundingClientRect();
            return [(x - frame.x) / frame.width, (y - frame.y) / frame.height, wide / frame.width, high / frame.height];
          }),
        )
      ).map(([x = 0, y = 0, wide = 0, high = 0]) => ({
        x: x * width,
        y: y * height,
        width: wide * width,
        height: high * height,
      }));
      const glyphs = Array.from({ length: to - from }, (_, index) => glyphBox(line, from + index));
      const covered = sum(glyphs.map((glyph) => Math.min(area(glyph), sum(boxes.map((box) => overlap(box, glyph))))));
      expect([name, words, covered / sum(glyphs.map(area)) >= 0.95]).toEqual([name, words, true]);
      // Beyond the glyphs a mark has the height of its line alone: no neighbour to the left, to the right, above or below.
      const { size = 10 } = line;
      const [left, right] = [
        Math.min(...glyphs.map(({ x }) => x)),
        Math.max(...glyphs.map(({ x, width: wide }) => x + wide)),
      ];
      const band = { x: left, y: line.top - 1.05 * size, width: right - left, height: 1.45 * size };
      const outside = sum(boxes.map((box) => area(box) - overlap(box, band))) / sum(boxes.map(area));
      expect([name, words, outside <= 0.05]).toEqual([name, words, true]);
      count += 1;
    }
  }
  expect(count).toBe(50);
});

test("[page 13] the mark of a quote that goes over two pages stands on both, and ink lies under it", async () => {
  const { page, url, kb } = await visitHarbour();
  const { text } = (await kb.document("harbour/log.pdf"))!;
  const [start, end] = [text.indexOf("never once"), text.indexOf("of the cellar")];
  await page.goto(new URL(`d?uri=harbour/log.pdf&scope=deployment&at=${start}:${end}`, url).href);
  await page.waitForSelector('.pdf-page[data-page="2"][data-drawn="true"] .pdf-mark');
  await page.waitForSelector('.pdf-page[data-page="1"][data-drawn="true"] .pdf-mark');
  const ink = await page.$$eval(".pdf-mark", (marks) =>
    marks.map((mark) => {
      const canvas = mark.parentElement!.querySelector("canvas")!;
      const frame = canvas.getBoundingClientRect();
      const box = mark.getBoundingClientRect();
      const scale = canvas.width / frame.width;
      const { data } = canvas
        .getContext("2d")!
        .getImageData((box.x - frame.x) * scale, (box.y - frame.y) * scale, box.width * scale, box.height * scale);
      let dark = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at]! < 128) dark += 1;
      return dark / (data.length / 4);
    }),
  );
  expect(ink.map((share) => share > 0.03)).toEqual([true, true]);
});

test("[page 13] an answer makes its PDF ready, and a page is drawn before its marks are known", async () => {
  const { page, url, kb } = await visitHarbour();
  const { question } = papers.find(({ name }) => name === "columns.pdf")!;
  const asked = page.waitForRequest(/\/geometry\?/u);
  await askOnPage(page, question);
  expect(new URL((await asked).url()).searchParams.get("uri")).toBe("harbour/columns.pdf");
  const gate = Promise.withResolvers<void>();
  await page.route(/\/geometry\?/u, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const start = (await kb.document("harbour/columns.pdf"))!.text.indexOf("every fifteen years");
  await page.goto(new URL(`d?uri=harbour/columns.pdf&at=${start}:${start + 19}`, url).href);
  await page.waitForSelector('.pdf-page[data-drawn="true"]');
  expect(await page.textContent(".pdf-pages")).toContain("Finding the place");
  expect(await page.$$eval(".pdf-mark", (marks) => marks.length)).toBe(0);
  gate.resolve();
  await page.waitForSelector(".pdf-mark");
  expect(await page.textContent(".pdf-pages")).not.toContain("Finding the place");
});

test("[page 13] a cited page of a long PDF that nobody has opened shows with its marks in 1.5 seconds, and its file is not read for them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-long-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const works = [
    "Nets were mended",
    "at anchor",
    "The crew slept",
    "in the fog",
    "Ropes were tarred",
    "Rain fell",
    "by the quay",
  ];
  const makeLog = (ship: string): Uint8Array =>
    makePages(
      Array.from({ length: 80 }, (_, page) =>
        Array.from({ length: 40 }, (_, line) => ({
          x: 60,
          top: 60 + 16 * line,
          text: `${works[(7 * page + 3 * line) % works.length]} on day ${40 * page + line}, and the ${ship} lay ${works[(5 * page + line) % works.length]}.`,
        })),
      ),
    );
  const logs = Object.fromEntries(["heron", "stork", "crane"].map((ship) => [`${ship}.pdf`, makeLog(ship)]));
  const kb = await openKnowledgeBase(join(folder, "kb"));
  for (const [uri, bytes] of Object.entries(logs)) await kb.ingest({ uri, bytes });
  const opened = Date.now();
  const serving = await serve(kb, { files: openFileBlobStore(join(folder, "kb", "files")) }, logs);
  const { page, url } = await visit(serving);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const times: number[] = [];
  for (const [index, uri] of Object.keys(logs).entries()) {
    const start = (await kb.document(uri))!.text.indexOf(`day ${1717 + index}`);
    await page.waitForSelector("#question");
    asked.length = 0;
    const address = new URL(`d?uri=${uri}&scope=deployment&at=${start}:${start + 8}`, url).href;
    const started = performance.now();
    await page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent("popstate"))`,
    );
    await page.waitForSelector('.pdf-page[data-page="43"][data-drawn="true"] .pdf-mark');
    times.push(performance.now() - started);
    const count = (path: string): number => asked.filter((each) => each === path).length;
    expect([count("/geometry"), count("/original")]).toEqual([1, 1]);
    await page.goto(url);
  }
  // Kept by ingestion, and by nobody since.
  const kept = readdirSync(join(folder, "kb", "files", "places+")).map(
    (name) => statSync(join(folder, "kb", "files", "places+", name)).mtimeMs,
  );
  expect(kept.filter((time) => time < opened)).toHaveLength(3);
  expect(Math.min(...times)).toBeLessThan(1500);
});

test("[page 13] words that were recognised in a picture are marked on it, and a picture without them is shown whole", async () => {
  const [width, height] = [400, 200];
  const pixels = new Uint8Array(width * height).fill(255);
  // Black where the second word stands.
  for (let y = 100; y < 120; y++) pixels.fill(0, y * width + 160, y * width + 240);
  const png = encodePng({ width, height, pixels, dpi: 72 });
  const word = (text: string, x: number) => ({ text, x, y: 0.5, width: 0.2, height: 0.1, line: 1 });
  const ocr: OcrProvider = {
    name: "fake/1",
    isScanned: ({ uri }) => uri === "sign.png",
    extractText: async () => [{ page: 1, text: "HARBOUR CLOSED", words: [word("HARBOUR", 0.1), word("CLOSED", 0.4)] }],
  };
  const kb = await openKnowledgeBase({ reading: { ocr } });
  await kb.ingest({ uri: "sign.png", bytes: png });
  await kb.ingest({ uri: "plan.png", bytes: png, keepsMedia: true });
  const { page, url } = await visit(await serve(kb, {}, { "sign.png": png, "plan.png": png }));
  const start = (await kb.document("sign.png"))!.text.indexOf("CLOSED");
  await page.goto(new URL(`d?uri=sign.png&scope=deployment&at=${start}:${start + 6}`, url).href);
  await page.waitForSelector('.pdf-page[data-drawn="true"] .pdf-mark');
  const shares = await page.$eval(".pdf-mark", (mark) => {
    const frame = mark.parentElement!.querySelector("img")!.getBoundingClientRect();
    const box = mark.getBoundingClientRect();
    return [
      (box.x - frame.x) / frame.width,
      box.width / frame.width,
      (box.y - frame.y) / frame.height,
      (box.y + box.height - frame.y) / frame.height,
      frame.height / frame.width,
    ];
  });
  const [left, wide, top, bottom, ratio] = shares as [number, number, number, number, number];
  expect([Math.abs(left - 0.4) < 0.01, Math.abs(wide - 0.2) < 0.01, Math.abs(ratio - 0.5) < 0.01]).toEqual([
    true,
    true,
    true,
  ]);
  expect([top > 0.45 && top < 0.51, bottom > 0.59 && bottom < 0.65]).toEqual([true, true]);
  await page.goto(new URL("d?uri=plan.png&scope=deployment", url).href);
  await page.waitForSelector('.pdf-page[data-drawn="true"] img');
  expect(await page.$$eval(".pdf-mark", (marks) => marks.length)).toBe(0);
});

test("[page 15] a quote that occurs twice marks the one that is cited", async () => {
  const { page, url, kb } = await visitHarbour();
  const { text } = (await kb.document("harbour/handbook.md"))!;
  const words = "The fog horn sounds";
  for (const start of [text.indexOf(words), text.lastIndexOf(words)]) {
    await page.goto(
      new URL(`d?uri=harbour/handbook.md&scope=deployment&at=${start}:${start + words.length}`, url).href,
    );
    await page.waitForSelector("mark");
    expect(await page.$$eval("mark", (marks) => marks.length)).toBe(1);
    const after = await page.$eval("mark", (mark) => mark.nextSibling?.textContent ?? "");
    expect(after.slice(0, 8)).toBe(text.slice(start + words.length, start + words.length + 8));
  }
  const pdf = (await kb.document("harbour/survey.pdf"))!.text;
  const chain = "chain is renewed";
  const second = pdf.lastIndexOf(chain);
  expect(pdf.indexOf(chain) < second).toBe(true);
  await page.goto(new URL(`d?uri=harbour/survey.pdf&scope=deployment&at=${second}:${second + chain.length}`, url).href);
  await page.waitForSelector(".pdf-mark");
  expect(await page.$$eval(".pdf-page", (pages) => pages.map((each) => each.getAttribute("data-page")))).toEqual(["2"]);
});

test("[page 25] the page of a PDF is text for those who hear it, and its mark holds the quote", async () => {
  const { page, url, kb } = await visitHarbour();
  const { text } = (await kb.document("harbour/columns.pdf"))!;
  const words = "every fifteen years";
  const start = text.indexOf(words);
  await page.goto(new URL(`d?uri=harbour/columns.pdf&at=${start}:${start + words.length}`, url).href);
  await page.waitForSelector('.pdf-page[data-drawn="true"] .pdf-mark');
  await expect.poll(() => page.textContent(".pdf-page > p")).toContain("A plaque tells of those who were lost.");
  expect(await page.textContent("[role=mark]")).toBe(words);
});

test("a base that keeps no versions is asked for them once, however many documents are opened", async () => {
  const { page, url } = await visitHarbour();
  const asked: number[] = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname === "/versions") asked.push(response.status());
  });
  await page.goto(new URL("library", url).href);
  for (const at of [0, 1, 2]) {
    await page.click(`a.document >> nth=${at}`);
    await page.waitForSelector(".evidence, .document-screen, .text-view");
    await page.waitForLoadState("networkidle");
    await page.goBack();
    await page.waitForSelector("a.document");
  }
  expect(asked).toEqual([400]);
});

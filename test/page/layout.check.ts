import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createMemory } from "../../src/integrations/memory/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { writeFiles } from "../cli/run-ibid.ts";
import { papers } from "./documents.ts";
import { makePages } from "./make-pages.ts";
import { askOnPage, openHarbour, serve, visit, visitHarbour } from "./open-page.ts";
import { beyondWidth, violationsOf } from "./violations.ts";

const table =
  "The lamp glass is polished every ninety days [1].\n\n| part | interval |\n|---|---|\n| lens | 17 weeks |\n";
const narrow: BrowserContextOptions = { viewport: { width: 320, height: 640 } };

test("[page 17] a follow-up stands at the top with its answer below it, unless the reader has scrolled", async () => {
  const { page } = await visitHarbour({ browser: { viewport: { width: 390, height: 700 } } });
  for (const { question } of papers.slice(0, 3)) await askOnPage(page, question);
  const top = (): Promise<number> =>
    page.$eval(".turn:last-of-type .asked", (asked) => Math.round(asked.getBoundingClientRect().top));
  await expect.poll(top).toBeLessThan(200);
  expect(await top()).toBeGreaterThan(0);
  await page.route("**/ask", async (route) => {
    await page.evaluate("scrollTo(0, 0)");
    await route.continue();
  });
  await askOnPage(page, papers[3]!.question);
  await page.waitForTimeout(300);
  expect(await page.evaluate("scrollY")).toBe(0);
});

test("[page 23] a table that no source supports says so in words, as a sentence does", async () => {
  const { page } = await visitHarbour({ model: createScriptedChatModel(() => table) });
  await askOnPage(page, papers[0]!.question);
  await page.waitForSelector("td.doubt, td .doubt");
  expect(await page.textContent("table .verdict")).toBe("without a source");
  // The words of the page do not turn the cell that they stand in.
  await page.selectOption(".rail-foot select >> nth=0", "ar");
  await page.waitForSelector('html[dir="rtl"]');
  expect(await page.$eval("td:has(.verdict)", (cell) => cell.matches(":dir(ltr)"))).toBe(true);
});

test("[page 25] at every width a marker stands on the line of the word before it, with the full stop behind it", async () => {
  const { page } = await visitHarbour({ model: createScriptedChatModel(() => table) });
  await askOnPage(page, papers[0]!.question);
  await page.waitForSelector(".answer .marker");
  for (let width = 320; width <= 420; width += 10) {
    await page.setViewportSize({ width, height: 700 });
    const lines: number[] = await page.evaluate(`(() => {
      const marker = document.querySelector(".answer .marker");
      const rectOf = (text) => {
        const range = document.createRange();
        range.setStart(text, 0);
        range.setEnd(text, 1);
        return range.getBoundingClientRect();
      };
      const rects = [rectOf(marker.previousSibling), marker.getBoundingClientRect(), rectOf(marker.nextSibling)];
      return rects.map(({ top, height }) => top + height / 2);
    })()`);
    for (const line of lines) expect(Math.abs(line - lines[0]!), `at ${width}`).toBeLessThan(10);
  }
});

test("[page 16] a reader who goes to another screen while the answer is being kept stays there", async () => {
  const { page } = await visitHarbour();
  let keepOn = (): void => {};
  const held = new Promise<void>((resolve) => (keepOn = resolve));
  await page.route("**/thread**", async (route) => {
    await held;
    await route.continue();
  });
  await page.fill("#question", papers[0]!.question);
  const kept = page.waitForResponse((response) => /\/threads?\b/u.test(response.url()));
  await page.press("#question", "Enter");
  await page.waitForSelector('.turn[data-state="done"]');
  await page.click('.rail-link[href$="library"]');
  await page.waitForSelector(".document");
  keepOn();
  await kept;
  await page.evaluate("new Promise((done) => setTimeout(done, 200))");
  expect(new URL(page.url()).pathname).toBe("/library");
});

/** Whether a point of an element's middle shows the element. */
const isUncovered = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const own = document.querySelector(${JSON.stringify(selector)});
    const { left, top, width, height } = own.getBoundingClientRect();
    return own.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })()`);

test("[page 25] below a long answer the question and its filter are in reach, and no text shines through", async () => {
  const long = Array.from({ length: 40 }, (_, i) => `- Line ${i} of a long list.`).join("\n");
  for (const browser of [{}, narrow]) {
    const { page } = await visitHarbour({ model: createScriptedChatModel(() => long), browser });
    await askOnPage(page, papers[0]!.question);
    await page.evaluate("scrollTo(0, 300)");
    expect(await isUncovered(page, ".filter-bar summary")).toBe(true);
    expect(await isUncovered(page, ".question-form button")).toBe(true);
    const through = (await page.evaluate(`(() => {
      const form = document.querySelector(".question-form").getBoundingClientRect();
      const found = document.elementFromPoint(form.left + form.width / 2, form.bottom + 4);
      return found.closest(".answer, .sources") !== null;
    })()`)) as boolean;
    expect(through).toBe(false);
  }
});

for (const locale of ["en-GB", "de", "ar"]) {
  test(`[page 25] at a width of 320 the empty question is one whole line, and selects show their words (${locale})`, async () => {
    const { page } = await visitHarbour({ browser: { ...narrow, locale } });
    await page.waitForSelector("#question");
    const cut = await page.evaluate(`(() => {
      const field = document.querySelector("#question");
      const line = parseFloat(getComputedStyle(field).lineHeight);
      const { paddingTop, paddingBottom } = getComputedStyle(field);
      const lines = (field.scrollHeight - parseFloat(paddingTop) - parseFloat(paddingBottom)) / line;
      const narrow = [...document.querySelectorAll(".rail-foot select")].filter((select) => {
        const copy = select.cloneNode(false);
        copy.append(select.selectedOptions[0].cloneNode(true));
        copy.style.maxWidth = "none";
        select.after(copy);
        const wanted = copy.getBoundingClientRect().width;
        copy.remove();
        return select.getBoundingClientRect().width < wanted;
      });
      return { lines: Math.round(lines), narrow: narrow.map((select) => select.selectedOptions[0].textContent) };
    })()`);
    expect(cut).toEqual({ lines: 1, narrow: [] });
  });
}

test("[page 25] at a width of 320 an icon stands beside the words of its row", async () => {
  const kb = await openHarbour();
  await kb.delete("harbour/rules.txt");
  const serving = await serve(kb);
  const { page } = await visit(serving, narrow);
  await askOnPage(page, papers[0]!.question);
  for (const screen of ["library?trash", "history"]) {
    await page.goto(new URL(screen, serving.url).href);
    await page.waitForSelector(".upload");
    const apart = await page.$$eval(
      ".upload",
      (rows) =>
        rows.filter((row) => {
          const [words, icon] = [".upload-words", ".icon"].map((each) =>
            row.querySelector(each).getBoundingClientRect(),
          );
          return icon.bottom <= words.top || icon.top >= words.bottom;
        }).length,
    );
    expect([screen, apart]).toEqual([screen, 0]);
  }
});

test("[page 25] at a width of 320 failures, events and dialogs keep their words wide, and figures short", async () => {
  const kb = await openHarbour({
    ...createScriptedChatModel(() => ""),
    async *stream() {
      yield { type: "text" as const, delta: "The lamp glass" };
      throw new TypeError("the provider hung up");
    },
  });
  await kb.delete("harbour/rules.txt");
  const { page, url } = await visit(await serve(kb), narrow);
  await page.fill("#question", papers[0]!.question);
  await page.press("#question", "Enter");
  await page.waitForSelector(".notice-bad");
  const [words, whole] = (await page.$$eval(".notice-bad > div, .notice-bad", (all) =>
    all.map((each) => each.getBoundingClientRect().width).toSorted((a, b) => a - b),
  )) as [number, number];
  expect(words / whole).toBeGreaterThan(0.7);
  await page.goto(new URL("library?trash", url).href);
  await page.click(".upload .bad");
  const [title, close] = await page.$$eval("dialog header > *", (all) =>
    all.map((each) => each.getBoundingClientRect()),
  );
  expect(close!.top).toBeLessThan(title!.bottom);
  await page.goto(new URL("ops", url).href);
  await page.waitForSelector(".care table");
  const rows = await page.$$eval(".care tr", (all) => all.map((row) => row.getBoundingClientRect().height));
  expect(Math.max(...rows)).toBeLessThan(320);
  expect(await page.$$eval(".event-data", (all) => all.map(({ textContent }) => textContent).join(" "))).not.toMatch(
    /\d\.\d{3}/u,
  );
});

test("[page 27] in Arabic a date beside the name of a file is read in one direction", async () => {
  const kb = await openHarbour();
  await kb.delete("harbour/rules.txt");
  const { page, url } = await visit(await serve(kb), { locale: "ar" });
  await page.goto(new URL("library?trash", url).href);
  await page.waitForSelector(".upload");
  const places = (await page.evaluate(`(() => {
    const words = document.querySelector(".upload .faint");
    const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const match of node.data.matchAll(/\\d+(?=\\u200f)|\\d{4}/gu)) {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        found.push(range.getBoundingClientRect().left);
      }
    }
    return found;
  })()`)) as number[];
  expect(places).toHaveLength(3);
  expect(places).toEqual(places.toSorted((a, b) => b - a));
});

type Edges = { readonly left: number; readonly right: number; readonly top: number };

test("[page 27] in Arabic the number of a section stays before its name, beside the number of the page", async () => {
  const lines = [
    { x: 60, top: 50, size: 30, text: "Handbook of the lamp" },
    { x: 60, top: 84, size: 18, text: "4 Decision Making" },
    { x: 60, top: 120, text: "The keeper decides at dawn whether the lamp is lit." },
    { x: 60, top: 134, text: "Nobody else may touch the lamp before noon." },
  ];
  const bytes = makePages([lines]);
  const kb = await openKnowledgeBase();
  await kb.ingest({ uri: "lamp.pdf", bytes });
  const at = (await kb.document("lamp.pdf"))!.text.indexOf("decides");
  const { page, url } = await visit(await serve(kb, {}, { "lamp.pdf": bytes }), { locale: "ar" });
  await page.goto(new URL(`d?uri=lamp.pdf&scope=deployment&at=${at}:${at + 7}`, url).href);
  await page.waitForSelector(".place-head >> text=Decision");
  const [number, name] = (await page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.querySelector(".place-head"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const start = node.data.indexOf("4 Decision");
      if (start === -1 || !node.data.includes("·")) continue;
      return [[start, start + 1], [start + 2, start + 10]].map(([from, to]) => {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        const { left, right, top } = range.getBoundingClientRect();
        return { left, right, top };
      });
    }
  })()`)) as readonly [Edges, Edges];
  expect([number.right <= name.left, name.left - number.right < 12, number.top === name.top]).toEqual([
    true,
    true,
    true,
  ]);
});

test("[page 27] in Arabic the code of a document is read from left to right, also below the button for earlier text", async () => {
  const kb = await openHarbour();
  const tides = Array.from({ length: 900 }, (_, day) => ({ day, port: "Ennis Point" }));
  await kb.ingest({ uri: "tides.json", text: JSON.stringify(tides, undefined, 1), mediaType: "application/json" });
  const { page, url } = await visit(await serve(kb), { locale: "ar" });
  await page.goto(new URL("d?uri=tides.json&at=20000:20040", url).href);
  await page.waitForSelector(".text-view mark");
  expect(await page.$$eval(".text-view .more", (all) => all.length)).toBe(2);
  const directions = await page.evaluate(
    `[...document.querySelectorAll(".text-view pre, .text-view .more")].map((each) => each.tagName + " " + getComputedStyle(each).direction)`,
  );
  expect(new Set(directions as string[])).toEqual(new Set(["BUTTON rtl", "PRE ltr"]));
});

test("[page 19] a search that finds nothing within limits says so, and one by words offers the meaning", async () => {
  const { page, url } = await visitHarbour();
  const said = async (hash: string): Promise<string | null> => {
    await page.goto("about:blank");
    await page.goto(new URL(`search#${hash}`, url).href);
    await page.waitForSelector(".small-empty");
    return page.textContent(".small-empty p");
  };
  expect(await said("q=harbour&since=2999-01-01")).toContain("within your limits");
  expect(await said("q=xyzzyplugh&mode=lexical")).toContain("Search by words and meaning");
});

test("[page 26.5] a note without a name is listed in the library and among hits by its kind", async () => {
  const kb = await openHarbour();
  await createMemory(kb, { by: "ada" }).remember("The xylophone stands in the lamp room.");
  const { page, url } = await visit(await serve(kb));
  await page.goto(new URL("library", url).href);
  await page.waitForSelector(".document");
  expect(await page.$$eval(".document-title", (all) => all.filter((each) => each.textContent === "").length)).toBe(0);
  expect(await page.$$eval(".kind", (all) => all.map((each) => each.textContent))).toContain("note");
  await page.goto(new URL("search#q=xylophone", url).href);
  expect(await page.textContent(".hit-title >> nth=0")).toBe("Memory");
});

test("[page 16] threads stand under the days of the reader's clock; one that cannot be deleted says why", async () => {
  const { page, url } = await visitHarbour({ browser: { timezoneId: "Pacific/Auckland" } });
  // 00:30 in Auckland, where the day before was still going on in UTC.
  await page.clock.setFixedTime(new Date("2026-06-10T12:30:00Z"));
  const thread = (id: string, updatedAt: string) => ({ id, title: id, turns: 1, updatedAt });
  await page.route("**/threads*", (route) =>
    route.fulfill({
      json: {
        threads: [thread("after", "2026-06-10T12:10:00Z"), thread("before", "2026-06-10T11:50:00Z")],
      },
    }),
  );
  await page.route("**/thread?*", (route) => route.abort());
  await page.goto(new URL("history", url).href);
  await page.waitForSelector(".upload");
  expect(await page.$$eval("main section h2", (all) => all.map((each) => each.textContent))).toEqual([
    "Today",
    "Yesterday",
  ]);
  await page.click('.upload button[aria-label^="Delete"] >> nth=0');
  await page.waitForSelector(".notice-bad");
});

test("[page 25] what the Tab key reaches in a long answer is never hidden below the question", async () => {
  const sentences = Array.from({ length: 30 }, () => "- The lamp glass is polished every ninety days [1].").join("\n");
  for (const browser of [{}, narrow]) {
    const { page } = await visitHarbour({ model: createScriptedChatModel(() => sentences), browser });
    await askOnPage(page, papers[0]!.question);
    await page.evaluate("scrollTo(0, 0)");
    await page.focus(".marker >> nth=0");
    const hidden: string[] = [];
    for (let index = 0; index < 32; index++) {
      const told = (await page.evaluate(`(() => {
        const { left, top, width, height } = document.activeElement.getBoundingClientRect();
        const shown = document.elementFromPoint(left + width / 2, top + height / 2);
        return document.activeElement.contains(shown) ? "" : document.activeElement.outerHTML.slice(0, 80);
      })()`)) as string;
      if (told !== "") hidden.push(told);
      await page.keyboard.press("Tab");
    }
    expect(hidden).toEqual([]);
  }
});

test("[page 25] at a width of 320 long names of folders and files push nothing out of the library or the filter", async () => {
  const deep = "a-folder-whose-name-nobody-would-type-by-hand/and-another-one-of-the-same-length-below-it";
  const folder = mkdtempSync(join(tmpdir(), "ibid-deep-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await writeFiles(folder, { [`${deep}/quay.md`]: "# Quay\n\nA crane.", "pier.md": "# Pier\n\nA crane." });
  const kb = await openKnowledgeBase();
  await kb.ingest(folder);
  const { page, url } = await visit(await serve(kb), { ...narrow, bypassCSP: true });
  await page.goto(new URL("library", url).href);
  await page.waitForSelector(".filter-folder option >> nth=1", { state: "attached" });
  await page.waitForSelector(".document");
  expect([await beyondWidth(page), await violationsOf(page)]).toEqual([0, []]);
  await page.goto(new URL("search#q=crane", url).href);
  await page.click("summary");
  await page.waitForSelector(".filter-folder option >> nth=1", { state: "attached" });
  expect([await beyondWidth(page), await violationsOf(page)]).toEqual([0, []]);
});

test("[page 20] a chosen document with a long name is one line among the limits, and pushes nothing out of a question", async () => {
  const long = `${"a_name_without_a_place_to_break_".repeat(4)}.txt`;
  const kb = await openKnowledgeBase();
  await kb.ingest({ uri: `harbour/${long}`, text: "The crane of the quay lifts twelve tonnes." });
  await kb.ingest({ uri: "harbour/other.txt", text: "The pier has a crane, too." });
  const { page, url } = await visit(await serve(kb), narrow);
  await page.goto(new URL("library", url).href);
  await page.check(`.document-row:has-text("${long}") input`);
  await page.click(".picked button >> nth=0");
  await page.waitForSelector(".chip");
  const height = await page.$eval(".chip", (chip) => chip.getBoundingClientRect().height);
  expect(height).toBeLessThan(40);
  await askOnPage(page, "How many tonnes does the crane lift?");
  await page.waitForSelector(".limits");
  expect(await beyondWidth(page)).toBe(0);
});

test("[page 25] the panel of a place is resized by its edge, by arrow keys and by a click, and stays so", async () => {
  for (const [locale, wider] of [
    ["en-GB", "ArrowLeft"],
    ["ar", "ArrowRight"],
  ] as const) {
    const { page } = await visitHarbour({ browser: { locale, bypassCSP: true } });
    const width = async (): Promise<number> => (await page.locator(".evidence").boundingBox())!.width;
    await askOnPage(page, papers[0]!.question);
    await page.click(".source");
    await page.waitForSelector(".evidence mark");
    const usual = await width();
    await page.focus(".divider");
    for (let times = 0; times < 3; times++) await page.keyboard.press(wider);
    expect(await width()).toBeGreaterThan(usual + 60);
    const shown = await page.locator(".evidence mark >> nth=0").boundingBox();
    expect(shown!.y).toBeGreaterThan(0);
    expect(shown!.y).toBeLessThan(800);
    const edge = (await page.locator(".divider").boundingBox())!;
    const [x, y] = [edge.x + edge.width / 2, 400];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + (wider === "ArrowLeft" ? 240 : -240), y, { steps: 4 });
    await page.mouse.up();
    const narrow = await width();
    expect(narrow).toBeLessThan(usual);
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await page.waitForSelector(".evidence mark");
    expect(await width()).toBeCloseTo(narrow, 0);
    await page.click(".divider");
    expect(await width()).toBeCloseTo(usual, 0);
    await page.setViewportSize({ width: 800, height: 700 });
    expect(await page.isVisible(".divider")).toBe(false);
  }
});

test("[page 34] the bar of a phone has four entries, and the last one opens the others", async () => {
  const { page } = await visitHarbour({ browser: { viewport: { width: 320, height: 700 }, bypassCSP: true } });
  const seen = (): Promise<string[]> =>
    page.$$eval(".rail-link", (links) =>
      links.filter((link) => link.checkVisibility()).map(({ textContent }) => textContent),
    );
  await page.waitForSelector(".rail-link");
  expect(await seen()).toEqual(["Ask", "Search", "Library", "More"]);
  await page.click(".rail-more");
  expect(await seen()).toEqual(["Ask", "Search", "Library", "More", "Threads", "Memory", "Add", "Operator"]);
  expect(await beyondWidth(page)).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  expect(await seen()).toHaveLength(4);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/history$/u);
  expect(await seen()).toHaveLength(4);
  await page.setViewportSize({ width: 1280, height: 700 });
  expect(await seen()).toEqual(["Ask", "Search", "Library", "Threads", "Memory", "Add", "Operator"]);
});

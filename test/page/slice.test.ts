import { expect, test } from "vitest";
import { findChromium } from "../../scripts/browser/find-chromium.ts";
import { papers } from "./documents.ts";
import { askOnPage, markedText, visitHarbour } from "./open-page.ts";

// `npm run check:page` has the whole list, and fails without Chromium. Tests of every change run also where none is.
test.skipIf(findChromium() === undefined)(
  "[page 12] [page 13] in Chromium, a marker opens the cited place: in the text, and on the page of a PDF",
  async () => {
    const { page, url, kb } = await visitHarbour();
    const told = await askOnPage(page, papers.find(({ name }) => name === "rules.txt")!.question);
    await page.click(".turn .marker >> nth=0");
    await page.waitForSelector(".evidence .text-view mark");
    expect(await markedText(page)).toBe(told.citations[0]!.quote.replaceAll("\n\n", ""));
    const { text } = (await kb.document("harbour/columns.pdf"))!;
    const words = "every fifteen years";
    const start = text.indexOf(words);
    await page.goto(new URL(`d?uri=harbour/columns.pdf&at=${start}:${start + words.length}`, url).href);
    await page.waitForSelector('.pdf-page[data-drawn="true"] .pdf-mark');
    expect(await page.$$eval(".pdf-mark", (marks) => marks.length)).toBe(1);
  },
);

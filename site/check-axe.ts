import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** Ten pages of different kinds: prose, wide tables, code, lists of links, generated reference. */
const pages: readonly string[] = [
  "",
  "limits/",
  "trade-offs/",
  "tutorials/first-answer/",
  "guides/install/",
  "library/",
  "command-line/",
  "errors/not-found/",
  "guarantees/",
  "decisions/",
];

/** Pages with wide tables besides. */
const tablePages: readonly string[] = [
  "seeds/",
  "engines/",
  "formats/",
  "server/",
  "configuration/",
  "principles/",
  "operations/",
  "guides/choose-models/",
  "api/ibid/",
  "reference/http/",
];

/**
 * Words of cells that stand on several lines, and pages that scroll sideways, in the window of a page. Code and links may break anywhere, and so may words that no
 * column of a phone can hold.
 */
const brokenTables = `(() => {
  const broken = new Set();
  for (const cell of document.querySelectorAll("main :is(td, th)")) {
    // A phone has no room for five columns of words.
    if (innerWidth < 800 && cell.closest("table").querySelector("th:nth-child(5)") !== null) continue;
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.parentElement.closest("code, a") !== null) continue;
      for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}]{2,14}/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = Array.from(range.getClientRects(), ({ top }) => Math.round(top));
        if (Math.max(...tops) - Math.min(...tops) > 4) broken.add(word);
      }
    }
  }
  const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return { broken: [...broken], beyond };
})()`;

/** Time for one page to load. **Units** milliseconds. */
const patienceMs = 300_000;

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Runs axe on ten pages in light and dark, at 1,280 and 390 pixels, and looks at the tables of twenty. **Shape** a line for each finding. */
export async function checkAccessibility(address: string, root: string): Promise<readonly string[]> {
  const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
  const browser = await chromium.launch({
    timeout: patienceMs,
    executablePath: process.env["IBID_CHROMIUM"] ?? "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  const found: string[] = [];
  let tables = 0;
  try {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1280, 390]) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        // A machine with other work may take long over a page; the findings do not depend on it.
        context.setDefaultTimeout(patienceMs);
        const page = await context.newPage();
        for (const path of pages) {
          const response = await page.goto(address + path);
          if (response?.status() !== 200) {
            found.push(`axe: /${path} answers ${response?.status()}`);
            continue;
          }
          await page.evaluate(axe);
          const violations = (await page.evaluate(
            'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then((result) => result.violations)',
          )) as readonly Finding[];
          for (const { id, nodes } of violations)
            found.push(`axe: /${path} ${colorScheme} ${width}: ${id}, ${nodes.length} times: ${nodes[0]?.html ?? ""}`);
        }
        if (colorScheme === "light") {
          for (const path of [...pages, ...tablePages]) {
            await page.goto(address + path);
            const { broken, beyond } = (await page.evaluate(brokenTables)) as {
              readonly broken: readonly string[];
              readonly beyond: number;
            };
            tables += 1;
            if (broken.length > 0)
              found.push(`tables: /${path} ${width}: words broken in cells: ${broken.slice(0, 5).join(", ")}`);
            if (beyond > 0) found.push(`tables: /${path} ${width}: ${beyond} pixels beyond the window`);
          }
        }
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
  const ofTables = found.filter((each) => each.startsWith("tables")).length;
  console.log(
    `axe     ${pages.length} pages, light and dark, 1280 and 390 pixels: ${found.length - ofTables} findings`,
  );
  console.log(`tables  ${tables} windows with tables: ${ofTables} with broken words, or beyond the window`);
  return found;
}

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

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Runs axe on ten pages in light and dark, at 1,280 and 390 pixels. **Shape** a line for each finding. */
export async function checkAccessibility(address: string, root: string): Promise<readonly string[]> {
  const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
  const browser = await chromium.launch({
    executablePath: process.env["IBID_CHROMIUM"] ?? "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  const found: string[] = [];
  try {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1280, 390]) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
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
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
  console.log(`axe     ${pages.length} pages, light and dark, 1280 and 390 pixels: ${found.length} findings`);
  return found;
}

import { openKnowledgeBase } from "../../src/index.node.ts";
import { startService } from "../../src/server/index.node.ts";
import { openFileBlobStore } from "../../src/stores/index.node.ts";
import { buildPage } from "../build-page.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const sentence = "Signing keys are rotated every ninety days.";
const filler = (about: string): string => `${about} is told of at length, and nobody asks. `.repeat(200);
const paragraph = `${sentence} <b>Nobody</b> keeps one.`;
const document = `# Handbook\n\n${filler("Tea")}\n\n## Keys\n\n${paragraph}\n\n${filler("Wine")}`;

/**
 * Uses the page of `ibid serve` in a browser as a reader does. It asks, follows the citation's marker, looks at the
 * place, opens its address anew, and searches. `npm run check:page` goes through every screen.
 *
 * **Errors** name the difference. With `screenshot`, a picture of the page is written there.
 */
export async function checkPage(executablePath: string, args: readonly string[], screenshot?: string): Promise<void> {
  await buildPage(join(import.meta.dirname, "..", "..", "src", "server", "page", "built"));
  const folder = mkdtempSync(join(tmpdir(), "ibid-page-"));
  const kb = await openKnowledgeBase();
  await kb.ingest({ uri: "handbook.md", text: document, mediaType: "text/markdown" });
  const service = await startService(kb, { port: 0, files: openFileBlobStore(folder) });
  const browser = await chromium.launch({
    executablePath,
    args: args.filter((flag) => !flag.startsWith("--user-data-dir")),
  });
  const same = (name: string, came: unknown, expected: unknown): void => {
    if (JSON.stringify(came) !== JSON.stringify(expected))
      throw new Error(`${name} is ${JSON.stringify(came)}, not ${JSON.stringify(expected)}.`);
  };
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    await page.goto(service.url);
    await page.fill("#question", "How often are signing keys rotated?");
    await page.keyboard.press("Enter");
    await page.click(".marker");
    await page.waitForSelector(".evidence mark");
    const marked = (): Promise<string> =>
      page.$$eval(".text-view mark", (marks) => marks.map(({ textContent }) => textContent).join(""));
    same("The cited place", await marked(), paragraph);
    same("Elements that the document's markup made", await page.$$eval(".text-view b", (found) => found.length), 0);
    same("Whether the place is in sight", await page.isVisible(".text-view mark"), true);
    if (screenshot !== undefined) await page.screenshot({ path: screenshot });
    await page.setViewportSize({ width: 320, height: 700 });
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    same("Width beyond a narrow window", overflow, 0);
    const address = page.url();
    same("Whether the address holds the question", /rotated/u.test(address), false);
    await page.goto("about:blank");
    await page.goto(address);
    await page.waitForSelector(".evidence mark");
    same("The place by its address", await marked(), paragraph);
    await page.goto(`${service.url}search#q=wine`);
    await page.waitForSelector(".hit");
  } finally {
    await browser.close();
    await service.stop();
    await kb.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumSwitches, findChromium } from "../../scripts/browser/find-chromium.ts";
import { type ServedFolder, serveFolder } from "../../site/serve-folder.ts";
import { buildSite } from "../../src/knowledge-base/site/build-site.ts";

// `<ibid-search>` over an index of sixty pages, under the strictest policy that a page can send.

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
const words = "harbour crane rope ship tide pilot quay cargo light chart anchor deck storm sail hull mast".split(" ");
const folder = mkdtempSync(join(tmpdir(), "ibid-site-check-"));
let served: ServedFolder;
let browser: Browser;

function shown(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${title}</title>
<script type="module" src="/ibid/ibid-search.js"></script></head>
<body><header><ibid-search></ibid-search></header><main><h1>${title}</h1>${body}</main></body></html>`;
}

describe("the element of a site", () => {
  beforeAll(async () => {
    for (let i = 0; i < 60; i++) {
      const filler = Array.from(
        { length: 30 },
        (_, j) => `The ${words[(i + j) % 16]} of pier ${i} waits for the ${words[(i * j) % 16]}.`,
      );
      mkdirSync(join(folder, `pier-${i}`));
      writeFileSync(join(folder, `pier-${i}`, "index.html"), shown(`Pier ${i}`, `<p>${filler.join(" ")}</p>`));
    }
    writeFileSync(
      join(folder, "keys.html"),
      shown(
        "Keys",
        '<p>Who holds keys.</p><h2 id="turn">Rotation</h2><p>Signing keys are rotated every ninety days.</p><p><b>Nobody</b> keeps &lt;img src=x onerror=alert(1)&gt; one.</p>',
      ),
    );
    await buildSite(folder);
    served = await serveFolder(folder);
    const executablePath = findChromium();
    if (executablePath === undefined)
      throw new Error("There is no Chromium. Install it, or say in IBID_CHROMIUM where it is.");
    browser = await chromium.launch({ executablePath, args: [...chromiumSwitches] });
  });

  afterAll(async () => {
    await browser?.close();
    await served?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A page of the site, and what its console says against it. */
  async function visit(width = 1200): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 700 } });
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("favicon")) complaints.push(message.text());
    });
    await page.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }));
    await page.goto(`${served.address}pier-3/`);
    await page.waitForFunction('customElements.get("ibid-search") !== undefined');
    return { page, complaints };
  }

  test("a question is answered in the words of a page, within a second and 300 KB, from files alone", async () => {
    const { page, complaints } = await visit();
    served.takeSent();
    await page.keyboard.press("/");
    await page.keyboard.type("How often are signing keys rotated?", { delay: 0 });
    const started = performance.now();
    await page.keyboard.press("Enter");
    await page.waitForSelector("ibid-search blockquote");
    const ms = performance.now() - started;
    const bytes = served.takeSent();
    expect(await page.textContent("ibid-search blockquote p")).toContain("Signing keys are rotated every ninety days.");
    expect(ms).toBeLessThan(1_000);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(300_000);
    expect(complaints).toEqual([]);
  });

  test("the engine is loaded when a reader opens the search, not before", async () => {
    const asked: string[] = [];
    const page = await browser.newPage();
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${served.address}pier-4/`);
    await page.waitForFunction('customElements.get("ibid-search") !== undefined');
    expect(asked.filter((path) => path.startsWith("/ibid/"))).toEqual(["/ibid/ibid-search.js"]);
    await page.click("ibid-search button.open");
    await page.waitForRequest("**/manifest.ibid");
  });

  test("a link leads to the section and marks the words", async () => {
    const { page } = await visit();
    await page.click("ibid-search button.open");
    await page.fill("ibid-search input", "how often are signing keys rotated");
    await page.waitForSelector("ibid-search blockquote a");
    const address = await page.getAttribute("ibid-search blockquote a", "href");
    expect(address).toMatch(/\/keys\.html#turn:~:text=/u);
    await page.click("ibid-search blockquote a");
    await page.waitForURL("**/keys.html**");
    expect(await page.textContent("h1")).toBe("Keys");
  });

  test("the keyboard is enough: open, type, go to a result and back, close", async () => {
    const { page } = await visit();
    const focused = () => page.evaluate('document.querySelector("ibid-search").shadowRoot.activeElement?.tagName');
    await page.keyboard.press("/");
    expect(await focused()).toBe("INPUT");
    await page.keyboard.type("pier 12 crane");
    await page.waitForSelector("ibid-search li a");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("A");
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toBe("INPUT");
    await page.keyboard.press("Escape");
    // A search field empties itself at the first Escape.
    if (await page.isVisible("ibid-search dialog")) await page.keyboard.press("Escape");
    expect(await page.isVisible("ibid-search dialog")).toBe(false);
  });

  test("a key typed into a field of the page opens nothing", async () => {
    const { page } = await visit();
    await page.evaluate(`document.querySelector("main").append(document.createElement("input"))`);
    await page.focus("main input");
    await page.keyboard.type("a/b");
    expect(await page.inputValue("main input")).toBe("a/b");
    expect(await page.isVisible("ibid-search dialog")).toBe(false);
  });

  test("markup of a page is shown as text", async () => {
    const { page, complaints } = await visit();
    await page.keyboard.press("/");
    await page.keyboard.type("nobody keeps onerror");
    await page.waitForSelector("ibid-search li");
    expect(await page.$$eval("ibid-search img, ibid-search b", (found) => found.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("a question without an answer says so, to readers of the screen too", async () => {
    const { page } = await visit();
    await page.keyboard.press("/");
    await page.keyboard.type("zzzyx");
    await expect.poll(() => page.textContent("ibid-search [role=status]")).toBe("Nothing was found.");
  });

  test("files that do not load are an event and a sentence, and the next try loads them", async () => {
    const { page } = await visit();
    await page.route("**/manifest.ibid", (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.evaluate(`addEventListener("ibid-error", () => (document.title = "failed"))`);
    await page.evaluate(`document.querySelector("ibid-search").search("signing keys").catch(() => {})`);
    await expect.poll(() => page.title()).toBe("failed");
    await page.evaluate(`document.querySelector("ibid-search").show()`);
    await page.fill("ibid-search input", "signing keys rotated");
    await page.waitForSelector("ibid-search blockquote");
  });

  for (const width of [1200, 320]) {
    test(`axe finds nothing against WCAG 2.2 AA, and nothing is wider than the window, at ${width} pixels`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 700 }, bypassCSP: true });
      const page = await context.newPage();
      await page.goto(`${served.address}pier-3/`);
      await page.click("ibid-search button.open");
      await page.fill("ibid-search input", "how often are signing keys rotated");
      await page.waitForSelector("ibid-search li");
      await page.evaluate(axe);
      const violations = await page.evaluate(
        `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then((result) => result.violations.map(({ id, nodes }) => id + " " + nodes[0].html))`,
      );
      expect(violations).toEqual([]);
      const beyond = await page.evaluate(`(() => {
      const found = document.querySelector("ibid-search").shadowRoot.querySelector(".found");
      return Math.max(document.documentElement.scrollWidth - innerWidth, found.scrollWidth - found.clientWidth);
    })()`);
      expect(beyond).toBeLessThanOrEqual(0);
      await context.close();
    });
  }
});

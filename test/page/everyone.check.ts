import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { en } from "../../page/catalogue/en.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { papers } from "./documents.ts";
import { askOnPage, openHarbour, type Serving, serve, visit, visitHarbour } from "./open-page.ts";
import { beyondWidth, violationsOf } from "./violations.ts";

const lies = "The lamp glass is polished every ninety days [1]. The keeper is paid in whale oil and pearls [1].";

/** States of the page, and how each is reached. */
const states: Readonly<Record<string, (page: Page, url: string) => Promise<unknown>>> = {
  ask: (page) => page.waitForSelector("#question"),
  answer: async (page) => {
    await askOnPage(page, papers[0]!.question);
    await page.waitForSelector(".doubt");
  },
  "open place": async (page) => {
    await page.click(".turn .marker");
    await page.waitForSelector(".evidence mark");
  },
  refusal: async (page, url) => {
    await page.goto(url);
    await askOnPage(page, "What is the capital of Mongolia?");
  },
  search: async (page, url) => {
    await page.goto(new URL("search#q=harbour", url).href);
    await page.waitForSelector(".hit");
  },
  "nothing found": async (page, url) => {
    await page.goto("about:blank");
    await page.goto(new URL("search#q=%2Bxyzzyplugh&mode=lexical", url).href);
    await page.waitForSelector(".small-empty, .hit");
  },
  library: async (page, url) => {
    await page.goto(new URL("library", url).href);
    await page.waitForSelector(".document");
  },
  text: async (page, url) => {
    await page.goto(new URL("d?uri=harbour/handbook.md&at=60:120", url).href);
    await page.waitForSelector(".text-view");
  },
  pdf: async (page, url) => {
    await page.goto(new URL("d?uri=harbour/survey.pdf&at=30:70", url).href);
    await page.waitForSelector('.pdf-page[data-drawn="true"]');
  },
  threads: async (page, url) => {
    await page.goto(new URL("history", url).href);
    await page.waitForSelector(".upload");
  },
  add: async (page, url) => {
    await page.goto(new URL("add", url).href);
    await page.setInputFiles("input[type=file] >> nth=0", {
      name: "random.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.from([0, 1, 2, 3, 255, 254]),
    });
    await page.waitForSelector('.upload[data-state="failed"]');
  },
  operator: async (page, url) => {
    await page.goto(new URL("ops", url).href);
    await page.waitForSelector(".care table");
  },
  "no such document": async (page, url) => {
    await page.goto(new URL("d?uri=nothing.md", url).href);
    await page.waitForSelector(".notice-bad");
  },
  keys: async (page, url) => {
    await page.goto(url);
    await page.waitForSelector("#question");
    await page.click("body", { position: { x: 5, y: 5 } });
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
  },
};

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [390, 1280]) {
    test(`[page 25] no violation of WCAG 2.2 AA that axe knows, in ${Object.keys(states).length} states, ${colorScheme}, ${width} wide`, async () => {
      const serving = await serve(await openHarbour(createScriptedChatModel(() => lies)));
      const { page } = await visit(serving, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      const found: Record<string, string[]> = {};
      for (const [name, reach] of Object.entries(states)) {
        await reach(page, serving.url);
        const violations = await violationsOf(page);
        if (violations.length > 0) found[name] = violations;
      }
      expect(found).toEqual({});
    });
  }
}

test("[page 25] no state scrolls sideways at a width of 320", async () => {
  const serving = await serve(await openHarbour(createScriptedChatModel(() => lies)));
  const { page } = await visit(serving, { viewport: { width: 320, height: 640 } });
  const beyond: Record<string, number> = {};
  for (const [name, reach] of Object.entries(states)) {
    await reach(page, serving.url);
    const over = await beyondWidth(page);
    if (over > 0) beyond[name] = over;
  }
  expect(beyond).toEqual({});
});

/** Presses Tab until an element that fits has the focus. */
async function tabTo(page: Page, selector: string, most = 60): Promise<void> {
  for (let index = 0; index < most; index++) {
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${selector}.`);
}

test("[page 25] by keyboard alone: ask, follow a marker, go to the next source, close, and the focus is on the marker again", async () => {
  const { page } = await visitHarbour();
  await page.waitForSelector("#question");
  await page.keyboard.press("Tab");
  await tabTo(page, "#question");
  await page.keyboard.type(papers[0]!.question);
  await page.keyboard.press("Enter");
  await page.waitForSelector('.turn[data-state="done"]');
  await page.keyboard.press("Shift+Tab");
  for (let index = 0; index < 40; index++) {
    if (await page.evaluate('document.activeElement?.matches(".marker") ?? false')) break;
    await page.keyboard.press("Shift+Tab");
  }
  expect(await page.evaluate('document.activeElement?.matches(".marker")')).toBe(true);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".evidence mark");
  expect(await page.evaluate('document.querySelector(".evidence").contains(document.activeElement)')).toBe(true);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".evidence", { state: "detached" });
  expect(await page.evaluate('document.activeElement?.matches(".marker")')).toBe(true);
});

test("[page 25] by keyboard alone: the library, a document in it, and the list of keys", async () => {
  const { page } = await visitHarbour();
  await page.waitForSelector("#question");
  await page.evaluate("document.activeElement?.blur()");
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.waitForSelector(".document");
  await tabTo(page, ".document");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".place-body");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
});

test("[page 25] a screen reader hears at most three sentences an answer", async () => {
  const { page } = await visitHarbour({ model: createScriptedChatModel(() => lies.repeat(8)) });
  await page.waitForSelector("#question");
  await page.evaluate(`globalThis.heard = []; new MutationObserver(() => heard.push(document.querySelector("[role=status]").textContent))
    .observe(document.querySelector("[role=status]"), { childList: true, characterData: true, subtree: true });`);
  await askOnPage(page, papers[0]!.question);
  const heard: string[] = await page.evaluate("heard.filter((each) => each !== '')");
  expect(heard.length).toBeGreaterThan(0);
  expect(heard.length).toBeLessThanOrEqual(3);
  expect(await page.$$eval("[aria-live], [role=status], [role=alert], [role=log]", (found) => found.length)).toBe(1);
});

test("[page 26] on a phone, closing a source returns to the same line, and the question is fully readable", async () => {
  const { page } = await visitHarbour({
    browser: { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true },
  });
  const question =
    "How often is the lamp glass polished, by whom, and what has to be done with the motor and the lens beforehand?";
  await page.waitForSelector("#question");
  await page.fill("#question", question);
  const isWhole: boolean = await page.$eval("#question", (field) => field.scrollHeight <= field.clientHeight + 2);
  expect(isWhole).toBe(true);
  await page.fill("#question", "");
  await askOnPage(page, question);
  for (const width of await page.$$eval(".asked", (found) => found.map((each) => each.scrollWidth - each.clientWidth)))
    expect(width).toBeLessThanOrEqual(0);
  // The field for questions lies over the end of the window: a tap there would scroll by itself.
  await page.locator(".source >> nth=-1").evaluate((source) => source.scrollIntoView({ block: "center" }));
  const before: number = await page.evaluate("scrollY");
  await page.locator(".source >> nth=-1").tap();
  await page.waitForSelector(".evidence mark");
  expect(await page.isVisible(".evidence mark >> nth=0")).toBe(true);
  await page.locator('.evidence button[aria-label="Close"]').tap();
  await page.waitForSelector(".evidence", { state: "detached" });
  expect(Math.abs((await page.evaluate<number>("scrollY")) - before)).toBeLessThanOrEqual(2);
});

test("[page 26] a mark stays in sight when the window changes its size", async () => {
  const { page, url, kb } = await visitHarbour();
  for (const [uri, words] of [
    ["harbour/handbook.md", "six seconds in each minute"],
    ["harbour/survey.pdf", "every seven years"],
  ] as const) {
    const start = (await kb.document(uri))!.text.indexOf(words);
    const address = `d?uri=${uri}&at=${start}:${start + words.length}`;
    await page.setViewportSize({ width: 1200, height: 700 });
    await page.goto(new URL(address, url).href);
    await page.waitForSelector("mark, .pdf-mark");
    await page.setViewportSize({ width: 400, height: 500 });
    await expect
      .poll(() =>
        page.$eval("mark, .pdf-mark", (mark) => {
          const { top, bottom } = mark.getBoundingClientRect();
          return bottom > 0 && top < 500;
        }),
      )
      .toBe(true);
  }
});

/** Words that the page itself writes. */
const messages = new Set<string>(
  Object.values(en).flatMap((message) => (typeof message === "string" ? [message] : Object.values(message))),
);

async function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement.closest("noscript, script, [lang]:not(html)") === null) found.push(node.textContent.trim());
    for (const each of document.querySelectorAll("[aria-label], [title], [placeholder]"))
      for (const name of ["aria-label", "title", "placeholder"]) found.push(each.getAttribute(name) ?? "");
    return found.filter((text) => text !== "");
  })()`);
}

test("[page 27] in Arabic the page runs from right to left, and no word of it is English", async () => {
  const empty: Serving = await serve(await openKnowledgeBase());
  const { page } = await visit(empty, { locale: "ar" });
  await page.waitForSelector("html[dir=rtl]");
  // Names of things that Arabic writes in Latin letters, a command, and what the reader typed.
  const allowed = /^(?:ibid|ibid ingest \.\/documents|Esc|g l|deployment|g|l)$/u;
  for (const screen of ["./", "search", "library", "library?trash", "history", "add", "ops", "nothing"]) {
    await page.goto(new URL(screen, empty.url).href);
    if (screen === "nothing") continue;
    await page.waitForSelector("main :is(h1, input, .drop)");
    const english = (await textsOf(page)).filter(
      (text) =>
        (/[A-Za-z]{3,}/u.test(text) && !/\p{Script=Arabic}/u.test(text) && !allowed.test(text)) || messages.has(text),
    );
    expect([screen, english]).toEqual([screen, []]);
  }
  const full = await serve(await openHarbour(createScriptedChatModel(() => lies)));
  const other = await visit(full, { locale: "ar" });
  for (const [name, reach] of Object.entries(states)) {
    await reach(other.page, full.url);
    expect([name, (await textsOf(other.page)).filter((text) => messages.has(text))]).toEqual([name, []]);
  }
});

test("[page 26] on a phone Back closes a source and returns to the same line, and Forward opens it again", async () => {
  const { page } = await visitHarbour({
    browser: { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true },
  });
  await askOnPage(page, papers[0]!.question);
  await page.waitForURL(/\/t\?id=/u);
  const address = page.url();
  await page.locator(".source >> nth=-1").evaluate((source) => source.scrollIntoView({ block: "center" }));
  const before: number = await page.evaluate("scrollY");
  const answer = await page.textContent(".answer");
  await page.locator(".source >> nth=-1").tap();
  await page.waitForSelector(".evidence mark");
  await page.goBack();
  await page.waitForSelector(".evidence", { state: "detached" });
  expect(page.url()).toBe(address);
  expect(await page.textContent(".answer")).toBe(answer);
  expect(Math.abs((await page.evaluate<number>("scrollY")) - before)).toBeLessThanOrEqual(2);
  expect(await page.evaluate('document.activeElement?.matches(".source")')).toBe(true);
  await page.goForward();
  await page.waitForSelector(".evidence mark");
  await page.locator('.evidence button[aria-label="Close"]').tap();
  await page.waitForSelector(".evidence", { state: "detached" });
  expect(page.url()).toBe(address);
  await page.goto(new URL("search#q=lamp", address).href);
  await page.locator(".hit >> nth=0").tap();
  await page.waitForSelector(".evidence mark");
  await page.goBack();
  await page.waitForSelector(".evidence", { state: "detached" });
  expect(await page.inputValue("#question")).toBe("lamp");
});

test("[page 25] focus and pointer on a marker show its passage, which can be pointed at and dismissed", async () => {
  const { page } = await visitHarbour();
  await askOnPage(page, papers[0]!.question);
  await page.keyboard.press("Shift+Tab");
  for (let index = 0; index < 40; index++) {
    if (await page.evaluate('document.activeElement?.matches(".marker") ?? false')) break;
    await page.keyboard.press("Shift+Tab");
  }
  await page.waitForSelector("[role=tooltip]");
  expect(await page.textContent("[role=tooltip]")).toContain("The lamp glass is polished with chamois");
  expect(await page.textContent("[role=tooltip]")).toContain("Handbook of the lighthouse");
  expect(await page.getAttribute(".marker:focus", "aria-describedby")).toBe(
    await page.getAttribute("[role=tooltip]", "id"),
  );
  await page.keyboard.press("Escape");
  await page.waitForSelector("[role=tooltip]", { state: "detached" });
  expect(await page.evaluate('document.activeElement?.matches(".marker")')).toBe(true);
  await page.hover(".marker");
  await page.waitForSelector("[role=tooltip]");
  await page.hover("[role=tooltip]");
  await page.waitForTimeout(500);
  expect(await page.isVisible("[role=tooltip]")).toBe(true);
  await page.hover(".asked");
  await page.waitForSelector("[role=tooltip]", { state: "detached" });
});

test("[page 25] by keyboard alone: add a file, throw it away, restore it, erase it, and delete the thread of a question", async () => {
  const kb = await openHarbour();
  const { page, url } = await visit(await serve(kb));
  await page.goto(new URL("add", url).href);
  await page.waitForSelector(".drop button");
  const choice = page.waitForEvent("filechooser");
  await tabTo(page, ".drop button");
  await page.keyboard.press("Enter");
  await (
    await choice
  ).setFiles({ name: "gulls.txt", mimeType: "text/plain", buffer: Buffer.from("Gulls nest on the roof.") });
  await page.waitForSelector('.upload[data-state="ready"]');
  await tabTo(page, ".upload a");
  await page.keyboard.press("Enter");
  await page.waitForSelector('button[aria-label="Delete"]');
  await tabTo(page, 'button[aria-label="Delete"]');
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=is in the trash");
  const trash = async (): Promise<void> => {
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.waitForSelector(".document");
    await tabTo(page, 'a[href="library?trash"]');
    await page.keyboard.press("Enter");
    await page.waitForSelector(".upload");
  };
  await trash();
  await tabTo(page, ".upload button");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=The trash is empty.");
  expect(await kb.document("gulls.txt")).toBeDefined();
  await kb.delete("gulls.txt");
  await page.reload();
  await page.waitForSelector(".upload");
  await tabTo(page, ".upload .bad");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await tabTo(page, "dialog input");
  await page.keyboard.type("gulls.txt");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=The trash is empty.");
  await page.keyboard.press("/");
  await page.goto(url);
  await askOnPage(page, papers[0]!.question);
  await page.waitForURL(/\/t\?id=/u);
  await page.evaluate("document.activeElement?.blur()");
  await tabTo(page, '.rail-link[href$="history"]', 200);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".upload");
  await tabTo(page, '.upload button[aria-label^="Rename"]');
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open] input");
  await tabTo(page, "dialog input");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Lamps");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".upload >> text=Lamps");
  await tabTo(page, '.upload button[aria-label^="Delete"]');
  await page.keyboard.press("Enter");
  await page.waitForSelector(".upload", { state: "detached" });
});

test("[page 27] a failure is told in the reader's language, with the service's own words behind it", async () => {
  const { page, url } = await visitHarbour({
    browser: { locale: "de-DE", viewport: { width: 320, height: 800 }, bypassCSP: true },
  });
  await page.route("**/ask", (route) =>
    route.fulfill({
      status: 503,
      json: { error: { code: "busy", message: "The service is busy.", hint: "Try it again.", requestId: "one" } },
    }),
  );
  await page.fill("#question", papers[0]!.question);
  await page.press("#question", "Enter");
  await page.waitForSelector(".notice-bad");
  expect(await page.textContent(".notice-bad .told")).toBe(
    "Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal. ",
  );
  expect(await page.textContent('.notice-bad [lang="en"]')).toBe("The service is busy. Try it again.");
  expect(await page.textContent('[role="status"]')).toMatch(/^Der Dienst ist ausgelastet\./u);
  await page.goto(new URL("add", url).href);
  await page.waitForSelector('input[type="file"]', { state: "attached" });
  const buffer = Buffer.from([0, 1, 2, 3, 250, 251, 0, 9]);
  await page.setInputFiles('input[type="file"]', { name: "signs.bin", mimeType: "application/octet-stream", buffer });
  await page.waitForSelector(".upload .told");
  expect(await page.textContent(".upload .told")).toMatch(/^(?:Diese Datei|Dateien) /u);
  expect(await beyondWidth(page)).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  // In English the service's own words stand alone.
  await page.goto(new URL("add?lang=en", url).href);
  await page.waitForSelector(".upload .reason");
  expect(await page.$(".upload .told")).toBeNull();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { chromiumSwitches, findChromium } from "../../scripts/browser/find-chromium.ts";
import type { ChatModel } from "../../src/contracts/chat.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { type RunningService, type ServiceOptions, startService } from "../../src/server/index.node.ts";
import { openFileBlobStore } from "../../src/stores/index.node.ts";
import { type Paper, papers } from "./documents.ts";

/** A name of this machine that is not taken for it: a page there has no HTTPS. */
const harbour = "--host-resolver-rules=MAP harbour.test 127.0.0.1";
let browser: Promise<Browser> | undefined;
let visits = 0;

/** One Chromium for all pages that are open. **Errors** without one, a sentence: no test of the page is skipped in silence. */
function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error("There is no Chromium. Install it, or say in IBID_CHROMIUM where it is.");
  browser ??= chromium.launch({ executablePath, args: [...chromiumSwitches, harbour] });
  return browser;
}

/** The last page that closes ends Chromium. */
async function leaveBrowser(): Promise<void> {
  visits -= 1;
  if (visits > 0) return;
  const last = browser;
  browser = undefined;
  await (await last)?.close();
}

/** The harbour's papers as a base in memory. Their names are below the folder `harbour`. */
export async function openHarbour(model?: ChatModel, given: readonly Paper[] = papers): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase({ models: { ...(model && { chat: model }) } });
  for (const { name, bytes } of given)
    await kb.ingest({ uri: `harbour/${name}`, bytes }, { metadata: { fileName: name } });
  return kb;
}

export interface Serving {
  readonly kb: KnowledgeBase;
  readonly service: RunningService;
  readonly url: string;
  readonly folder: string;
}

/** A service over a base, with a folder for files and threads. Uploads of the harbour's papers are kept as they came. */
export async function serve(
  kb: KnowledgeBase,
  options: ServiceOptions = {},
  originals: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
    papers.map(({ name, bytes }) => [`harbour/${name}`, bytes]),
  ),
): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-page-"));
  const service = await startService(kb, {
    port: 0,
    files: openFileBlobStore(join(folder, "files")),
    readSource: async (uri) => originals[uri],
    local: { access: "operator", write: true },
    ...options,
  });
  const stop = async (): Promise<void> => {
    await service.stop();
    await kb.close();
    rmSync(folder, { recursive: true, force: true });
  };
  onTestFinished(stop);
  return { kb, service, url: service.url, folder };
}

export interface Visit extends Serving {
  readonly page: Page;
  /** Requests to other origins, reports of the content policy, and errors of scripts, so far. */
  readonly problems: readonly string[];
}

/** A page of its own, whose problems fail the test. `others`: origins that it may ask beside the service. */
export async function visit(
  serving: Serving,
  options: BrowserContextOptions = {},
  others: readonly string[] = [],
): Promise<Visit> {
  visits += 1;
  const context = await (
    await openBrowser()
  ).newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...options });
  const page = await context.newPage();
  // A machine with other work is slower; tests that look at times measure them.
  page.setDefaultTimeout(60_000);
  const problems: string[] = [];
  const { origin } = new URL(serving.url);
  page.on("request", (request) => {
    const address = request.url();
    const isKnown = [origin, ...others].some((one) => address.startsWith(one));
    if (!isKnown && !/^(?:data|blob|about):/u.test(address)) problems.push(`request: ${address}`);
  });
  page.on("console", (message) => {
    if (/Content Security Policy|TrustedScript|Trusted Type/iu.test(message.text()))
      problems.push(`policy: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  onTestFinished(async () => {
    await context.close();
    await leaveBrowser();
    if (problems.length > 0) throw new Error(`The page had problems: ${problems.join("; ")}`);
  });
  await page.goto(serving.url);
  return { ...serving, page, problems };
}

/** A page over the harbour's papers. */
export async function visitHarbour(
  options: {
    readonly model?: ChatModel;
    readonly service?: ServiceOptions;
    readonly browser?: BrowserContextOptions;
  } = {},
): Promise<Visit> {
  return visit(await serve(await openHarbour(options.model), options.service), options.browser);
}

/** The answer that the service gave: what the page shows is compared with it. */
export interface ToldAnswer {
  readonly text: string;
  readonly citations: readonly {
    readonly marker: string;
    readonly uri: string;
    readonly start: number;
    readonly end: number;
    readonly quote: string;
  }[];
}

/** Asks on the page, and waits for the whole answer. Returns what the service answers to the same question. */
export async function askOnPage(page: Page, question: string, key?: string): Promise<ToldAnswer> {
  const turns = await page.$$eval(".turn", (found) => found.length);
  await page.fill("#question", question);
  await page.press("#question", "Enter");
  await page.waitForSelector(`.turn >> nth=${turns}`);
  await page.waitForSelector('.turn:last-of-type[data-state="done"]');
  const response = await fetch(new URL("ask", page.url()), {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ question, merge: true, grounding: "preferred" }),
  });
  if (!response.ok) throw new Error(`The service answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as ToldAnswer;
}

/** The marked text of the open place, in the signs of the source. */
export function markedText(page: Page): Promise<string> {
  return page.$$eval(".text-view mark", (marks) =>
    marks.map((mark) => mark.getAttribute("data-text") ?? mark.textContent).join(""),
  );
}

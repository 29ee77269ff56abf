import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { writeFiles } from "../cli/run-ibid.ts";
import { papers } from "./documents.ts";
import { askOnPage, markedText, openHarbour, serve, visit, visitHarbour } from "./open-page.ts";
import { beyondWidth, violationsOf } from "./violations.ts";

test("[page 20] a folder chosen as filter has all sources below it; without the chip they come from everywhere again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-folders-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await writeFiles(folder, {
    "north/quay.md": "# Quay\n\nThe crane of the northern quay lifts twelve tonnes.",
    "south/quay.md": "# Quay\n\nThe crane of the southern quay lifts nine tonnes.",
    "south/deep/pier.md": "# Pier\n\nThe crane of the southern pier lifts four tonnes.",
  });
  const kb = await openKnowledgeBase();
  await kb.ingest(folder);
  const { page } = await visit(await serve(kb));
  const sources = (): Promise<string[]> =>
    page.$$eval(".turn:last-of-type .source", (found) => found.map(({ textContent }) => textContent));
  await page.click("summary");
  await page.selectOption(
    ".filter-folder select",
    { label: `${folder.split("/").at(-1)}/south (2)` },
    { timeout: 2000 },
  );
  await page.waitForSelector(".chip");
  await askOnPage(page, "How much does the crane lift?");
  const narrow = await sources();
  expect(narrow.length).toBeGreaterThan(0);
  expect(narrow.filter((source) => !source.includes("south/"))).toEqual([]);
  await page.click(".chip button");
  await page.waitForSelector(".chip", { state: "detached" });
  await askOnPage(page, "How much does the crane of the quay lift?");
  expect((await sources()).some((source) => source.includes("north/"))).toBe(true);
});

test("[page 20] questions and searches are narrowed by type and day; a chip says so, and without it they widen again", async () => {
  const { page, url } = await visitHarbour();
  const namesOf = (selector: string): Promise<string[]> =>
    page.$$eval(selector, (found) => found.map(({ textContent }) => textContent));
  await page.goto(new URL("search#q=harbour", url).href);
  await page.waitForSelector(".hit-group");
  await page.click("summary");
  await page.selectOption(".filter-kind select", "pdf");
  const onlyPdfs = async (): Promise<boolean> => {
    const names = await namesOf(".hit-group > p");
    return names.length > 0 && names.every((name) => name.endsWith(".pdf"));
  };
  await expect.poll(onlyPdfs).toBe(true);
  await page.reload();
  await page.waitForSelector(".chip");
  await expect.poll(onlyPdfs).toBe(true);
  await page.click(".chip button");
  await expect.poll(onlyPdfs).toBe(false);
  await page.click("summary");
  await page.fill(".filter-since input", "2999-01-01");
  await page.waitForSelector("text=Nothing found");
  await page.goto(url);
  await page.click("summary");
  await page.selectOption(".filter-kind select", "txt");
  const question = "How much does the crane of the quay lift, and how often is the lamp glass polished?";
  await page.fill("#question", question);
  await page.press("#question", "Enter");
  await page.waitForSelector(".source");
  for (const source of await namesOf(".source")) expect(source).toContain("rules.txt");
});

test("[page 21] of 11,429 documents the first page of the list comes within 300 ms, and the last takes at most twice as long", async () => {
  const kb = await openKnowledgeBase();
  const inputs = Array.from({ length: 11_429 }, (_, index) => ({
    uri: `papers/box ${index % 97}/paper ${index}.txt`,
    text: `Paper ${index} lies in box ${index % 97}.`,
    mediaType: "text/plain",
  }));
  await kb.ingest(inputs);
  const { page, url } = await visit(await serve(kb, { limits: { requestsPerMinute: 100_000 } }));
  const get = async (after: string | undefined): Promise<{ ms: number; next?: string; count: number }> => {
    const started = performance.now();
    const query = new URLSearchParams({ limit: "200", ...(after !== undefined && { after }) });
    const body = (await (await fetch(`${url}documents?${query.toString()}`)).json()) as {
      documents: unknown[];
      next?: string;
    };
    return {
      ms: performance.now() - started,
      count: body.documents.length,
      ...(body.next !== undefined && { next: body.next }),
    };
  };
  await get(undefined);
  const first: number[] = [];
  for (let index = 0; index < 5; index++) first.push((await get(undefined)).ms);
  let count = 0;
  let after: string | undefined;
  let last: string | undefined;
  do {
    const found = await get(after);
    count += found.count;
    last = after;
    after = found.next;
  } while (after !== undefined);
  expect(count).toBe(11_429);
  const final: number[] = [];
  for (let index = 0; index < 5; index++) final.push((await get(last)).ms);
  // The best of five: other work on the machine makes any of them longer, and none shorter.
  const [firstMs, finalMs] = [Math.min(...first), Math.min(...final)];
  expect(firstMs).toBeLessThan(300);
  expect(finalMs).toBeLessThan(Math.max(20, 2 * firstMs));
  const visits: number[] = [];
  for (let visit = 0; visit < 3; visit++) {
    const started = performance.now();
    await page.goto(new URL("library", url).href);
    await page.waitForSelector(".document");
    visits.push(performance.now() - started);
  }
  expect(Math.min(...visits)).toBeLessThan(1500);
  expect(await page.textContent(".filters")).toContain("11,429 documents");
});

test("[page 22] delete, trash, restore: the same answer; purge: 404, and the bytes are in no file any more", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-purge-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const kb = await openKnowledgeBase(join(folder, "kb"));
  const serving = await serve(kb, {}, {});
  const { page, url, folder: files } = await visit(serving);
  const words = "The smugglers hid the quicksilver under the third flagstone.";
  const paper = { name: "smugglers.txt", mimeType: "text/plain", buffer: Buffer.from(`Of smugglers\n\n${words}\n`) };
  await page.waitForSelector("text=Nothing here yet");
  await page.setInputFiles("input[type=file] >> nth=0", paper);
  await page.waitForSelector('.upload[data-state="ready"], .document, #question');
  await expect.poll(async () => (await fetch(`${url}document?uri=smugglers.txt`)).status).toBe(200);
  const question = "Where did the smugglers hide the quicksilver?";
  await page.goto(url);
  await askOnPage(page, question);
  const before = await page.textContent(".answer");
  expect(before).toContain("third flagstone");
  await page.goto(new URL("library", url).href);
  await page.click(".document");
  await page.click('button[aria-label="Delete"]');
  await page.waitForSelector("text=is in the trash");
  await page.goto(new URL("library?trash", url).href);
  await page.click("text=Restore");
  await page.waitForSelector("text=The trash is empty.");
  await page.goto(url);
  await askOnPage(page, question);
  expect(await page.textContent(".answer")).toBe(before);
  expect((await fetch(`${url}original?uri=smugglers.txt`)).status).toBe(200);
  await page.goto(new URL("library", url).href);
  await page.click(".document");
  await page.click('button[aria-label="Delete"]');
  await page.waitForSelector("text=is in the trash");
  await page.goto(new URL("library?trash", url).href);
  await page.click("text=Erase for good");
  await page.fill("dialog input", "smugglers.txt");
  await page.click("dialog button.danger");
  await page.waitForSelector("text=The trash is empty.");
  for (const route of ["document", "original", "view"])
    expect([route, (await fetch(`${url}${route}?uri=smugglers.txt`)).status]).toEqual([route, 404]);
  const found = [folder, files].flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).includes("third flagstone")),
  );
  expect(found).toEqual([]);
});

test("[page 22] a document that changed since it was cited says so, in its thread and at its place", async () => {
  const kb = await openHarbour(undefined, papers.slice(0, 1));
  const { page } = await visit(await serve(kb));
  await askOnPage(page, papers[0]!.question);
  await page.waitForURL(/\/t\?id=/u);
  await kb.ingest({
    uri: "harbour/handbook.md",
    text: "# Handbook\n\nThe lamp is electric now, and needs no polish at all, ever again, say the keepers.",
    mediaType: "text/markdown",
  });
  await page.reload();
  await page.waitForSelector(".source");
  const gone = "This document has changed, and the cited words no longer stand there.";
  expect(await page.textContent(".source")).toContain(gone);
  expect(await page.textContent(".answer")).toContain(gone);
  expect(await page.textContent(".answer")).not.toContain("electric");
  await page.click(".source");
  await page.waitForSelector(".evidence .notice-warn");
  expect(await page.textContent(".evidence .notice-warn")).toContain(gone);
  await page.waitForSelector(".evidence .place-body >> text=The lamp is electric now");
  expect(await page.$$(".evidence mark")).toEqual([]);
});

test("[page 22] a document that changed after the cited words still shows them, and says that it has changed", async () => {
  const [handbook] = papers;
  const kb = await openHarbour(undefined, [handbook!]);
  const { page } = await visit(await serve(kb));
  await askOnPage(page, handbook!.question);
  await page.waitForURL(/\/t\?id=/u);
  const quote = await page.textContent(".answer");
  await kb.ingest({
    uri: "harbour/handbook.md",
    text: `${new TextDecoder().decode(handbook!.bytes)}\n\nA last word was added.\n`,
    mediaType: "text/markdown",
  });
  await page.reload();
  await page.waitForSelector(".source");
  expect(await page.textContent(".answer")).toBe(quote);
  expect(await page.textContent(".source")).toContain("This document has changed since it was cited.");
  await page.click(".source");
  await page.waitForSelector(".evidence mark");
});

test("[page 22] of a document that changed, the cited version and the present one can both be opened", async () => {
  const [handbook] = papers;
  const kb = await openKnowledgeBase({ history: true });
  await kb.ingest({ uri: "harbour/handbook.md", bytes: handbook!.bytes });
  const { page, url } = await visit(await serve(kb, { local: { access: {} } }), {
    viewport: { width: 320, height: 800 },
    bypassCSP: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await askOnPage(page, handbook!.question);
  await page.waitForURL(/\/t\?id=/u);
  await page.click(".source");
  await page.waitForSelector(".evidence mark");
  const quote = await markedText(page);
  await page.click('[aria-label="Copy the link to this place"]');
  const shared = await page.evaluate("navigator.clipboard.readText()");
  const text = "# Handbook\n\nThe lamp is electric now, and needs no polish at all, ever again, say the keepers.";
  await kb.ingest({ uri: "harbour/handbook.md", text, mediaType: "text/markdown" });
  const show = async (words: string): Promise<void> => {
    await page.click(`.place-head ~ .notice >> text=${words}`);
    await page.waitForSelector(`.notice >> text=${words}`, { state: "detached" });
  };
  for (const address of [page.url(), String(shared)]) {
    await page.goto("about:blank");
    await page.goto(address);
    await page.waitForSelector("text=It was cited from version 1; now it is at version 2.");
    await page.waitForSelector(".place-body >> text=The lamp is electric now");
    expect(await page.$$(".place-body mark")).toEqual([]);
    await show("Show the cited version");
    await page.waitForSelector(".place-body mark");
    expect(await markedText(page)).toBe(quote);
    expect([await beyondWidth(page), await violationsOf(page)]).toEqual([0, []]);
    if (address !== shared) await show("Show the present version");
  }
  await page.goto(new URL("d?uri=harbour/handbook.md", url).href);
  await page.click("text=2 versions");
  await page.click(".versions li:nth-child(2) a");
  await page.waitForSelector("text=This is a former version");
  await page.waitForSelector(".place-body >> text=chamois");
  await page.click("text=Show the present version");
  await page.waitForSelector(".place-body >> text=The lamp is electric now");
});

test("[page 2] an empty base offers ibid's own manual, which is read and asked at once, and leaves by one choice", async () => {
  const manual = async () => [
    { name: "keys", text: "# Keys\n\nA key is rotated with `ibid keys rotate ada`." },
    { name: "guides/deploy", text: "# Deploy\n\nThe image runs as user 65532 over a read-only root." },
  ];
  const kb = await openKnowledgeBase();
  const { page, url } = await visit(await serve(kb, { manual }), {
    viewport: { width: 320, height: 800 },
    bypassCSP: true,
  });
  await page.waitForSelector("text=Nothing here yet");
  expect([await beyondWidth(page), await violationsOf(page)]).toEqual([0, []]);
  await page.focus("text=Try with ibid's manual");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=2 documents");
  await askOnPage(page, "As which user does the image run?");
  expect(await page.textContent(".answer")).toContain("65532");
  await page.goto(new URL("library", url).href);
  await page.check("text=Choose all 2");
  await page.click("text=Delete 2 documents");
  await page.waitForSelector("text=Nothing here yet");
});

test("[page 2] without a manual or without the right to write, an empty base offers none", async () => {
  const manual = async () => [{ name: "keys", text: "# Keys\n\nA key." }];
  for (const options of [{}, { manual, local: { access: "operator" as const } }]) {
    const { page, url } = await visit(await serve(await openKnowledgeBase(), options));
    await page.waitForSelector("text=Nothing here yet");
    expect(await page.isVisible("text=Try with ibid's manual")).toBe(false);
    expect((await fetch(new URL("manual", url), { method: "POST" })).status).not.toBe(200);
  }
});

test("[page 20] chosen documents alone are asked and searched, and a thread keeps its limits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-only-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const crane = (where: string, tonnes: string): string =>
    `# ${where}\n\nThe crane of the quay lifts ${tonnes} tonnes.`;
  await writeFiles(folder, {
    "quay.md": crane("North", "twelve"),
    "quay.md.old.md": crane("Old", "three"),
    "pier.md": crane("Pier", "nine"),
    "dock.md": crane("Dock", "seven"),
  });
  const kb = await openKnowledgeBase();
  await kb.ingest(folder);
  const { page, url } = await visit(await serve(kb, { local: { access: {} } }), {
    viewport: { width: 320, height: 800 },
    bypassCSP: true,
  });
  const sources = (): Promise<string[]> =>
    page.$$eval(".turn:last-of-type .source .small", (all) =>
      all.map(({ textContent }) => textContent.split(/\/| · /u)[1]!),
    );
  await page.goto(new URL("library", url).href);
  for (const name of ["quay.md", "pier.md"]) await page.check(`input[aria-label$="/${name}"]`);
  await page.click("text=Ask only these 2 documents");
  await page.waitForSelector(".chip >> nth=1");
  const question = "How many tonnes does the crane of the quay lift?";
  await askOnPage(page, question);
  expect(new Set(await sources())).toEqual(new Set(["quay.md", "pier.md"]));
  expect(await page.textContent(".limits")).toContain("pier.md, quay.md");
  expect([await beyondWidth(page), await violationsOf(page)]).toEqual([0, []]);
  await page.waitForURL(/\/t\?id=/u);
  const thread = page.url();
  await page.goto(new URL("library", url).href);
  await page.goto(thread);
  await page.waitForSelector(".limits");
  await page.click('.chip button[aria-label$="pier.md"]');
  await askOnPage(page, question);
  expect(await sources()).toEqual(["quay.md"]);
  await page.reload();
  await page.waitForSelector(".turn >> nth=1");
  await expect.poll(() => page.$$eval(".chip", (chips) => chips.length)).toBe(1);
  expect(await page.textContent(".chip")).toContain("quay.md");
  await page.click(".brand");
  await expect.poll(() => page.$$eval(".chip", (chips) => chips.length)).toBe(0);
  await page.goto(new URL("library", url).href);
  await page.check('input[aria-label$="/dock.md"]');
  await page.click("text=Search only this document");
  await page.fill("#question", "crane");
  await page.press("#question", "Enter");
  await page.waitForSelector(".hit");
  expect(await page.$$eval(".hit-title", (all) => all.map(({ textContent }) => textContent))).toEqual(["Dock"]);
  await page.click(".chip button");
  await expect.poll(() => page.$$eval(".hit-title", (all) => all.length)).toBe(4);
  await page.goto(new URL("library", url).href);
  await page.click('.document:has-text("dock.md")');
  await page.click("text=Ask this document");
  expect(await page.textContent(".chip")).toContain("dock.md");
});

test("[page 21] a filter of names, a type, a folder and an order look at documents that no page of the list has shown yet", async () => {
  const kb = await openKnowledgeBase();
  const inputs = Array.from({ length: 450 }, (_, index) => ({
    uri: `papers/${String(index).padStart(3, "0")}.txt`,
    text: `Paper ${index}.`.padEnd(20 + index, "."),
    mediaType: "text/plain",
  }));
  await kb.ingest(inputs);
  await kb.ingest({ uri: "papers/zebra.md", text: "# Zebra\n\nStripes.", mediaType: "text/markdown" });
  const { page, url } = await visit(await serve(kb));
  await page.goto(new URL("library", url).href);
  await page.waitForSelector(".document >> nth=199");
  const titles = () => page.$$eval(".document-title", (all) => all.map(({ textContent }) => textContent));
  expect(await titles()).toHaveLength(200);
  await page.fill(".filters input[type=search]", "zebra");
  await expect.poll(titles).toEqual(["Zebra"]);
  await page.fill(".filters input[type=search]", "");
  await page.selectOption('label:has-text("Sort by") select', "size");
  await expect.poll(async () => (await titles())[0]).toBe("449.txt");
  expect(await page.$$eval(".filter-kind option", (all) => all.map(({ textContent }) => textContent))).toEqual([
    "all types",
    "md (1)",
    "txt (450)",
  ]);
  await page.selectOption('label:has-text("Type") select', "md");
  await expect.poll(titles).toEqual(["Zebra"]);
});

test("[page 24] a library that was opened without the service comes back whole, with its folders, by one choice", async () => {
  const { page } = await visit(await serve(await openHarbour()));
  await page.waitForSelector("#question");
  await page.route(/\/(?:documents|folders|status)\b/u, (route) => route.abort());
  await page.click('.rail-link[href$="library"]');
  await page.waitForSelector("text=The service does not answer");
  await page.unrouteAll();
  await page.click(".notice button");
  await page.waitForSelector(".document");
  await page.waitForSelector("select >> text=harbour", { state: "attached" });
});

test("[page 22] a document that cannot be brought back from the trash says why", async () => {
  const { page, url } = await visitHarbour();
  await page.goto(new URL("d?uri=harbour/rules.txt", url).href);
  await page.click('.place-head [aria-label="Delete"]');
  await page.route("**/restore", (route) => route.abort());
  await page.click(".notice button");
  await page.waitForSelector(".notice-bad");
  expect(await page.textContent(".notice-bad")).toContain("The service does not answer.");
  await page.unroute("**/restore");
  await page.click(".notice button");
  await page.waitForSelector(".place-head h2");
  expect(await page.$$eval(".notice-bad", (found) => found.length)).toBe(0);
});

test("[page 22] several chosen documents go to the trash together", async () => {
  const { page, url, kb } = await visitHarbour();
  await page.goto(new URL("library", url).href);
  await page.waitForSelector(".document");
  for (const name of ["rules.txt", "tides.csv"]) await page.check(`input[aria-label="Choose harbour/${name}"]`);
  await page.click("text=Delete 2 documents");
  await page.waitForSelector('input[aria-label="Choose harbour/rules.txt"]', { state: "detached" });
  expect([await kb.document("harbour/rules.txt"), await kb.document("harbour/tides.csv")]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await page.textContent(".filters")).toContain(`${papers.length - 2} documents`);
});

test("[page 32] the screen of a document tells its metadata and its passages, and draws where they begin", async () => {
  const text = Array.from(
    { length: 60 },
    (_, at) =>
      `## Log ${at}\n\nOn day ${at} the keeper walks ${at} times round the lantern, and writes down the wind and the sea. ${"The sea is calm. ".repeat(12)}`,
  ).join("\n\n");
  const kb = await openKnowledgeBase();
  await kb.ingest(
    { uri: "log.md", text: `# Log\n\n${text}`, mediaType: "text/markdown" },
    { metadata: { keeper: "Ada" } },
  );
  const { page, url } = await visit(await serve(kb), { viewport: { width: 320, height: 800 }, bypassCSP: true });
  const chunks = [];
  for await (const { chunk } of kb.chunks({ uri: "log.md" })) chunks.push(chunk);
  expect(chunks.length).toBeGreaterThan(3);
  await page.goto(new URL("d?uri=log.md", url).href);
  await page.click("text=Metadata");
  await page.waitForSelector(".fact >> text=Ada");
  expect(await page.textContent(".facts")).toContain("text/markdown");
  await page.click("text=Passages in the index");
  await page.waitForSelector(".chunks li");
  expect(await page.$$eval(".chunks li", (rows) => rows.length)).toBe(chunks.length);
  expect(await page.textContent(".chunks li:last-child")).toContain("embedded by latent-semantic");
  await page.check(".chunks input");
  const inSight = chunks.filter(({ start }) => start < 2000).toSorted((one, other) => one.start - other.start);
  const beginnings = (): Promise<(string | null)[][]> =>
    page.$$eval(".text-view .bound", (signs) =>
      signs.map((sign) => {
        const behind = sign.ownerDocument.createRange();
        behind.setStartAfter(sign);
        behind.setEndAfter(sign.parentElement);
        return [sign.textContent, behind.toString().replaceAll(/[#\s]/gu, "").slice(0, 5)];
      }),
    );
  await expect
    .poll(async () => (await beginnings()).slice(0, inSight.length))
    .toEqual(
      inSight.map(({ urtext }, at) => [String(at + 1), urtext.split("\n")[0]!.replaceAll(/[#\s]/gu, "").slice(0, 5)]),
    );
  expect(await beyondWidth(page)).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.click(".chunks li:nth-child(2) a");
  const second = chunks.find(({ index }) => index === 1)!;
  await page.waitForURL((address) => address.searchParams.get("at") === `${second.start}:${second.end}`);
  await page.waitForSelector("mark:not(.syntax)");
});

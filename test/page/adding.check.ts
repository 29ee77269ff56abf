import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { makePdf } from "../readers/make-pdf.ts";
import { papers } from "./documents.ts";
import { openHarbour, serve, visit } from "./open-page.ts";

interface Given {
  readonly name: string;
  readonly bytes: Uint8Array;
}
const text = (words: string): Uint8Array => new TextEncoder().encode(words);

/** Files that no reader can make text of. */
const broken: readonly Given[] = [
  { name: "random.bin", bytes: new Uint8Array(randomBytes(4000)) },
  { name: "scan.pdf", bytes: makePdf([[]], { pictures: [0] }) },
  {
    name: "locked.pdf",
    bytes: makePdf([[{ text: "Nobody reads this.", y: 700 }]], {
      protection: { user: "open", owner: "sesame", cipher: "aes" },
    }),
  },
];
const plain = Array.from({ length: 30 - papers.length - broken.length }, (_, index) => ({
  name: `note ${index}.txt`,
  bytes: text(`Note ${index} tells of pier ${index}.`),
}));

/** Drops files on the page, as a hand does. */
async function drop(page: Page, files: readonly Given[]): Promise<void> {
  const sent = files.map(({ name, bytes }) => ({ name, text: Buffer.from(bytes).toString("base64") }));
  const transfer = await page.evaluateHandle((given) => {
    const world = globalThis as unknown as {
      DataTransfer: new () => { items: { add(file: unknown): void } };
    };
    const made = new world.DataTransfer();
    for (const { name, text: coded } of given)
      made.items.add(new File([Uint8Array.from(atob(coded), (sign) => sign.charCodeAt(0))], name));
    return made;
  }, sent);
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

test("[page 3] thirty dropped files have thirty rows; those that cannot be read say why, and a reload keeps the rows", async () => {
  const { page } = await visit(await serve(await openKnowledgeBase()));
  await page.waitForSelector("input[type=file]", { state: "attached" });
  await drop(page, [...papers, ...broken, ...plain]);
  await page.waitForSelector(".upload >> nth=29");
  await expect
    .poll(
      () =>
        page.$$eval(
          ".upload",
          (rows) => rows.filter((row) => !/^(?:ready|failed|unchanged)$/u.test(row.getAttribute("data-state"))).length,
        ),
      { timeout: 60_000 },
    )
    .toBe(0);
  const rowsOf = (): Promise<(readonly [string, string, string])[]> =>
    page.$$eval(".upload", (rows) =>
      rows.map((row) => [
        row.querySelector(".upload-name").textContent,
        row.getAttribute("data-state"),
        row.querySelector(".reason")?.textContent ?? "",
      ]),
    );
  const rows = await rowsOf();
  expect(rows.length).toBe(30);
  const failed = rows.filter(([, state]) => state === "failed");
  expect(failed.map(([name]) => name).toSorted()).toEqual(["locked.pdf", "random.bin", "scan.pdf"]);
  for (const [name, , reason] of failed) expect([name, reason.length >= 20]).toEqual([name, true]);
  await page.reload();
  await page.waitForSelector(".upload >> nth=29");
  expect(await rowsOf()).toEqual(rows);
});

/** Texts of the rows, each beside the name of its file. */
const rowTexts = (page: Page): Promise<Record<string, string>> =>
  page.$$eval(".upload", (rows) =>
    Object.fromEntries(
      rows.map((row) => [row.querySelector(".upload-name").textContent, row.querySelector(".faint").textContent]),
    ),
  );

/** Drags files and folders of this machine onto the page. `isHeld`: they are not dropped yet. */
async function drag(page: Page, paths: readonly string[], isHeld = false): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", ...(isHeld ? [] : ["drop" as const])] as const)
    await client.send("Input.dispatchDragEvent", { type, x: 600, y: 300, data });
}

test("[page 3] a folder that is dropped is added with all below it, and the page shows where to drop", async () => {
  const { page, kb, folder } = await visit(await serve(await openKnowledgeBase()));
  await page.waitForSelector("input[type=file]", { state: "attached" });
  const given = join(folder, "harbour");
  mkdirSync(join(given, "north", "empty"), { recursive: true });
  writeFileSync(join(given, "pier.txt"), "The pier is long.");
  writeFileSync(join(given, "north", "buoy.txt"), "The buoy is red.");
  writeFileSync(join(folder, "tide.txt"), "The tide is high.");
  const paths = [given, join(folder, "tide.txt")];
  await drag(page, paths, true);
  await page.waitForSelector(".drop-veil");
  await drag(page, paths);
  await page.waitForSelector('.upload[data-state="ready"] >> nth=2');
  expect(await page.$$eval(".upload", (rows) => rows.length)).toBe(3);
  expect(await page.isVisible(".drop-veil")).toBe(false);
  const uris: string[] = [];
  for await (const { uri } of kb.list()) uris.push(uri);
  expect(uris.toSorted()).toEqual(["harbour/north/buoy.txt", "harbour/pier.txt", "tide.txt"]);
});

test("[page 28] a reader who drops a file reads that this is not theirs to do, and the library need not be empty for it", async () => {
  const { page, folder } = await visit(await serve(await openHarbour(), { local: { access: { userId: "bob" } } }));
  await page.waitForSelector("#question");
  writeFileSync(join(folder, "tide.txt"), "The tide is high.");
  await drag(page, [join(folder, "tide.txt")]);
  await page.waitForURL(/\/add$/u);
  expect(await page.textContent("main")).toContain("You may read here, and not add documents.");
  expect(await page.textContent("main")).not.toContain("empty");
});

test("[page 3] at an address without HTTPS files are added and copied from all the same", async () => {
  const key = "ada-ada-ada-ada-ada";
  const serving = await serve(await openKnowledgeBase(), {
    local: undefined,
    keys: [{ name: "ada", key, operator: true, write: true }],
  });
  const url = serving.url.replace("127.0.0.1", "harbour.test");
  const { page } = await visit({ ...serving, url });
  await page.fill("#key", key);
  await page.press("#key", "Enter");
  await page.waitForSelector("input[type=file]", { state: "attached" });
  expect(await page.evaluate(() => (globalThis as unknown as { isSecureContext: boolean }).isSecureContext)).toBe(
    false,
  );
  await drop(page, [{ name: "pier.txt", bytes: text("The pier is long.") }]);
  await page.click('.upload[data-state="ready"] a');
  await page.click('.place-tools [aria-label="Copy the link to this place"]');
  await expect.poll(() => page.textContent(".bubble")).toBe("Copied");
});

test("[page 3] a file that changed after it was chosen says so, and what to do", async () => {
  const { page, folder } = await visit(await serve(await openKnowledgeBase()));
  await page.waitForSelector("input[type=file]", { state: "attached" });
  const gate = Promise.withResolvers<void>();
  await page.route(/\/uploads/u, async (route) => {
    await gate.promise;
    await route.continue();
  });
  // Two files are sent at once, and the third waits.
  const paths = ["one.txt", "two.txt", "tide.txt"].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, `${path} is high.`);
  await drag(page, paths);
  await page.waitForSelector('.upload[data-state="waiting"]');
  writeFileSync(paths[2]!, "The tide is low, and the water is cold.");
  gate.resolve();
  await page.waitForSelector('.upload[data-state="failed"]');
  expect(await page.textContent(".upload .reason")).toContain("Choose it again.");
});

test("[page 3] files that are chosen on an empty base have their rows in sight", async () => {
  const { page } = await visit(await serve(await openKnowledgeBase()));
  await page.setInputFiles("input[type=file] >> nth=0", [
    { name: broken[0]!.name, mimeType: "", buffer: Buffer.from(broken[0]!.bytes) },
  ]);
  await page.waitForSelector('.upload[data-state="failed"]');
  expect(new URL(page.url()).pathname).toBe("/add");
  await page.goBack();
  await page.waitForSelector(".empty");
});

test("[page 3] a failed file can be tried again after a reload, since the service keeps it", async () => {
  const { page } = await visit(await serve(await openKnowledgeBase()));
  await page.waitForSelector("input[type=file]", { state: "attached" });
  await drop(page, [broken[0]!]);
  await page.waitForSelector('.upload[data-state="failed"]');
  const reason = await page.textContent(".upload .reason");
  await page.reload();
  await page.waitForSelector('.upload[data-state="failed"]');
  const answered = page.waitForResponse(/\/jobs\/retry$/u);
  await page.click(".upload button >> text=Try again");
  expect(await (await answered).json()).toEqual({ ids: [expect.any(String)] });
  await page.waitForSelector('.upload[data-state="failed"]');
  expect(await page.textContent(".upload .reason")).toBe(reason);
});

test("[page 3] a long reading tells its pages, a file behind it waits, and a name that was taken says what became of the former document", async () => {
  let turn = Promise.withResolvers<void>();
  const kb = await openKnowledgeBase({
    readers: [
      {
        name: "scroll/1",
        accepts: (mediaType) => mediaType === "application/pdf",
        async read({ onPage }) {
          onPage?.(1, 277);
          await turn.promise;
          return "Herons wade.";
        },
      },
    ],
  });
  const { page } = await visit(await serve(kb, { limits: { jobsAtOnce: 1 } }));
  await page.waitForSelector("input[type=file]", { state: "attached" });
  await drop(page, [{ name: "scroll.pdf", bytes: text("%PDF-1.7 first") }]);
  await expect.poll(async () => (await rowTexts(page))["scroll.pdf"], { timeout: 60_000 }).toContain("1 of 277 pages");
  expect(await page.$eval(".upload progress", (bar) => bar.value)).toBeCloseTo(1 / 277, 6);
  // One file is read at a time: the next is at the service, and waits. It may be taken back.
  await drop(page, [
    { name: "later.pdf", bytes: text("%PDF-1.7 third") },
    { name: "never.pdf", bytes: text("%PDF-1.7 fourth") },
  ]);
  await expect.poll(async () => (await rowTexts(page))["later.pdf"], { timeout: 60_000 }).toMatch(/waiting, 1 ahead$/u);
  await expect.poll(async () => (await rowTexts(page))["never.pdf"], { timeout: 60_000 }).toMatch(/waiting, 2 ahead$/u);
  await page.click('.upload:has-text("never.pdf") button >> text=Cancel');
  await page.waitForSelector('.upload:has-text("never.pdf")[data-state="cancelled"]');
  turn.resolve();
  await page.waitForSelector('.upload:has-text("later.pdf")[data-state="ready"]');
  for (const name of ["later.pdf", "never.pdf"]) await page.click(`.upload:has-text("${name}") button >> text=Dismiss`);
  await page.waitForSelector('.upload[data-state="ready"]');
  expect((await rowTexts(page))["scroll.pdf"]).toMatch(/ready, 1 passage$/u);
  await page.click(".upload button >> text=Dismiss");
  turn = Promise.withResolvers();
  turn.resolve();
  await drop(page, [{ name: "scroll.pdf", bytes: text("%PDF-1.7 second") }]);
  await page.waitForSelector('.upload[data-state="ready"]');
  expect((await rowTexts(page))["scroll.pdf"]).toContain("in the place of the document of this name");
});

test("[page 3] the queue counts an upload that is not whole apart from the files that wait", async () => {
  const serving = await serve(await openKnowledgeBase());
  const begun = await fetch(`${serving.url}uploads`, {
    method: "POST",
    headers: {
      "tus-resumable": "1.0.0",
      "upload-length": "9",
      "upload-metadata": `filename ${Buffer.from("half.txt").toString("base64")}`,
    },
  });
  expect(begun.status).toBe(201);
  const { page } = await visit(serving);
  await page.goto(new URL("ops", serving.url).href);
  const said = page.locator(".care p", { hasText: "waiting" });
  await expect
    .poll(() => said.textContent())
    .toBe("0 waiting, 0 being read, 0 failed. 1 upload is not here whole yet.");
});

test("[page 3] two windows show the same rows, and neither loses those of the other", async () => {
  const { page } = await visit(await serve(await openKnowledgeBase()));
  await page.waitForSelector("input[type=file]", { state: "attached" });
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector("input[type=file]", { state: "attached" });
  await drop(page, [broken[0]!, plain[0]!]);
  await page.waitForSelector('.upload[data-state="ready"]');
  await page.waitForSelector('.upload[data-state="failed"]');
  await drop(other, [plain[1]!]);
  const states = (from: Page) =>
    from.$$eval(".upload", (rows) =>
      rows.map((row): string => row.getAttribute("data-state")).toSorted((one, other) => (one < other ? -1 : 1)),
    );
  await expect.poll(() => states(other), { timeout: 60_000 }).toEqual(["failed", "ready", "ready"]);
  await expect.poll(() => states(page), { timeout: 60_000 }).toEqual(["failed", "ready", "ready"]);
  await other.click('.upload[data-state="failed"] button >> text=Dismiss');
  await expect.poll(() => states(page), { timeout: 60_000 }).toEqual(["ready", "ready"]);
  await page.reload();
  await page.waitForSelector(".upload >> nth=1");
  expect(await states(page)).toEqual(["ready", "ready"]);
});

const sentence = "The harbour keeps its papers in boxes of tin, and nobody has counted them.\n";

/** A text of so many megabytes in the page's own memory, which no test has to carry there. */
async function dropLarge(page: Page, name: string, megabytes: number): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([own, size, line]) => {
      const world = globalThis as unknown as { DataTransfer: new () => { items: { add(file: unknown): void } } };
      const made = new world.DataTransfer();
      made.items.add(
        new File([line.repeat((size * 1_000_000) / line.length)], own, { lastModified: 1_700_000_000_000 }),
      );
      return made;
    },
    [name, megabytes, sentence] as const,
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/** Bytes a second, each way. */
async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}

test("[page 4] cancel ends an upload of 28 MB within two seconds, and the library does not have it", async () => {
  const { page, url } = await visit(await serve(await openHarbour()));
  await page.waitForSelector("#question");
  await slowDown(page, 4_000_000);
  await dropLarge(page, "large.txt", 28);
  await page.waitForSelector('.upload[data-state="sending"]');
  await page.waitForTimeout(1500);
  const started = performance.now();
  await page.click(".upload button >> text=Cancel");
  await page.waitForSelector('.upload[data-state="cancelled"]');
  expect(performance.now() - started).toBeLessThan(2000);
  const { documents } = (await (await fetch(`${url}documents?limit=1000`)).json()) as { documents: { uri: string }[] };
  expect(documents.some(({ uri }) => uri.includes("large"))).toBe(false);
});

/** A network before a service. **Shape** `sent` is the number of bytes from the page so far. It is cut once, when so many came, until it is mended. */
async function openNetwork(
  url: string,
  cutAfter: number,
): Promise<{ readonly url: string; readonly sent: number; readonly cuts: number; mend(): void }> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let isCut = false;
  const network = { url: "", sent: 0, cuts: 0, mend: () => void (isCut = false) };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const service = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
    client.on("data", (bytes) => {
      network.sent += bytes.length;
      if (network.cuts === 0 && network.sent > cutAfter) {
        network.cuts += 1;
        isCut = true;
        for (const socket of open) socket.destroy();
      } else if (!service.write(bytes)) {
        client.pause();
        service.once("drain", () => client.resume());
      }
    });
    service.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  network.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return network;
}

test("[page 5] a network that is cut for five seconds at the half of 28 MB costs one piece again, and no sign of the file", async () => {
  const serving = await serve(await openHarbour());
  const network = await openNetwork(serving.url, 14_000_000);
  const { page } = await visit({ ...serving, url: network.url });
  await page.waitForSelector("#question");
  await dropLarge(page, "large.txt", 28);
  await page.waitForSelector('.upload[data-state="interrupted"]');
  expect(await page.textContent(".upload")).toMatch(/interrupted at (?:[3-6]\d)%/u);
  await page.waitForTimeout(5000);
  network.mend();
  await page.waitForSelector('.upload[data-state="ready"]', { timeout: 90_000 });
  expect(network.cuts).toBe(1);
  const document = await serving.kb.document("large.txt");
  const { length } = document!.text;
  expect(document!.text).toBe(sentence.repeat(length / sentence.length));
  expect(length).toBeGreaterThan(27_900_000);
  // A piece has 8 MiB; requests of the page itself are small.
  expect(network.sent - length).toBeLessThan(8 * 2 ** 20 + 200_000);
});

test("[page 5] a file whose page was closed goes on where it was when it is chosen again; a file that was sent is read without the page", async () => {
  const serving = await serve(await openHarbour());
  const network = await openNetwork(serving.url, 10_000_000);
  const { page, url } = await visit({ ...serving, url: network.url });
  await page.waitForSelector("#question");
  await dropLarge(page, "large.txt", 16);
  await page.waitForSelector('.upload[data-state="interrupted"]');
  await page.goto("about:blank");
  network.mend();
  await page.goto(new URL("add", url).href);
  await page.waitForSelector('.upload[data-state="lost"]');
  await page.waitForSelector("input[type=file]", { state: "attached" });
  const before = network.sent;
  await dropLarge(page, "large.txt", 16);
  await page.waitForSelector('.upload[data-state="reading"]', { timeout: 60_000 });
  expect(network.sent - before).toBeLessThan(16_000_000 - 10_000_000 + 8 * 2 ** 20 + 200_000);
  await page.reload();
  await page.waitForSelector('.upload[data-state="ready"]', { timeout: 90_000 });
  expect((await serving.kb.document("large.txt"))!.text.length).toBeGreaterThan(15_900_000);
});

/**
 * Time that this process made a caller wait: the processor time of its main thread until the answer, at most the time by the clock. A machine that is
 * busy with others makes the clock's longer, not this. The clock's is in bench/event-loop.ts.
 */
async function waited(answer: () => Promise<unknown>): Promise<number> {
  const [started, before] = [performance.now(), process.threadCpuUsage()];
  await answer();
  const { user, system } = process.threadCpuUsage(before);
  return Math.min(performance.now() - started, (user + system) / 1000);
}

test("[page 6] while 28 MB come in and are read, /livez waits for at most 100 ms of work in 99 of 100 cases", async () => {
  const { page, url } = await visit(await serve(await openHarbour()));
  await page.waitForSelector("#question");
  await dropLarge(page, "large.txt", 28);
  await page.waitForSelector(".upload");
  const times: number[] = [];
  const isUnderWay = () => page.$$eval(".upload", ([row]) => row.getAttribute("data-state") !== "ready");
  while (times.length < 200 || (times.length < 2000 && (await isUnderWay()))) {
    times.push(await waited(async () => expect((await fetch(`${url}livez`)).status).toBe(200)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await page.waitForSelector('.upload[data-state="ready"]', { timeout: 90_000 });
  expect(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99) - 1]).toBeLessThan(100);
});

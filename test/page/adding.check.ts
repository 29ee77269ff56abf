import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
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

/** A text of so many megabytes in the page's own memory, which no test has to carry there. */
async function dropLarge(page: Page, name: string, megabytes: number): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([own, size]) => {
      const world = globalThis as unknown as { DataTransfer: new () => { items: { add(file: unknown): void } } };
      const line = "The harbour keeps its papers in boxes of tin, and nobody has counted them.\n";
      const made = new world.DataTransfer();
      made.items.add(new File([line.repeat((size * 1_000_000) / line.length)], own));
      return made;
    },
    [name, megabytes] as const,
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/** Bytes a second, each way. */
async function slowDown(page: Page, bytesPerSecond: number): Promise<{ cut(isCut: boolean): Promise<void> }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const set = async (offline: boolean): Promise<void> => {
    await session.send("Network.emulateNetworkConditions", {
      offline,
      latency: 0,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
  };
  await set(false);
  return { cut: set };
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

test("[page 6] while 28 MB come in and are read, /livez answers within 100 ms in 99 of 100 cases", async () => {
  const { page, url } = await visit(await serve(await openHarbour()));
  await page.waitForSelector("#question");
  await dropLarge(page, "large.txt", 28);
  await page.waitForSelector(".upload");
  const times: number[] = [];
  for (let index = 0; index < 200; index++) {
    const started = performance.now();
    expect((await fetch(`${url}livez`)).status).toBe(200);
    times.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(times.toSorted((a, b) => a - b)[197]).toBeLessThan(100);
});

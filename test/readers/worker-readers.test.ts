import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";

import { needsWorker } from "../../src/readers/worker/needs-worker.ts";
import { createReaders } from "../../src/readers/create-readers.ts";
import { startReaders } from "../../src/readers/worker/start-readers.ts";
import { createWorkerReaders } from "../../src/readers/worker/worker-readers.ts";
import type { Reader, ReadLimits } from "../../src/contracts/reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { createHostileReaders } from "./hostile-readers.ts";
import { refusalOf } from "./read-with.ts";

const program = new URL("./hostile-worker.ts", import.meta.url);
/** Takes what no reader of the worker takes, and reads what it carries by whoever is there. */
const own: Reader = {
  name: "own/1",
  accepts: (mediaType) => mediaType === "application/x-own",
  read: async ({ readPart }) => {
    const inner = await readPart?.({
      name: "deed",
      bytes: new TextEncoder().encode("who"),
      mediaType: "application/x-deed",
    });
    const text = `here ${process.pid}, there ${inner?.text}`;
    return {
      text,
      title: "",
      root: { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
      sourceMap: { lines: "none" },
      metadata: {},
    };
  },
};
const worker = createWorkerReaders(createHostileReaders(), { program, own: [own], readInWorker: true });
afterAll(() => worker.close());

function doDeed(deed: string, limits: Partial<ReadLimits> = {}, signal?: AbortSignal) {
  const bytes = new TextEncoder().encode(deed);
  return readDocument([own, ...worker.readers], {
    uri: `files/${deed}.x`,
    bytes,
    mediaType: "application/x-deed",
    limits,
    signal,
  });
}

describe("readers in a worker", () => {
  it("read elsewhere, and give what the reader gives [E15]", async () => {
    const { text, metadata, notes, mediaType } = await doDeed("greet");
    expect({ text, metadata, notes, mediaType }).toEqual({
      text: "hello",
      metadata: { bytes: 5 },
      notes: ["read by a reader that may do anything"],
      mediaType: "application/x-deed",
    });
    expect(Number((await doDeed("who")).text)).not.toBe(process.pid);
  });

  it("get large files whole", async () => {
    const bytes = new Uint8Array(9_000_000).fill(0x61);
    bytes.set(new TextEncoder().encode("sum "));
    bytes[8_999_999] = 0x62;
    const { text } = await readDocument(worker.readers, { uri: "large.x", bytes, mediaType: "application/x-deed" });
    expect(text).toBe(`9000000 bytes, ${bytes.reduce((sum, byte, i) => (sum * 31 + byte * (i % 7)) % 1_000_003, 0)}`);
  });

  it("keep one worker while all goes well", async () => {
    expect((await doDeed("who")).text).toBe((await doDeed("who")).text);
  });

  it.each([
    ["hang", { timeoutMs: 300 }, "timeout", /files\/hang\.x took longer to read than 0\.3 seconds/, /timeoutMs/],
    ["wait", { timeoutMs: 300 }, "timeout", /files\/wait\.x took longer/, /timeoutMs/],
    [
      "explode",
      { maxMemoryBytes: 200 << 20 },
      "too-large",
      /files\/explode\.x needs more memory .* than 200 MiB/,
      /maxMemoryBytes/,
    ],
    [
      "swell",
      { maxMemoryBytes: 200 << 20 },
      "too-large",
      /files\/swell\.x needs more memory .* than 200 MiB/,
      /maxMemoryBytes/,
    ],
    ["leave", {}, "unreadable", /files\/leave\.x could not be read: .*code 7/, /opens in a program/],
    ["throwLater", {}, "unreadable", /files\/throwLater\.x could not be read/, /opens in a program/],
  ] as const)("a file that makes its reader %s fails by itself", async (deed, limits, code, message, hint) => {
    const error = await refusalOf(doDeed(deed, limits));
    expect(error).toMatchObject({ code, uri: `files/${deed}.x` });
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
    // The next one gets a fresh worker.
    const { timeoutMs: _, ...others }: Partial<ReadLimits> = limits;
    expect((await doDeed("greet", others)).text).toBe("hello");
  });

  it("leave this thread free", async () => {
    const stop = new AbortController();
    const hanging = refusalOf(doDeed("hang", {}, stop.signal));
    for (let turn = 0; turn < 60; turn++) await wait(5);
    stop.abort();
    expect((await hanging).code).toBe("aborted");
  });

  it("pass a refusal on, whole [W17]", async () => {
    expect(await refusalOf(doDeed("refuse"))).toMatchObject({
      code: "encrypted",
      message: "files/refuse.x is locked.",
      hint: "Unlock it.",
      uri: "files/refuse.x",
      details: { lock: 3 },
    });
    const fault = await refusalOf(doDeed("stumble"));
    expect(fault).toMatchObject({ code: "unreadable", details: { reader: "hostile/1" } });
    expect(fault.cause).toMatchObject({ name: "RangeError", message: "out of range", cause: { message: "below" } });
  });

  it("stop when told, at work and in the queue", async () => {
    const stop = new AbortController();
    const readings = Array.from({ length: 6 }, () => refusalOf(doDeed("hang", {}, stop.signal)));
    await wait(400);
    stop.abort();
    for (const error of await Promise.all(readings)) expect(error.code).toBe("aborted");
    expect((await doDeed("greet")).text).toBe("hello");
  });

  it("hand a part that the caller's own reader takes back to it, and it may need the worker again", async () => {
    const { text } = await doDeed("carry");
    expect(text).toMatch(new RegExp(`^carried: here ${process.pid}, there \\d+$`));
    expect(text).not.toMatch(new RegExp(`there ${process.pid}$`));
  });

  it("count depth across both processes", async () => {
    const error = await refusalOf(doDeed("nest", { maxDepth: 2 }));
    expect(error).toMatchObject({ code: "too-large", uri: "files/nest.x/0/1", details: { limit: "maxDepth", max: 2 } });
  });
});

describe("the process of the built-in readers", () => {
  it("reads code of a large grammar again and again within 512 MiB", { timeout: 60_000 }, async () => {
    const real = startReaders([], true, createReaders());
    try {
      const limits = { maxMemoryBytes: 512 * 1024 * 1024 };
      const bytes = new TextEncoder().encode("struct Boat {\n  func sail() -> Int { 1 }\n}\n");
      const end = Date.now() + 4000;
      // V8 compiles in the background, and takes a second or two until it begins.
      while (Date.now() < end) {
        const { text } = await readDocument(real.readers, { uri: "boat.swift", bytes, limits });
        expect(text).toContain("sail");
        await wait(50);
      }
    } finally {
      await real.close();
    }
  });
});

describe("where no worker starts", () => {
  const elsewhere = new URL("./no-such-program.ts", import.meta.url);
  const broken = new URL("./make-pdf.ts", import.meta.url);
  const input = { uri: "a.x", bytes: new TextEncoder().encode("who"), mediaType: "application/x-deed" };

  it.each([elsewhere, broken])("files are read here, and that is said once: %s", async (missing) => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const there = createWorkerReaders(createHostileReaders(), { program: missing });
    expect((await readDocument(there.readers, input)).text).toBe(String(process.pid));
    expect((await readDocument(there.readers, input)).text).toBe(String(process.pid));
    expect(warned.mock.calls.map(([, options]) => options)).toEqual([{ type: "IbidWarning", code: "IBID_NO_WORKER" }]);
    await there.close();
  });

  it.each([elsewhere, broken])("or refused, where a worker was asked for: %s", async (missing) => {
    const there = createWorkerReaders(createHostileReaders(), { program: missing, readInWorker: true });
    const error = await refusalOf(readDocument(there.readers, input));
    expect(error.code).toBe("unsupported-runtime");
    expect(error.hint).toMatch(/external/);
    await there.close();
  });

  it("nothing is read once they are closed", async () => {
    const there = createWorkerReaders(createHostileReaders(), { program, readInWorker: true });
    const reading = refusalOf(readDocument(there.readers, { ...input, bytes: new TextEncoder().encode("hang") }));
    await there.close();
    await there.close();
    expect((await reading).code).toBe("store-closed");
    expect((await refusalOf(readDocument(there.readers, input))).code).toBe("store-closed");
  });
});

describe("what needs a worker", () => {
  it.each([
    ["markdown/1", 100_000, false],
    ["markdown/1", 200_000, true],
    ["markdown/27", 100_000, false],
    ["plain-text/1", 200_000_000, false],
    ["csv/2", 200_000_000, false],
    ["pdf/1", 2000, true],
    ["code/1", 10, true],
    ["nobody-knows", 10, true],
  ])("%s, %i bytes: %s", (reader, bytes, expected) => {
    expect(needsWorker(reader, bytes)).toBe(expected);
  });
});

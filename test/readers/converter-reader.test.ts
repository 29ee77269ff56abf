import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createConverterReader } from "ibid/readers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makePdf } from "./make-pdf.ts";
import { readAny } from "./read-any.ts";
import { refusalOf, showBlocks } from "./read-with.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-converter-test-"));
  vi.stubEnv("TMPDIR", folder);
  writeFileSync(join(folder, "made.pdf"), makePdf([[{ text: "Words of the converted file.", y: 700 }]]));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A program in place of LibreOffice: a shell script, whose eighth argument is the folder for its PDF. */
function program(script: string): string {
  const path = join(folder, "office");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const read = async (path: string, options = {}) => {
  const kb = await openKnowledgeBase({
    reading: { worker: false },
    readers: [createConverterReader({ program: path, mediaTypes: ["application/x-hwp"], ...options })],
  });
  try {
    const bytes = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 1, 2, 3]);
    const results = [];
    for await (const result of kb.ingest({ uri: "plan.hwp", bytes })) results.push(result);
    const [result] = results;
    return { result, document: await kb.document("plan.hwp") };
  } finally {
    await kb.close();
  }
};
const left = (): readonly string[] => readdirSync(folder).filter((name) => name.startsWith("ibid-convert-"));

describe("files that an office program converts", () => {
  it.each([
    [{ timeoutMs: "9" }, "timeoutMs is of the type string; it must be a whole number of 1 or more."],
    [{ maxMemoryBytes: -1 }, "maxMemoryBytes is -1; it must be a whole number of 1 or more."],
    [{ mediaTypes: "application/x-hwp" }, "mediaTypes is of the type string; it must be a list."],
    [{ program: 3 }, "program is number; it must be a string."],
  ])("are not begun with an option of a wrong kind: %j", (options, message) => {
    expect(() => createConverterReader(options as never)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: `createConverterReader: ${message}` }),
    );
  });

  it("are read as the PDF that it makes, and leave nothing behind", async () => {
    const path = program(`mkdir "$7"; test "$HOME" = "$PWD" && test -s "$8" && cp ${folder}/made.pdf "$7/file.pdf"`);
    const { result, document } = await read(path);
    expect(document?.text).toBe("Words of the converted file.");
    expect(document?.title).toBe("plan.hwp");
    expect(document?.sourceMap.pages).toEqual([{ number: 1, start: 0 }]);
    expect(result?.notes).toEqual(["It was converted to PDF by office; pages are those of the PDF."]);
    expect(left()).toEqual([]);
  });

  it.each([
    ["that is not there", () => "/nonexistent/office", "dependency-missing"],
    ["that makes nothing", () => program("exit 1"), "unreadable"],
    ["that never ends, with what it started", () => program("sleep 60 & sleep 60"), "timeout"],
    ["that makes something else", () => program(`mkdir "$7"; echo no > "$7/file.pdf"`), "unreadable"],
  ])("fail by name for a program %s", async (_, make, code) => {
    const { result } = await read(make(), { timeoutMs: 500 });
    expect(result?.error).toMatchObject({ code });
    expect(result?.error?.message).toContain("plan.hwp");
  });
});

describe("drawings", () => {
  it("are read by their words, and passed by without one", async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg"><title>Plan</title><g><desc>The harbour</desc><text>Wall <tspan>north</tspan><tspan>east</tspan></text></g><style>a{}</style></svg>';
    const result = await readAny("a.svg", svg);
    expect([result.title, ...showBlocks(result)]).toEqual([
      "Plan",
      "paragraph: Plan",
      "paragraph: The harbour",
      "paragraph: Wall north east",
    ]);
    const icon = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';
    expect(await refusalOf(readAny("icon.svg", icon))).toMatchObject({ code: "unsupported-media" });
  });
});

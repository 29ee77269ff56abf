import { rm } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { makePdf } from "../readers/make-pdf.ts";
import { jsonLines, makeFolder, runIbid } from "./run-ibid.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const page = makePdf([[{ text: "The lighthouse keeper counts ships.", y: 700 }]]);
const latin1 = (file: string): Uint8Array => Uint8Array.from(file, (sign) => sign.charCodeAt(0));

/** What strangers leave in a folder, each with the code that it fails with. */
const hostile: Readonly<Record<string, readonly [file: Uint8Array | string, code: string]>> = {
  "a-locked.pdf": [
    makePdf([[{ text: "secret", y: 700 }]], { protection: { user: "x", owner: "y", cipher: "aes" } }),
    "encrypted",
  ],
  "b-scan.pdf": [makePdf([[]]), "empty"],
  "c-broken.pdf": ["%PDF-1.7\nand then nothing of the kind", "unreadable"],
  "e-noise.txt": [Uint8Array.from({ length: 4000 }, (_, i) => (i * i * 7) % 256), "binary"],
  "f-nothing.md": ["", "empty"],
};

/** Files of kinds that nobody reads: a walk passes them by. */
const passedBy = {
  "in/g-program.txt": latin1("\x7fELF\x02\x01\x01\0\0\0\0\0"),
  "in/j-noise.bin": Uint8Array.of(0, 1, 2, 0, 255),
};

describe("a folder with hostile files", () => {
  it("each of them fails by itself, with its name and what to do; the rest goes on [E15 W17]", async () => {
    const cwd = await makeFolder({
      ...Object.fromEntries(Object.entries(hostile).map(([name, [file]]) => [`in/${name}`, file])),
      "in/h-good.md": "# Keys\n\nKeys rotate every ninety days.\n",
      "in/i-good.pdf": page,
      ...passedBy,
    });
    folders.push(cwd);
    const shown = await runIbid(cwd, ["ingest", "in"]);
    expect([shown.code, shown.stderr]).toEqual([0, ""]);
    const { stdout } = await runIbid(cwd, ["ingest", "in", "--json"]);
    const [summary, ...results] = jsonLines(stdout).toReversed();
    expect(summary).toMatchObject({ summary: { unchanged: 2, skipped: 2, failed: Object.keys(hostile).length } });
    expect(shown.stdout).toContain(
      "2 files not of a kind that is read (in/g-program.txt …): name one to see why, or keep media with --media",
    );
    const keeping = await runIbid(cwd, ["ingest", "in", "--media"]);
    expect(keeping.stdout).toMatch(
      /2 files not of a kind that is read \(in\/g-program\.txt …\): name one to see why\s/u,
    );
    const named = await runIbid(cwd, ["ingest", ...Object.keys(passedBy), "--json"]);
    expect(jsonLines(named.stdout)).toMatchObject([
      { status: "failed", error: { code: "unsupported-media" } },
      { status: "failed", error: { code: "binary" } },
      {},
    ]);
    const failed = new Map(
      results.flatMap(({ uri, error }) => (error === undefined ? [] : [[uri, error as Record<string, string>]])),
    );
    expect(Object.fromEntries(Array.from(failed, ([uri, error]) => [uri, error["code"]]))).toEqual(
      Object.fromEntries(Object.entries(hostile).map(([name, [, code]]) => [`in/${name}`, code])),
    );
    const printed = shown.stdout.replace(/\s+/gu, " ");
    for (const [uri, { message, hint }] of failed) {
      expect(message).toContain(uri);
      expect(hint).toMatch(/\w/u);
      expect(printed).toContain(`${message} ${hint}`.replace(/\s+/gu, " "));
    }
  });
});

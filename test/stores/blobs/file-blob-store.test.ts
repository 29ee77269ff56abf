import { fork } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openFileBlobStore } from "ibid/stores";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromBlobPath, toBlobPath } from "../../../src/stores/blobs/file-blob-store.ts";
import { createFileBlobStore } from "../../../src/stores/blobs/file-blob-store.ts";
import { createTurns } from "../../../src/stores/sqlite/take-turns.ts";
import { isBlobKey } from "../../../src/stores/blobs/check-blob.ts";
import { collect } from "../../../src/testing/assert.ts";

let outer = "";
let folder = "";
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), "ibid-file-blobs-"));
  folder = join(outer, "blobs");
});
afterEach(() => rmSync(outer, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (blob: { bytes: Uint8Array } | undefined): string => new TextDecoder().decode(blob?.bytes);
const filesIn = (where: string): string[] =>
  readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

describe("where a key lies", () => {
  const keys = fc
    .oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 300 }),
      fc.string({ unit: fc.constantFrom("a", "B", ".", "/", "+", "~", "%", "é", "\\", " "), maxLength: 300 }),
    )
    .filter(isBlobKey);

  it("is a path below the folder that leads back to it, of names that every file system keeps [T2]", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const path = toBlobPath(key);
        expect(fromBlobPath(path)).toBe(key);
        for (const name of path) expect(name).toMatch(/^(?!\.)[a-z0-9_.%A-F~+-]{1,201}(?<!\.)$/u);
      }),
    );
  });

  it("is a readable name where the key is a plain one", () => {
    expect(toBlobPath("reports/2026/q1-final.pdf")).toEqual(["reports+", "2026+", "q1-final.pdf"]);
    expect(toBlobPath("a b/Ä.txt")).toEqual(["a%20b+", "%C3%84.txt"]);
    expect(toBlobPath("con/nul.txt/console")).toEqual(["%63on+", "%6Eul.txt+", "console"]);
    expect(toBlobPath("z".repeat(401))).toEqual([`${"z".repeat(200)}~`, `${"z".repeat(200)}~`, "z"]);
  });

  it("is none for files of somebody else", () => {
    for (const path of [["A"], [".turns"], ["a+"], ["%zz"], ["a%2fb"], ["a", "b"], ["%61"]])
      expect(fromBlobPath(path)).toBeUndefined();
  });
});

describe("a folder of blobs", () => {
  it("keeps them when it is opened again, and nothing else lies in it [T2 L8]", async () => {
    await openFileBlobStore(folder).put("a/b", bytes("kept"));
    expect(textOf(await openFileBlobStore(folder).get("a/b"))).toBe("kept");
    expect(filesIn(folder).toSorted()).toEqual([".turns", "b"]);
    await openFileBlobStore(folder).delete("a/b");
    expect(readdirSync(folder)).toEqual([".turns"]);
  });

  it("writes over what a killed writer left, and never shows it", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, ".unfinished"), "half of somethi");
    const store = openFileBlobStore(folder);
    expect(await collect(store.list())).toEqual([]);
    await store.put("a", bytes("whole"));
    expect(filesIn(folder).toSorted()).toEqual([".turns", "a"]);
  });

  it("leaves alone what somebody else put there, links among it", async () => {
    writeFileSync(join(outer, "secret"), "not for you");
    mkdirSync(folder);
    symlinkSync(join(outer, "secret"), join(folder, "link"));
    writeFileSync(join(folder, "README"), "somebody's");
    const store = openFileBlobStore(folder);
    expect(await collect(store.list())).toEqual([]);
    expect(await store.get("link")).toBeUndefined();
    await store.put("link", bytes("mine"));
    expect(textOf(await store.get("link"))).toBe("mine");
    expect(readFileSync(join(outer, "secret"), "utf8")).toBe("not for you");
  });

  it("says what is wrong with a folder that cannot be one", async () => {
    for (const none of ["", " ", "s3://bucket/folder"])
      expect(() => openFileBlobStore(none)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    writeFileSync(folder, "a file");
    await expect(openFileBlobStore(folder).put("a", bytes("x"))).rejects.toMatchObject({ code: "store-failed" });
  });

  it("counts every step of two processes, one of them killed on its way [L8]", async () => {
    const store = openFileBlobStore(folder);
    await store.put("count", bytes("0"));
    const child = (): ReturnType<typeof fork> =>
      fork(join(import.meta.dirname, "../../support/count-blobs-child.ts"), [folder, "25"], { execArgv: [] });
    const counted: number[] = [];
    const [first, second] = [child(), child()];
    let ofFirst = 0;
    first.on("message", (next: number) => {
      counted.push(next);
      if (++ofFirst === 10) first.kill("SIGKILL");
    });
    second.on("message", (next: number) => counted.push(next));
    const ended = (process: ReturnType<typeof fork>): Promise<number | null> =>
      new Promise((resolve) => process.on("exit", resolve));
    expect((await Promise.all([ended(first), ended(second)]))[1]).toBe(0);
    // What was told is told once; the killed one may have written steps that it could not tell any more.
    expect(new Set(counted).size).toBe(counted.length);
    const last = Number(textOf(await store.get("count")));
    expect(last).toBeGreaterThanOrEqual(35);
    expect(last).toBe(Math.max(last, ...counted));
  });

  it("says store-busy when somebody holds the turn, and goes on when they let go", async () => {
    const path = join(folder, ".turns");
    const held = createTurns(path);
    const impatient = createFileBlobStore(folder, createTurns(path, 20));
    const turn = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const holding = held(() => (begun.resolve(undefined), turn.promise), undefined);
    await begun.promise;
    await expect(impatient.put("a", bytes("x"))).rejects.toMatchObject({ code: "store-busy" });
    const signal = AbortSignal.timeout(5);
    await expect(openFileBlobStore(folder).put("a", bytes("x"), { signal })).rejects.toMatchObject({ code: "timeout" });
    turn.resolve(undefined);
    await holding;
    expect((await impatient.put("a", bytes("x"))).status).toBe("written");
    expect(existsSync(join(folder, "a"))).toBe(true);
  });
});

import { access, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "ibid-open-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("openKnowledgeBase", () => {
  it("keeps a folder that it made out of repositories, and leaves anybody else's alone", async () => {
    const own = await openKnowledgeBase(join(folder, "own"));
    await own.close();
    expect(await readFile(join(folder, "own/.gitignore"), "utf8")).toBe("*\n");

    await writeFile(join(folder, "a.md"), "About apples.");
    const shared = await openKnowledgeBase(folder);
    expect(await shared.ingest(folder)).toMatchObject({ added: 1, failed: 0 });
    expect(await shared.ingest(folder)).toMatchObject({ unchanged: 1, removed: 0, failed: 0 });
    expect((await shared.search("apples")).map(({ text }) => text)).toEqual(["About apples."]);
    await shared.close();
    await expect(access(join(folder, ".gitignore"))).rejects.toThrow("ENOENT");
  });

  it("makes nothing when it is told not to, and nothing where a file is", async () => {
    await expect(openKnowledgeBase(join(folder, "none"), { create: false })).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(access(join(folder, "none"))).rejects.toThrow("ENOENT");
    await writeFile(join(folder, "file"), "");
    await expect(openKnowledgeBase(join(folder, "file"))).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(openKnowledgeBase(join(folder, "file/kb"))).rejects.toMatchObject({ code: "store-failed" });
  });

  it("says what it cannot do: another database, an unknown option, a blank place", async () => {
    for (const address of ["mysql://ada", " postgres://ada", "postgres:/ada", "jdbc:postgresql://ada", "pg://ada"]) {
      const opening = openKnowledgeBase(`${address}:hunter2@127.0.0.1:1/kb`);
      await expect(opening).rejects.toMatchObject({ code: "unsupported" });
      await expect(opening).rejects.not.toThrow("hunter2");
    }
    await expect(openKnowledgeBase(" ")).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(openKnowledgeBase(":memory:")).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("without a location"),
    });
    await expect(openKnowledgeBase({ modle: "x/y" } as never)).rejects.toThrow(/no option "modle"/u);
    await expect(openKnowledgeBase(7 as never)).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("options come second") as string,
    });
    await expect(openKnowledgeBase({ model: "x/y" } as never)).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("Write models: { chat: … }") as string,
    });
    await expect(openKnowledgeBase({}, {})).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("openKnowledgeBase(location, options)") as string,
    });
    await expect(openKnowledgeBase("qdrant://127.0.0.1:6333")).rejects.toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining("the option `engine`") as string,
    });
    const misspelt = { models: { chatt: "x/y" } } as never;
    await expect(openKnowledgeBase(misspelt)).rejects.toThrow('models has no option "chatt".');
  });
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IngestOptions, openKnowledgeBase } from "ibid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

type FolderRules = NonNullable<IngestOptions["folders"]>;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-folders-"));
  mkdirSync(join(folder, "docs/deep"), { recursive: true });
  for (const name of ["a.md", "b.txt", "deep/c.md"]) writeFileSync(join(folder, "docs", name), `The heron of ${name}.`);
  symlinkSync(join(folder, "docs/a.md"), join(folder, "docs/link.md"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function ingested(defaults: FolderRules | undefined, own?: FolderRules): Promise<readonly string[]> {
  const kb = await openKnowledgeBase(join(folder, "kb"), { reading: { folders: defaults } });
  try {
    const uris: string[] = [];
    for await (const { uri, status } of kb.ingest(join(folder, "docs"), { folders: own }))
      if (status === "added") uris.push(uri);
    return uris.toSorted();
  } finally {
    await kb.close();
  }
}

describe("reading.folders", () => {
  it.each([
    ["none", undefined, undefined, ["docs/a.md", "docs/b.txt", "docs/deep/c.md"]],
    ["include", { include: ["*.md"] }, undefined, ["docs/a.md", "docs/deep/c.md"]],
    ["exclude and depth", { exclude: ["b.*"], maxDepth: 0 }, undefined, ["docs/a.md"]],
    ["links", { symlinks: "inside", maxDepth: 0 }, undefined, ["docs/a.md", "docs/b.txt", "docs/link.md"]],
    [
      "rules of the ingestion, which win one by one",
      { include: ["*.md"], maxDepth: 0 },
      { include: ["*.txt"] },
      ["docs/b.txt"],
    ],
    [
      "rules that are undefined, which leave the default",
      { maxDepth: 0 },
      { maxDepth: undefined },
      ["docs/a.md", "docs/b.txt"],
    ],
  ] as const)("are the rules of every ingestion: %s", async (_, defaults, own, uris) => {
    expect(await ingested(defaults, own)).toEqual(uris);
  });

  it("are checked when the knowledge base is opened", async () => {
    await expect(openKnowledgeBase({ reading: { folders: { maxDepth: -1 } } })).rejects.toThrow(
      "reading.folders.maxDepth is -1; it must be a whole number from 0.",
    );
  });
});

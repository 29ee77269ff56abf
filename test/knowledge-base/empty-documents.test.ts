import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KnowledgeBase, openKnowledgeBase, type OpenOptions } from "ibid";
import { createSectionChunker } from "ibid/chunkers";
import { createHashingModel } from "ibid/models";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "../../src/testing/assert.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "ibid-empty-"));
  closing.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
};
const open = async (path: string | undefined, options: OpenOptions): Promise<KnowledgeBase> => {
  const kb = await openKnowledgeBase(path, options);
  closing.push(() => kb.close());
  return kb;
};
const keep = { reading: { empty: "keep" } } as const;
const withChunk = { ...keep, chunker: createSectionChunker({ emptyChunk: true }) };

describe("a file that shows no text", () => {
  it("is an error by default, and named [E18]", async () => {
    const kb = await open(undefined, {});
    const { failures } = await kb.ingest([
      { uri: "a.md", text: "" },
      { uri: "b.html", text: "<p></p>" },
    ]);
    expect(failures.map(({ uri, error }) => [uri, error.code])).toEqual([
      ["a.md", "empty"],
      ["b.html", "empty"],
    ]);
  });

  it.each(["memory", "SQLite"])("is kept without text where that is asked for, in %s [E18]", async (where) => {
    const kb = await open(where === "memory" ? undefined : folder(), keep);
    const inputs = [
      { uri: "a.md", text: " \n" },
      { uri: "b.html", text: "<p></p>" },
    ];
    const results = await collect(kb.ingest(inputs));
    expect(results.map(({ status, chunks, notes }) => [status, chunks, notes])).toEqual([
      ["added", 0, ["a.md is empty."]],
      ["added", 0, ["b.html shows no text."]],
    ]);
    expect((await kb.ingest(inputs)).unchanged).toBe(2);
    expect((await collect(kb.list())).map(({ uri, chunks }) => [uri, chunks])).toEqual([
      ["a.md", 0],
      ["b.html", 0],
    ]);
    expect((await kb.document("a.md"))?.text).toBe("");
    expect((await kb.ingest({ uri: "a.md", text: "Bees hum." })).updated).toBe(1);
    expect(await kb.search("bees")).toHaveLength(1);
    expect((await kb.ingest({ uri: "a.md", text: "" })).updated).toBe(1);
    expect(await kb.search("bees")).toEqual([]);
    expect(await kb.delete("a.md", { purge: true })).toHaveLength(1);
    expect((await kb.status()).documents).toBe(1);
  });

  it.each(["memory", "SQLite"])("is one empty chunk by the chunker's option, in %s [E18]", async (where) => {
    const path = where === "memory" ? undefined : folder();
    const kb = await open(path, { ...withChunk, models: { embedding: createHashingModel() } });
    expect((await kb.ingest({ uri: "a.md", text: "", metadata: { kind: "x" } })).chunks).toBe(1);
    await kb.ingest({ uri: "b.md", text: "Bees hum." });
    const [chunk] = (await collect(kb.chunks({ uri: "a.md" }))).map((stored) => stored.chunk);
    expect(chunk).toMatchObject({ text: "", urtext: "", start: 0, end: 0, metadata: { kind: "x" } });
    for (const mode of ["hybrid", "dense", "lexical"] as const)
      expect((await kb.search("bees", { mode }))[0]?.source.uri).toBe("b.md");
    expect((await kb.search("[Bb]ees", { mode: "regex" })).map(({ source: { uri } }) => uri)).toEqual(["b.md"]);
    expect((await kb.find({ filter: { kind: "x" } })).map(({ chunk: { uri } }) => uri)).toEqual(["a.md"]);
    expect((await kb.ask("What do bees do?")).text).toContain("Bees hum.");
    expect((await kb.expand(chunk!.id, { neighbours: 1 }))?.text).toBe("");
    expect((await kb.outline("a.md"))?.sections).toHaveLength(1);
    expect(await kb.doctor()).toBeDefined();
  });

  it("is kept among the files of a folder, where a broken file is an error as before [E18]", async () => {
    const path = folder();
    writeFileSync(join(path, "empty.txt"), "");
    writeFileSync(join(path, "full.txt"), "Bees hum.");
    writeFileSync(join(path, "broken.pdf"), "%PDF-");
    const kb = await open(undefined, keep);
    const { added, failures } = await kb.ingest(path);
    expect([added, failures.map(({ error }) => error.code)]).toEqual([2, ["unreadable"]]);
  });
});

import { searchWords } from "../support/search-legs.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { documentEntry, plainAnalyzer, read, system, write } from "./build.ts";

const folders: string[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function openInFile(): Promise<{ readonly store: Store; readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-large-"));
  folders.push(folder);
  const path = join(folder, "ibid.sqlite");
  const store = await openSqliteStore(path, { analyzer: plainAnalyzer });
  stores.push(store);
  return { store, path };
}

const paragraphs = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_, i) => `p${i} ${word} number${i} of${i % 7}`);

describe("a document of many chunks", () => {
  it.each([
    ["in memory", () => Promise.resolve(createMemoryStore({ analyzer: plainAnalyzer }))],
    ["in SQLite", async () => (await openInFile()).store],
  ])("is found %s as a document of few is, also among others and after it was changed [L7 L8 L11]", async (_, make) => {
    const store = await make();
    const into = write("deployment");
    const from = read("deployment");
    await store.replace(into, documentEntry("small", paragraphs(300, "ash")));
    // More than one segment holds: most are sealed as they come, the rest wait beside the small one's.
    expect(await store.replace(into, documentEntry("large", paragraphs(2500, "oak")))).toMatchObject({
      added: 2500,
      kept: 0,
      removed: 0,
    });
    const search = async (query: string) =>
      (await searchWords(store, from, { text: query, topK: "all" })).matches.map(({ chunk }) => chunk.text);
    expect(await search("number2499")).toEqual(["p2499 oak number2499 of0"]);
    expect((await search("of3")).length).toBe(43 + 357);
    expect((await store.status(from)).chunks).toBe(2800);

    const changed = paragraphs(2500, "oak").map((text, i) => (i === 1200 ? "p1200 yew alone" : text));
    expect(await store.replace(into, documentEntry("large", changed))).toMatchObject({
      added: 1,
      kept: 2499,
      removed: 1,
    });
    expect(await search("number1200")).toEqual([]);
    expect(await search("yew")).toEqual(["p1200 yew alone"]);

    expect((await store.delete(into, { documentIds: ["large"] }, { purge: true })).chunks).toBe(2500);
    expect(await search("oak")).toEqual([]);
    expect((await search("ash")).length).toBe(300);
    expect(await store.upkeep?.examine(system)).toMatchObject({ healthy: true });
  });

  it("counts its chunks for those who may read it [E12 L3]", async () => {
    const store = createMemoryStore({ analyzer: plainAnalyzer });
    await store.replace(write("team:red"), documentEntry("d", paragraphs(3, "ash")));
    await store.replace(write("deployment"), documentEntry("d", paragraphs(2, "oak")));
    const documents = (["team:red", "deployment", "user:ada"] as const).map((scope) => ({ scope, documentId: "d" }));
    expect(await store.chunkCounts?.(read("team:red", "deployment", "user:ada"), documents)).toEqual([3, 2, 0]);
    expect(await store.chunkCounts?.(read("deployment"), documents)).toEqual([0, 2, 0]);

    const refs = documents.map(({ scope }) => ({ scope, id: "d-p0" }));
    const totals = async (...scopes: Scope[]) => {
      const session = await store.session(read(...scopes));
      expect((await session.readChunks(refs)).every((one) => one?.total === undefined)).toBe(true);
      return (await session.readChunks(refs, { totals: true })).map((one) => one?.total);
    };
    expect(await totals("team:red", "deployment", "user:ada")).toEqual([3, 2, undefined]);
    expect(await totals("deployment")).toEqual([undefined, 2, undefined]);
    await store.replace(write("deployment"), documentEntry("d", paragraphs(4, "oak")));
    expect(await totals("deployment")).toEqual([undefined, 4, undefined]);
  });
});

describe("a long text in SQLite", () => {
  it("lies in parts of 32 KiB, no character cut in two, and leaves nothing when it goes [L1 L8]", async () => {
    const { store, path } = await openInFile();
    const into = write("deployment");
    const from = read("deployment");
    const rows = () => {
      const file = new DatabaseSync(path, { readOnly: true });
      const parts = file.prepare("SELECT document, part FROM text_parts ORDER BY document, part").all();
      file.close();
      return parts.length;
    };
    // An odd beginning puts the middle of a pair where the first part would end; NUL is a character like others.
    const partsOf = (text: string): number => Math.ceil(text.length / 32_768);
    const long = `long a\0b${"\u{1F989}".repeat(1_200_000)}`;
    await store.replace(into, documentEntry("owl", [long, "the end"]));
    expect((await store.document(from, "owl"))?.document.text).toBe(`${long}\n\nthe end`);
    // One more for what the document is beside its text.
    expect(rows()).toBe(partsOf(`${long}\n\nthe end`) + 1);
    const [hit] = (await searchWords(store, from, { text: "end" })).matches;
    expect(hit?.chunk.text).toBe("the end");

    await store.replace(into, documentEntry("owl", [long.slice(0, -400_000), "shorter"]));
    expect((await store.document(from, "owl"))?.document.text.endsWith("shorter")).toBe(true);
    expect(rows()).toBe(partsOf(`${long.slice(0, -400_000)}\n\nshorter`) + 1);
    await store.replace(into, documentEntry("owl", ["short"]));
    expect(rows()).toBe(0);

    await store.replace(into, documentEntry("owl", [long]));
    await store.delete(into, { documentIds: ["owl"] }, { purge: true });
    expect(rows()).toBe(0);
    await store.replace(into, documentEntry("owl", [long]));
    await store.delete(into, { scope: true });
    expect(rows()).toBe(0);
  });
});

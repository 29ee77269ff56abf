import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase, type OpenOptions } from "../../../src/index.node.ts";
import { openIngestionQueue } from "../../../src/ingest/index.node.ts";
import { backUpFolder, verifyBackup } from "../../../src/stores/sqlite/backup.ts";
import { openDatabase } from "../../../src/stores/sqlite/sqlite-database.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { collect } from "../../../src/testing/assert.ts";
import { runs, sample } from "../../support/runs.ts";
import { documentEntry, plainAnalyzer, read, system, write } from "../build.ts";
import { searchWords } from "../../support/search-legs.ts";

const from = read("deployment");
const into = write("deployment");
let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-damage-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openSqliteStore(path, { analyzer: plainAnalyzer });

interface Kept {
  readonly key: number;
  readonly data: Uint8Array;
}

/** Rows of a table as they are kept. */
function kept(table: string): readonly Kept[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare(`SELECT key, data FROM ${table} ORDER BY key`).all() as unknown as readonly Kept[];
  database.close();
  return rows;
}

function put(table: string, { key, data }: Kept): void {
  const database = new DatabaseSync(path);
  database.prepare(`UPDATE ${table} SET data = ? WHERE key = ?`).run(data, key);
  database.close();
}

/** The error of a call; `undefined` where it succeeds. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

const large = `A heron stands in the water.\n\n${"It waits, and waits, and 17 fish swim by. ".repeat(1200)}`;

async function fill(): Promise<void> {
  const store = await open();
  await store.replace(into, documentEntry("small", ["The heron ate 12 fish."]));
  await store.replace(into, documentEntry("large", [large, "The end of 1 heron."]));
  // In blocks of other scopes, out of reach.
  await store.replace(write("team:red"), documentEntry("other", ["The stork ate 9 frogs."]));
  await store.close();
}

describe("a stored text that is damaged", () => {
  it("is refused with its document's name and nothing of its words, whichever byte it is; the others are read [L2 L8]", async () => {
    await fill();
    const places = ["blocks", "text_parts"].flatMap((table) =>
      kept(table)
        .slice(0, table === "blocks" ? 1 : 3)
        .map((row) => ({ table, row, id: table === "blocks" ? "small" : "large" })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async ({ table, row, id }, at, flip) => {
          const data = Uint8Array.from(row.data);
          data[at % data.length]! ^= flip;
          put(table, { ...row, data });
          const store = await open();
          const failure = await store.document(from, id).then(
            (found) => found?.document.text,
            (error: unknown) => error,
          );
          // A bit of the frame's header may mean nothing: then the text is what it was.
          const isHarmless =
            failure === (id === "small" ? "The heron ate 12 fish." : `${large}\n\nThe end of 1 heron.`);
          const refusal = { code: "store-corrupt", uri: expect.stringContaining(id) as string };
          expect(isHarmless ? refusal : failure).toMatchObject(isHarmless ? {} : refusal);
          expect(failure instanceof Error ? failure.message : "").not.toMatch(/heron|fish/u);
          const { findings } = await store.upkeep!.examine(system);
          expect(findings.map(({ kind, message }) => [kind, message.includes(id)])).toEqual(
            isHarmless ? [] : [["damaged", true]],
          );
          expect((await store.document(read("team:red"), "other"))?.document.text).toBe("The stork ate 9 frogs.");
          expect((await searchWords(store, read("team:red"), { text: "stork" })).matches).toHaveLength(1);
          await store.close();
          put(table, row);
        },
      ),
      { numRuns: runs(25) },
    );
  });

  it("is refused where it was compressed anew, with other digits [L2]", async () => {
    await fill();
    const [block] = kept("blocks");
    const text = zstdDecompressSync(block!.data).toString().replace("12 fish", "21 fish");
    put("blocks", { ...block!, data: zstdCompressSync(Buffer.from(text)) });
    let store = await open();
    await expect(store.document(from, "small")).rejects.toMatchObject({ code: "store-corrupt" });
    await expect(searchWords(store, from, { text: "ate" })).rejects.toMatchObject({ code: "store-corrupt" });
    await store.close();
    // Also when the block's own sum is made to fit: the document has one too.
    const database = new DatabaseSync(path);
    database.prepare("UPDATE blocks SET sum = ? WHERE key = ?").run(crc32(text), block!.key);
    database.close();
    store = await open();
    await expect(store.document(from, "small")).rejects.toMatchObject({ code: "store-corrupt" });
    await store.close();
  });

  it("is seen by the doctor where a chunk's place is another, or a text of its own has changed [L2]", async () => {
    await fill();
    const database = new DatabaseSync(path);
    database.exec(
      "UPDATE chunks SET starts = starts + 4 WHERE document = (SELECT key FROM documents WHERE id = 'small')",
    );
    database.close();
    const store = await open();
    const { findings } = await store.upkeep!.examine(system);
    expect(findings.map(({ kind }) => kind)).toContain("damaged");
    await store.close();
  });
});

describe("what a chunk says of its section", () => {
  it.each(["sectionId", "headings"])(
    "is refused where %s has another name, and the others are read [19]",
    async (name) => {
      const kb = await openKnowledgeBase(folder);
      for (const word of ["heron", "stork"])
        await kb.ingest({ uri: `${word}.md`, text: `# About the ${word}\n\nThe ${word} ate 12 fish.` });
      await kb.close();
      const database = new DatabaseSync(path);
      database.exec(`UPDATE sayings SET text = replace(text, '"${name}"', '"${name.replace("s", "S")}"')
        WHERE text LIKE '%heron%'`);
      database.close();
      const again = await openKnowledgeBase(folder);
      onTestFinished(() => again.close());
      for (const mode of ["lexical", "hybrid"] as const)
        await expect(again.search("heron", { mode })).rejects.toMatchObject({ code: "store-corrupt", uri: "heron.md" });
      await expect(again.search("heron")).rejects.not.toThrow(/fish/u);
      expect(await again.search("stork", { mode: "lexical" })).toMatchObject([{ source: { uri: "stork.md" } }]);
    },
  );
});

describe("names of a document", () => {
  const names = ["heron.md", "stork.md"];
  async function fillNamed(options: OpenOptions = {}): Promise<void> {
    const kb = await openKnowledgeBase(folder, options);
    for (const uri of names)
      await kb.ingest({
        uri,
        text: `# About the ${uri.slice(0, 5)}\n\nThe ${uri.slice(0, 5)} ate 12 fish.`,
        metadata: { n: 1 },
      });
    await kb.ingest({ uri: "ibis.md", text: "The ibis ate 9 frogs." }, { scope: "team:red" });
    await kb.close();
  }
  /** Runs statements, and returns the first row of the last. */
  function run(...statements: readonly string[]): Record<string, unknown> | undefined {
    const database = new DatabaseSync(path);
    let row: Record<string, unknown> | undefined;
    for (const statement of statements) row = database.prepare(statement).get();
    database.close();
    return row;
  }
  /** Changes a row as a damaged disk does: its sum stays as it was. */
  function damageRow(change: string): void {
    const { sum } = run("SELECT name_sum AS sum FROM documents WHERE uri = 'heron.md'")!;
    const { key } = run("SELECT key FROM documents WHERE uri = 'heron.md'")!;
    run(
      `UPDATE documents SET ${change} WHERE key = ${String(key)}`,
      `UPDATE documents SET name_sum = ${String(sum)} WHERE key = ${String(key)}`,
    );
  }
  const reopened = async (): Promise<KnowledgeBase> => {
    const kb = await openKnowledgeBase(folder);
    onTestFinished(() => kb.close());
    return kb;
  };
  const corrupt = { code: "store-corrupt" };

  it.each(["uri = 'heron.m?'", "title = 'The lion'", "folder = '/x'", "id = x'00112233445566778899aabbccddeeff'"])(
    "are shown in no call where %s is not as it was written; the others are read [L2 19]",
    async (change) => {
      await fillNamed();
      damageRow(change);
      const kb = await reopened();
      const { uri } = run("SELECT uri FROM documents WHERE uri LIKE 'heron%'")! as { uri: string };
      for (const mode of ["lexical", "hybrid", "regex"] as const)
        await expect(kb.search("heron", { mode })).rejects.toMatchObject(corrupt);
      await expect(kb.ask("How many fish did the heron eat?")).rejects.toMatchObject(corrupt);
      await expect(kb.document(uri)).rejects.toMatchObject(corrupt);
      expect((await collect(kb.list())).map((one) => one.uri)).toEqual(["ibis.md", "stork.md"]);
      expect(await collect(kb.list({ sort: "title" }))).toHaveLength(2);
      expect(await kb.search("stork", { mode: "lexical" })).toMatchObject([{ source: { uri: "stork.md" } }]);
      expect((await kb.document("stork.md"))?.uri).toBe("stork.md");
      expect((await kb.doctor()).findings.map(({ kind }) => kind)).toContain("damaged");
    },
  );

  it("are right again where the document is ingested again [19]", async () => {
    await fillNamed();
    damageRow("uri = 'heron.m?'");
    const kb = await reopened();
    await expect(kb.delete("heron.m?", { purge: true })).rejects.toMatchObject(corrupt);
    expect((await collect(kb.list())).map(({ uri }) => uri)).toEqual(["ibis.md", "stork.md"]);
    await kb.ingest({ uri: "heron.md", text: "The heron ate 3 fish." });
    expect(await kb.search("heron", { mode: "lexical" })).toMatchObject([{ source: { uri: "heron.md" } }]);
    expect((await collect(kb.list())).map(({ uri }) => uri)).toEqual(["heron.md", "ibis.md", "stork.md"]);
    expect((await kb.doctor()).findings).toEqual([]);
  });

  const damages = [
    ["a block of texts", "UPDATE blocks SET data = x'00112233'"],
    ["the sum of a text", "UPDATE documents SET sum = sum + 1 WHERE uri = 'heron.md'"],
    ["its title", "UPDATE documents SET title = 'The lion' WHERE uri = 'heron.md'"],
    ["short metadata", `UPDATE chunks SET metadata = replace(metadata, '"n":1', '"n":3')`],
    ["its headings", "UPDATE sayings SET text = replace(text, 'heron', 'stork')"],
  ] as const;

  it.each(damages)(
    "a document is whole again where it is ingested again, or goes, after damage to %s [19]",
    async (_, damage) => {
      await fillNamed();
      const triggers = ["names_change", "metadata_change"].map(
        (name) => run(`SELECT sql FROM sqlite_schema WHERE name = '${name}'`)!["sql"] as string,
      );
      run("DROP TRIGGER names_change", "DROP TRIGGER metadata_change", damage, ...triggers);
      const whole = readFileSync(path);
      const kb = await reopened();
      await expect(kb.search("heron", { mode: "lexical" })).rejects.toMatchObject(corrupt);
      expect((await kb.doctor()).findings.map(({ kind }) => kind)).toContain("damaged");
      expect(await kb.ingest({ uri: "crane.md", text: "The crane dances." })).toMatchObject({ added: 1 });
      for (const uri of names)
        expect(await kb.ingest({ uri, text: `The ${uri} ate 3 fish.` })).toMatchObject({ failures: [] });
      await kb.ingest({ uri: "ibis.md", text: "The ibis ate 8 frogs." }, { scope: "team:red" });
      expect((await kb.document("heron.md"))?.text).toBe("The heron.md ate 3 fish.");
      expect((await kb.doctor()).findings).toEqual([]);
      await kb.close();
      writeFileSync(path, whole);
      const again = await reopened();
      // A document with false names is refused, and is written anew. Any other has not changed, and is deleted first.
      const deleteIt = (): Promise<unknown> => again.delete("heron.md").catch((error: IbidError) => error);
      await deleteIt();
      await again.restore("heron.md");
      await expect(again.search("heron", { mode: "lexical" })).rejects.toMatchObject(corrupt);
      await deleteIt();
      await again.ingest({ uri: "heron.md", text: "# About the heron\n\nThe heron ate 12 fish.", metadata: { n: 1 } });
      expect(await again.search("heron", { mode: "lexical" })).toMatchObject([
        { source: { uri: "heron.md" }, metadata: { n: 1 } },
      ]);
      for (const uri of names) await again.delete(uri, { purge: true });
      await again.delete("ibis.md", { scope: "team:red", purge: true });
      expect((await again.doctor({ absent: ["ate 12 fish"] })).findings).toEqual([]);
    },
  );

  it.each(damages)(
    "a document is ingested again where former versions are kept, and the past has no damage to %s [19]",
    async (_, damage) => {
      const options = { history: true } as const;
      await fillNamed(options);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const first = await openKnowledgeBase(folder, options);
      await first.ingest({ uri: "stork.md", text: "The stork ate 5 fish." });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const before = new Date().toISOString();
      await first.close();
      const triggers = ["names_change", "metadata_change"].map(
        (name) => run(`SELECT sql FROM sqlite_schema WHERE name = '${name}'`)!["sql"] as string,
      );
      run("DROP TRIGGER names_change", "DROP TRIGGER metadata_change", damage, ...triggers);
      const kb = await openKnowledgeBase(folder, options);
      onTestFinished(() => kb.close());
      await expect(kb.search("heron", { mode: "lexical" })).rejects.toMatchObject(corrupt);
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (const uri of names)
        expect(await kb.ingest({ uri, text: `The ${uri} ate 3 fish.` })).toMatchObject({ failures: [] });
      await kb.ingest({ uri: "ibis.md", text: "The ibis ate 8 frogs." }, { scope: "team:red" });
      expect((await kb.document("heron.md"))?.text).toBe("The heron.md ate 3 fish.");
      // The damaged version is gone, and a version of another document stands where it stood.
      expect(await kb.document("heron.md", { asOf: before })).toBeUndefined();
      expect(await kb.versions("heron.md")).toHaveLength(1);
      expect((await kb.versions("stork.md")).length).toBeGreaterThan(1);
      expect((await kb.doctor()).findings).toEqual([]);
    },
  );

  it("stay refused where a row is written again with names that are false [19]", async () => {
    await fill();
    const row = "WHERE id = 'small'";
    const { sum } = run(`SELECT name_sum AS sum FROM documents ${row}`)!;
    run(`UPDATE documents SET title = 'The lion' ${row}`, `UPDATE documents SET name_sum = ${String(sum)} ${row}`);
    const store = await open();
    onTestFinished(() => store.close());
    await store.delete(into, { documentIds: ["small"] });
    await store.trash!.restore(into, { documentIds: ["small"] });
    await expect(store.document(from, "small")).rejects.toMatchObject(corrupt);
  });

  it("lead to a document of the same scope alone [L3 19]", async () => {
    await fillNamed();
    run("UPDATE chunks SET document = (SELECT key FROM documents WHERE uri = 'ibis.md') WHERE position = 0");
    const kb = await reopened();
    for (const mode of ["lexical", "regex"] as const)
      await expect(kb.as({ userId: "ada" }).search("heron", { mode })).rejects.toMatchObject(corrupt);
  });

  it("are as an earlier ibid of this format wrote them, in a file that it made or changes", async () => {
    await fillNamed();
    run(
      "DROP TRIGGER names_change",
      "DROP TRIGGER metadata_change",
      "ALTER TABLE chunks DROP COLUMN metadata_sum",
      "ALTER TABLE documents DROP COLUMN name_sum",
      "ALTER TABLE sayings DROP COLUMN sum",
    );
    const writer = new DatabaseSync(path);
    writer.exec("BEGIN IMMEDIATE");
    const early = await openKnowledgeBase(folder);
    expect(await early.search("heron", { mode: "lexical" })).toMatchObject([{ source: { uri: "heron.md" } }]);
    writer.exec("COMMIT");
    writer.close();
    await early.ingest({ uri: "crane.md", text: "The crane ate 1 frog." });
    await early.close();
    const kb = await reopened();
    expect((await kb.document("crane.md"))?.uri).toBe("crane.md");
    await kb.ingest({ uri: "heron.md", text: "The heron ate 3 fish." });
    expect(run("SELECT name_sum FROM documents WHERE uri = 'crane.md'")).toEqual({ name_sum: null });
    expect(run("SELECT name_sum FROM documents WHERE uri = 'heron.md'")).toEqual({
      name_sum: expect.any(Number) as number,
    });
    // An earlier ibid names no sum where it writes another name.
    run("UPDATE documents SET title = 'Another', uri = uri WHERE uri = 'heron.md'");
    expect((await kb.document("heron.md"))?.title).toBe("Another");
  });

  it("are checked as they were stored, with U+0000 and lone surrogates", async () => {
    const kb = await reopened();
    for (const title of ["a\u0000b", "\ud800 lone", "\ufeffmark", ""])
      await kb.ingest({ uri: `${encodeURIComponent(title.toWellFormed())}.md`, title, text: "The heron ate." });
    expect(await collect(kb.list())).toHaveLength(4);
    expect((await kb.doctor()).findings).toEqual([]);
  });
});

describe("metadata of a chunk", () => {
  it.each([
    ["short ones, in its row", { n: 1 }, "chunks", "metadata"],
    ["long ones, said once for the document", { place: "beside the river", n: 1 }, "sayings", "text"],
  ])("are refused where a value of theirs has changed, and the others are read: %s [19]", async (...given) => {
    const [, metadata, table, column] = given;
    const kb = await openKnowledgeBase(folder);
    for (const uri of ["heron.md", "stork.md"])
      await kb.ingest({ uri, text: `The ${uri.slice(0, 5)} ate 12 fish.`, metadata });
    await kb.close();
    const database = new DatabaseSync(path);
    const trigger = "SELECT sql FROM sqlite_schema WHERE name = 'metadata_change'";
    const { sql } = database.prepare(trigger).get() as { sql: string };
    database.exec("DROP TRIGGER metadata_change");
    expect(
      database
        .prepare(
          `UPDATE ${table} SET ${column} = replace(${column}, '"n":1', '"n":3')
            WHERE ${column} LIKE '%"n":1%' AND document = (SELECT key FROM documents WHERE uri = 'heron.md')`,
        )
        .run().changes,
    ).toBe(1);
    database.exec(sql);
    database.close();
    const again = await openKnowledgeBase(folder);
    onTestFinished(() => again.close());
    await expect(again.search("heron", { mode: "lexical" })).rejects.toMatchObject({
      code: "store-corrupt",
      uri: "heron.md",
    });
    expect(await again.search("stork", { mode: "lexical" })).toMatchObject([{ source: { uri: "stork.md" } }]);
    expect((await again.doctor()).findings.map(({ kind }) => kind)).toContain("damaged");
  });

  it("are as an earlier ibid wrote them, which names no sum", async () => {
    const kb = await openKnowledgeBase(folder);
    onTestFinished(() => kb.close());
    await kb.ingest({ uri: "heron.md", text: "The heron ate 12 fish.", metadata: { n: 1 } });
    const database = new DatabaseSync(path);
    database.exec(`UPDATE chunks SET metadata = '{"n":3}', document = document`);
    expect(database.prepare("SELECT metadata_sum FROM chunks").get()).toEqual({ metadata_sum: null });
    database.close();
    expect(await kb.search("heron", { mode: "lexical" })).toMatchObject([{ metadata: { n: 3 } }]);
  });
});

describe("an error of SQLite", () => {
  it("leaves in no call of a damaged file, whichever page it is; the doctor reports it [19]", async () => {
    const kb = await openKnowledgeBase(folder, { operations: { events: false } });
    await kb.ingest(
      Array.from({ length: 8 }, (_, i) => ({ uri: `${i}.md`, text: `# Heron ${i}\n\nHeron ${i} ate ${i} fish.` })),
      { settle: true },
    );
    await kb.close();
    const whole = readFileSync(path);
    const pageBytes = whole.readUInt16BE(16);
    let refused = 0;
    for (let page = 1; page < whole.length / pageBytes; page++) {
      const hurt = Buffer.from(whole);
      // The header of the page: where its cells are, and how many.
      hurt.fill(0xa5, page * pageBytes + 1, page * pageBytes + 8);
      writeFileSync(path, hurt);
      let again: KnowledgeBase | undefined;
      const calls: readonly (() => unknown)[] = [
        async () => (again = await openKnowledgeBase(folder, { operations: { events: false } })),
        () => again?.search("heron", { mode: "hybrid" }),
        () => again?.search("heron", { mode: "regex" }),
        () => again?.document("3.md"),
        () => again && collect(again.list({ sort: "title" })),
        () => again?.status(),
        async () => {
          const found = await again?.doctor({ absent: ["a word of no document"] });
          for (const { kind, hint } of found?.findings ?? []) expect([kind, hint]).toEqual(["damaged", hint]);
        },
        () => again?.ingest({ uri: "3.md", text: "Heron 3 sleeps." }),
        () => again?.delete("4.md", { purge: true }),
        () => again?.close(),
      ];
      for (const call of calls) {
        const failure = await failureOf(call);
        if (failure === undefined) continue;
        refused++;
        expect([page, String(call), failure]).toEqual([page, String(call), expect.any(IbidError)]);
        expect((failure as Error).message).not.toMatch(/heron/iu);
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it("is translated in every call of a connection, and while rows are read [19]", async () => {
    await fill();
    const whole = openDatabase(path);
    // More than JavaScript can hold: Node's message would quote it.
    whole.exec("PRAGMA ignore_check_constraints = ON; UPDATE clock SET stamp = 9223372036854775807");
    const number = whole.prepare("SELECT stamp FROM clock");
    for (const call of [() => number.get(), () => number.all(), () => [...number.iterate()]])
      expect(call).toThrow(
        expect.objectContaining({ code: "store-corrupt", message: expect.not.stringMatching(/9223/u) as string }),
      );
    whole.close();
    for (const call of [
      () => number.get(),
      () => whole.exec("SELECT 1"),
      () => whole.prepare("SELECT 1"),
      () => whole.close(),
    ])
      expect(call).toThrow(expect.objectContaining({ code: "store-closed" }));
    await expect(whole.copyTo(join(folder, "copy"))).rejects.toMatchObject({ code: "store-closed" });

    writeFileSync(path, "A heron is no database. ".repeat(1000));
    const other = openDatabase(path);
    onTestFinished(() => other.close());
    for (const call of [() => other.exec("SELECT * FROM chunks"), () => other.prepare("SELECT * FROM chunks")])
      expect(call).toThrow(expect.objectContaining({ code: "store-corrupt", uri: path }));
    await expect(other.copyTo(join(folder, "copy"))).rejects.toMatchObject({ code: "store-corrupt" });
    expect(() => openDatabase(join(folder, "no", "such"))).toThrow(expect.objectContaining({ code: "store-failed" }));
  });

  it("has one way in: no other file of the sources opens a database [19]", () => {
    const root = join(import.meta.dirname, "../../../src");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const opening = files.filter((file) =>
      /loadSqlite\(\)|import\("node:sqlite"\)/u.test(readFileSync(join(root, file), "utf8")),
    );
    // The engine over SQLite has the errors of an engine.
    expect(opening.map((file) => basename(file)).toSorted()).toEqual([
      "sqlite-database.ts",
      "sqlite-engine.ts",
      "sqlite-runtime.ts",
    ]);
  });
});

describe("a row that is no JSON any more", () => {
  const spoil = (file: string, sql: string): void => {
    const database = new DatabaseSync(join(folder, file));
    expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
    database.close();
  };
  const corrupt = { code: "store-corrupt", message: expect.not.stringContaining("heron") as string };

  it("of the queue is store-corrupt [19]", async () => {
    const kb = await openKnowledgeBase(folder);
    const queue = await openIngestionQueue(kb, folder, { concurrency: 0 });
    const id = await queue.enqueue({ uri: "heron.md", text: "A heron." });
    spoil("ibid.sqlite", `UPDATE jobs SET facts = '{"uri":"heron'`);
    await expect((async () => queue.status(id as string))()).rejects.toMatchObject(corrupt);
    await queue.close();
    await kb.close();
  });

  it("of the events is store-corrupt [19]", async () => {
    const kb = await openKnowledgeBase(folder, { operations: { events: true } });
    await kb.ingest({ uri: "heron.md", text: "A heron." });
    await kb.close();
    spoil("events.sqlite", `UPDATE events SET event = '{"heron' WHERE key = (SELECT min(key) FROM events)`);
    const again = await openKnowledgeBase(folder, { operations: { events: true } });
    await expect(again.events()[Symbol.asyncIterator]().next()).rejects.toMatchObject(corrupt);
    await again.close();
  });

  it("of a backup's list is refused with the folder's name [20]", async () => {
    await fill();
    const backup = join(folder, "..", `${basename(folder)}-backup`);
    onTestFinished(() => rmSync(backup, { recursive: true }));
    await backUpFolder(folder, backup);
    for (const text of ["{}", "null", "[]", '{"at":"x","format":1,"files":[null]}', "{"]) {
      writeFileSync(join(backup, "backup.json"), text);
      await expect(verifyBackup(backup)).rejects.toMatchObject({ code: "not-found", uri: backup });
    }
  });
});

describe("a row with a value of another kind than was written", () => {
  /** Every column of some tables, and the name that tells their rows apart. */
  function columnsOf(tables: readonly string[]): readonly string[] {
    const database = new DatabaseSync(path);
    const columns = tables.flatMap((table) =>
      database
        .prepare(`SELECT name FROM pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => `${table}.${String(name)}`),
    );
    database.close();
    return columns;
  }

  /** Puts a value into one row of a whole file, and makes every call. **Shape** how many calls were refused. */
  async function refusedWith(
    whole: Uint8Array,
    column: string,
    value: string,
    more: readonly ((kb: KnowledgeBase) => unknown)[] = [],
  ): Promise<number> {
    writeFileSync(path, whole);
    const [table, name] = column.split(".") as [string, string];
    const key = table === "fit_parts" ? "part" : "rowid";
    const spoilt = new DatabaseSync(path);
    try {
      spoilt.exec(
        `UPDATE OR REPLACE ${table} SET "${name}" = ${value} WHERE ${key} = (SELECT max(${key}) FROM ${table})`,
      );
    } catch {
      // SQLite itself refuses the value, or the table has no rowid.
      return 0;
    } finally {
      spoilt.close();
    }
    let again: KnowledgeBase | undefined;
    let refused = 0;
    for (const call of [
      async () => (again = await openKnowledgeBase(folder, { operations: { events: false } })),
      () => again?.search("heron", { mode: "lexical" }),
      () => again?.search("heron", { mode: "dense" }),
      () => again?.search("heron", { mode: "regex" }),
      () => again && collect(again.list({ sort: "title" })),
      () => again?.document("3.md"),
      ...more.map((call) => () => again && call(again)),
      () => again?.doctor(),
      () => again?.restore("0.md"),
      () => again?.ingest({ uri: "5.md", text: "Heron 5 sleeps." }, { settle: true }),
      () => again?.delete("3.md", { purge: true }),
      () => again?.close(),
    ]) {
      const failure = await failureOf(call);
      if (failure === undefined) continue;
      refused++;
      expect([column, value, String(call), failure]).toEqual([column, value, String(call), expect.any(IbidError)]);
      // An error names a chunk by its id, whatever that became.
      if (!["id", "key"].includes(name)) expect((failure as Error).message).not.toMatch(/heron \d|fish/iu);
    }
    return refused;
  }

  const values = [
    "x''",
    "x'00ff'",
    "randomblob(40)",
    "''",
    "'heron 3'",
    "1e300",
    "9223372036854775807",
    "-7",
    `'{"heron":3}'`,
  ];

  async function makeFile(documents: number): Promise<Uint8Array> {
    const kb = await openKnowledgeBase(folder, { operations: { events: false } });
    await kb.ingest(
      Array.from({ length: documents }, (_, i) => ({
        uri: `${i}.md`,
        text: `# Heron ${i}\n\nHeron ${i} ate ${i} fish.`,
      })),
      { settle: documents > 100 },
    );
    // Several documents come in any order. The last row is that of the one which the calls ask for.
    await kb.delete("3.md", { purge: true });
    await kb.ingest({ uri: "3.md", text: "# Heron 3\n\nHeron 3 ate 3 fish." });
    await kb.delete("0.md");
    await kb.close();
    return readFileSync(path);
  }

  /** Puts known values, which are refused, and then every value into every column of some tables; or one in sixty. */
  async function damageRows(
    whole: Uint8Array,
    tables: readonly string[],
    refused: readonly (readonly [column: string, value: string])[],
    more: readonly ((kb: KnowledgeBase) => unknown)[] = [],
  ): Promise<void> {
    for (const [column, value] of refused)
      expect([column, (await refusedWith(whole, column, value, more)) > 0]).toEqual([column, true]);
    const all = columnsOf(tables).flatMap((column) => values.map((value) => [column, value] as const));
    for (const [column, value] of sample(all, 60)) await refusedWith(whole, column, value, more);
  }

  it("is store-corrupt in every call, whichever column and value it is, and quotes nothing [19]", async () => {
    const tables = ["documents", "chunks", "blocks", "words", "sayings", "pending", "scopes", "settings"];
    await damageRows(await makeFile(4), tables, [
      ["documents.at", "''"],
      ["documents.structure_size", "x''"],
      ["documents.text_size", "1e300"],
      ["documents.uri", "x''"],
      ["pending.terms", "'heron 3'"],
      ["pending.vectors", "'heron 3'"],
      ["pending.vectors", "x'00ff'"],
    ]);
  });

  it("is store-corrupt in what is kept beside the documents: jobs, marks, the past, parts, folders, the clock [19]", async () => {
    const kb = await openKnowledgeBase(folder, { operations: { events: false }, history: true });
    for (const text of [
      "Heron 3 ate 3 fish.",
      "Heron 3 ate 4 fish.",
      `Heron 3 ate fish. ${"It waits. ".repeat(4000)}`,
    ]) {
      await kb.ingest({ uri: "herons/3.md", text: `# Heron\n\n${text}` }, { settle: false });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await kb.ingest({ uri: "0.md", text: "Heron 0." });
    await kb.delete("0.md");
    await kb.restore("0.md");
    const queue = await openIngestionQueue(kb, folder, { concurrency: 0 });
    await queue.enqueue({ uri: "4.md", text: "Heron 4 ate 4 fish." });
    await queue.close();
    await kb.close();
    const database = new DatabaseSync(path);
    database.exec(
      "INSERT OR REPLACE INTO marks SELECT key, '2026-01-01T00:00:00.000Z', 'heron 3', NULL FROM documents",
    );
    database.close();
    const whole = readFileSync(path);
    const tables = ["jobs", "marks", "former_versions", "text_parts", "folder_counts", "clock"];
    expect(columnsOf(tables).length).toBeGreaterThan(40);
    const queued = async (again: KnowledgeBase): Promise<void> => {
      const jobs = await openIngestionQueue(again, folder, { concurrency: 0 });
      try {
        await jobs.status(jobs.idOf("4.md"));
        await collect(jobs.list());
      } finally {
        await jobs.close();
      }
    };
    const worked = async (again: KnowledgeBase): Promise<void> => {
      const jobs = await openIngestionQueue(again, folder);
      try {
        // A job may be due at the end of time.
        await Promise.race([jobs.drained(), new Promise((resolve) => setTimeout(resolve, 30))]);
      } finally {
        await jobs.close();
      }
    };
    await damageRows(
      whole,
      tables,
      [["jobs.facts", "x'00ff'"]],
      [
        (again) => again.versions("herons/3.md"),
        (again) => again.folders(),
        (again) => again.search("heron", { asOf: new Date().toISOString() }),
        (again) => again.document("herons/3.md"),
        (again) => again.document("herons/3.md", { start: 30_000, end: 30_010 }),
        queued,
        worked,
      ],
    );
  });

  it("is store-corrupt in the events [19]", async () => {
    const file = join(folder, "events.sqlite");
    const kb = await openKnowledgeBase(folder, { operations: { events: true } });
    await kb.ingest({ uri: "heron.md", text: "Heron 3 ate fish." });
    await kb.search("heron");
    await kb.close();
    const whole = readFileSync(file);
    const named = new DatabaseSync(file);
    const columns = named
      .prepare(
        "SELECT m.name AS t, i.name AS c FROM sqlite_schema m, pragma_table_info(m.name) i WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'",
      )
      .all();
    named.close();
    expect(columns.length).toBeGreaterThan(2);
    let refused = 0;
    for (const { t, c } of columns)
      for (const value of values) {
        writeFileSync(file, whole);
        for (const rest of ["-wal", "-shm"]) rmSync(file + rest, { force: true });
        const spoilt = new DatabaseSync(file);
        try {
          spoilt.exec(`UPDATE OR REPLACE ${String(t)} SET "${String(c)}" = ${value}`);
        } catch {
          continue;
        } finally {
          spoilt.close();
        }
        let again: KnowledgeBase | undefined;
        for (const call of [
          async () => (again = await openKnowledgeBase(folder, { operations: { events: true } })),
          () => again && collect(again.events()),
          () => again?.health(),
          () => again?.search("heron"),
          () => again?.doctor(),
          () => again?.close(),
        ]) {
          const failure = await failureOf(call);
          if (failure === undefined) continue;
          refused++;
          expect([t, c, value, failure]).toEqual([t, c, value, expect.any(IbidError)]);
          expect((failure as Error).message).not.toMatch(/heron 3|fish/iu);
        }
      }
    expect(refused).toBeGreaterThan(0);
  });

  it("is store-corrupt in a sealed segment, its files and the fitted model too [19]", async () => {
    const whole = await makeFile(300);
    const tables = ["segments", "files", "fits", "fit_parts"];
    expect(columnsOf(tables).length).toBeGreaterThan(20);
    await damageRows(whole, tables, [
      ["segments.size", "-7"],
      ["segments.state", "''"],
      ["segments.lengths", "1e300"],
      ["segments.columns", `'{"heron":3}'`],
      ["files.data", "'heron 3'"],
      // It never ended: no fit had the name that it was looked for by.
      ["fits.fingerprint", "x''"],
      ["fit_parts.data", "'heron 3'"],
    ]);
  });
});

it("what a document says of its readers and its time is kept and returned", async () => {
  const said = {
    readers: ["engineering", "board"],
    validFrom: "2026-01-01T00:00:00.000Z",
    validTo: "2026-12-31T00:00:00.000Z",
    supersedes: "old.md",
  };
  const store = await open();
  await store.replace(into, { ...documentEntry("d", ["ash"]), ...said });
  await store.replace(into, documentEntry("e", ["ash"]));
  await store.close();
  const again = await open();
  expect((await again.document(from, "d"))?.summary).toMatchObject(said);
  expect(Object.keys((await again.document(from, "e"))!.summary)).not.toContain("readers");
  await again.close();
});

import { writeChunks } from "../../../src/testing/store-fixtures.ts";
import { searchVectors, searchWords } from "../../support/search-legs.ts";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { isInFiles } from "../../support/on-disk.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkRuntime } from "../../../src/stores/sqlite/sqlite-runtime.ts";
import { openSqliteEventStore } from "../../../src/stores/sqlite/sqlite-event-store.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import type { Analyzer } from "../../../src/contracts/analyzer.ts";
import { documentEntry, entry, plainAnalyzer, read, system, three, write } from "../build.ts";

const from = read("deployment");
const into = write("deployment");

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-sqlite-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

const open = (options: object = {}) => openSqliteStore(path, { analyzer: plainAnalyzer, ...options });

const isOnDisk = (text: string): boolean => isInFiles(folder, text);

/** A file as the code of format 6 left it. */
function putEarlier(name: string): void {
  writeFileSync(path, gunzipSync(readFileSync(new URL(`../../fixtures/format-6/${name}.gz`, import.meta.url))));
}

describe("a file that is not ours", () => {
  it("is refused as what it is, and left as it was [L8]", async () => {
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
    other.close();
    const before = readFileSync(path);
    await expect(open()).rejects.toMatchObject({
      code: "store-corrupt",
      message: expect.stringContaining("another application") as string,
    });
    expect(readFileSync(path)).toEqual(before);

    writeFileSync(path, "These are notes, not a database. ".repeat(100));
    await expect(open()).rejects.toMatchObject({
      code: "store-corrupt",
      message: expect.stringContaining("not a SQLite database") as string,
    });
    expect(readFileSync(path, "utf8")).toMatch(/^These are notes/u);
    expect(readdirSync(folder)).toEqual(["ibid.sqlite"]);
  });

  it("nor is one of a later version touched [L8]", async () => {
    await (await open()).close();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const before = readFileSync(path);
    await expect(open()).rejects.toMatchObject({
      code: "store-corrupt",
      message: expect.stringContaining("later version") as string,
    });
    expect(readFileSync(path)).toEqual(before);
  });

  it("one of an earlier version is brought up to date, and found in as before [L8]", async () => {
    putEarlier("two.sqlite");
    const database = new DatabaseSync(path);
    // As version 1 had it; its terms were made in another way, and were written in another.
    database.exec(`ALTER TABLE pending ADD COLUMN length INTEGER NOT NULL DEFAULT 2;
      UPDATE pending SET terms = x'0201015b2261225d'; UPDATE settings SET value = 'names and text/' || value WHERE name = 'analyzer';
      DROP INDEX chunks_by_text; ALTER TABLE chunks DROP COLUMN text_key; DELETE FROM settings WHERE name = 'chunks have text keys';
      DROP TABLE fits; DROP TABLE fit_parts; DROP TABLE marks; PRAGMA user_version = 1;`);
    database.close();
    const again = await open();
    const { matches } = await searchWords(again, from, { text: "birch" });
    expect(matches.map(({ chunk }) => chunk.id)).toEqual(["a"]);
    await again.close();
    const after = new DatabaseSync(path);
    expect(after.prepare("PRAGMA user_version").get()).toEqual({ user_version: 7 });
    expect(after.prepare("SELECT count(*) AS n FROM pragma_table_info('pending') WHERE name = 'length'").get()).toEqual(
      { n: 0 },
    );
    after.close();
  });

  it("one without marks gets them: its documents were last looked at when they were ingested [E16 L8]", async () => {
    putEarlier("one.sqlite");
    const database = new DatabaseSync(path);
    database.exec(`DROP INDEX chunks_by_text; ALTER TABLE chunks DROP COLUMN text_key;
      DROP TABLE marks; PRAGMA user_version = 2;`);
    database.close();
    const again = await open();
    const look = async () => (await again.document(from, "d"))?.summary;
    const before = await look();
    expect(before?.checkedAt).toBe(before?.ingestedAt);
    await again.touch(into, "d", { checkedAt: "2999-01-01T00:00:00.000Z", validators: { etag: '"1"' } });
    expect(await look()).toEqual({ ...before, checkedAt: "2999-01-01T00:00:00.000Z", validators: { etag: '"1"' } });
    await again.delete(into, { documentIds: ["d"] }, { purge: true });
    await again.close();
    const after = new DatabaseSync(path);
    expect(after.prepare("SELECT count(*) AS n FROM marks").get()).toEqual({ n: 0 });
    after.close();
  });

  it("a damaged file says so", async () => {
    const store = await open();
    for (let i = 0; i < 20; i++) await store.replace(into, documentEntry(`d${i}`, ["ash ".repeat(800)]));
    await store.close();
    truncateSync(path, 8192);
    const damaged = open().then(async (again) => {
      try {
        await searchWords(again, from, { text: "ash" });
      } finally {
        await again.close();
      }
    });
    await expect(damaged).rejects.toMatchObject({ code: "store-corrupt" });
  });

  it("an empty file, as one that was killed while it was made, becomes ours", async () => {
    writeFileSync(path, "");
    const store = await open();
    await writeChunks(store, into, [entry("a", "ash")]);
    expect((await store.status(from)).chunks).toBe(1);
    await store.close();
  });
});

describe("a place that cannot be written to", () => {
  it("is named [L8]", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(openSqliteStore(join(folder, "file", "ibid.sqlite"))).rejects.toMatchObject({ code: "store-failed" });
    for (const place of [" ", ":memory:", "file:kb.sqlite"])
      await expect(openSqliteStore(place)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(openSqliteStore(path, { limit: 1 } as object)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(existsSync(path)).toBe(false);
  });

  it("is read all the same, and only writing fails", async () => {
    const written = await openSqliteStore(path);
    await writeChunks(written, into, [entry("a", "ash birch")]);
    await written.close();
    const events = await openSqliteEventStore(join(folder, "events.sqlite"));
    await events.append([{ at: Date.now(), name: "KnowledgeFlushed", scopes: [], data: { latencyMs: 1 } }]);
    await events.close();
    chmodSync(folder, 0o555);
    const script = `
      import { openSqliteStore } from ${JSON.stringify(join(import.meta.dirname, "../../../src/stores/sqlite/sqlite-store.ts"))};
      import { openSqliteEventStore } from ${JSON.stringify(join(import.meta.dirname, "../../../src/stores/sqlite/sqlite-event-store.ts"))};
      import { createGate, operator } from ${JSON.stringify(join(import.meta.dirname, "../../../src/access/gate.ts"))};
      import { searchWords } from ${JSON.stringify(join(import.meta.dirname, "../../support/search-legs.ts"))};
      const store = await openSqliteStore(${JSON.stringify(path)});
      const gate = createGate();
      const { matches } = await searchWords(store, gate.read(operator, ["deployment"]), { text: "birch" });
      await store.delete(gate.write(operator, "deployment"), { ids: ["a"] }).catch((error) => console.log(error.code));
      await store.close();
      const events = await openSqliteEventStore(${JSON.stringify(join(folder, "events.sqlite"))}, { readOnly: true });
      for await (const { name } of events.read()) console.log(name);
      await events.close();
      console.log(matches.map(({ chunk }) => chunk.text).join());`;
    // Root may write anywhere, so the attempt is made as nobody.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const said = execFileSync(process.execPath, ["--input-type=module-typescript", "-e", script], {
      ...nobody,
      encoding: "utf8",
      cwd: "/",
    });
    expect(said.trim().split("\n")).toEqual(["store-failed", "KnowledgeFlushed", "ash birch"]);
  });
});

describe("what was deleted for good", () => {
  it("is in no file any more: not in rows, postings, the log or free pages [L8 T15]", async () => {
    const store = await open({ segments: { sealAt: 4 } });
    const paragraphs = ["secretword one", "two secretword", "three", "four", "five secretword six"];
    await store.replace(
      into,
      documentEntry("d", paragraphs, { embed: (text) => [text.length, 0, 1], document: { title: "secretword" } }),
    );
    await store.replace(into, documentEntry("e", ["kept words", "more of it", "then again", "some"]));
    // An older version of the same document, superseded and then purged with it.
    await store.replace(into, documentEntry("d", ["secretword again", ...paragraphs.slice(1)]));
    expect(isOnDisk("secretword")).toBe(true);
    expect((await store.delete(into, { documentIds: ["d"] }, { purge: true })).chunks).toBe(5);
    expect(isOnDisk("secretword")).toBe(false);
    expect(isOnDisk("kept words")).toBe(true);
    expect(
      (await searchWords(store, from, { text: "kept secretword" })).matches.map(({ chunk: { id } }) => id),
    ).toEqual(["e-kept"]);
    await store.close();
  });

  it("also after a vacuum, and when a whole scope is wiped [L8 T14 T15]", async () => {
    const store = await open({ segments: { sealAt: 2 } });
    await writeChunks(store, into, [
      entry("a", "hiddenword", [1, 2]),
      entry("b", "other"),
      entry("c", "hiddenword too"),
    ]);
    await store.delete(into, { documentIds: ["of a", "of c"] });
    expect(isOnDisk("hiddenword")).toBe(true);
    await store.trash!.vacuum(system, { olderThanMs: 0 });
    expect(isOnDisk("hiddenword")).toBe(false);
    const team = write("team:vanishing");
    await writeChunks(store, team, [entry("a", "wipedword"), entry("b", "wipedword"), entry("c", "wipedword")]);
    await store.delete(team, { scope: true });
    expect(isOnDisk("wipedword")).toBe(false);
    expect(isOnDisk("team:vanishing")).toBe(false);
    await store.close();
  });

  it("is gone as soon as a reader that held on to it lets go [L8]", async () => {
    const store = await open();
    await writeChunks(store, into, [entry("a", "pinnedword")]);
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM chunks").get();
    await store.delete(into, { documentIds: ["of a"] }, { purge: true });
    expect(isOnDisk("pinnedword")).toBe(true);
    reader.exec("COMMIT");
    reader.close();
    await store.upkeep!.settle();
    expect(isOnDisk("pinnedword")).toBe(false);
    await store.close();
  });
});

describe("two connections to one file", () => {
  it("see at once what the other commits: scopes, moments, titles and totals [L1 L11]", async () => {
    const [one, other] = [await open(), await open()];
    const seen = async () => {
      const session = await one.session(from);
      const [leg] = session.legs;
      const query = { question: "ash", text: "ash", syntax: "literal", embeddings: [] } as const;
      const { matches, stale } = await leg!.search(query, "all");
      expect(stale).toBe(false);
      const read = await session.readChunks(matches, { totals: true });
      return {
        scopes: await one.scopes(system),
        stamp: session.moment.stamps.get("deployment")?.stamp ?? 0,
        found: read.map((each) => `${each?.chunk.title}: ${each?.chunk.text}, of ${each?.total}`),
      };
    };
    expect(await seen()).toEqual({ scopes: [], stamp: 0, found: [] });
    expect(await seen()).toEqual({ scopes: [], stamp: 0, found: [] });
    for (const [i, store] of [other, one, other].entries()) {
      const paragraphs = ["ash", ...Array.from({ length: i }, (_, n) => `oak${n}`)];
      await store.replace(into, documentEntry("d", paragraphs, { document: { title: `edition ${i}` } }));
      const now = { scopes: ["deployment"], stamp: i + 1, found: [`edition ${i}: ash, of ${i + 1}`] };
      expect(await seen()).toEqual(now);
      expect(await seen()).toEqual(now);
    }
    await other.delete(into, { scope: true });
    expect(await seen()).toEqual({ scopes: [], stamp: 0, found: [] });
    await one.close();
    await other.close();
  });
});

describe("while another process holds the lock", () => {
  it("reads go on, writes wait, and the event loop is free [L8]", async () => {
    const store = await open();
    await writeChunks(store, into, [entry("a", "ash")]);
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    let written = false;
    const writing = writeChunks(store, into, [entry("b", "ash")]).then(() => (written = true));
    let turns = 0;
    for (; turns < 5; turns++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await searchWords(store, from, { text: "ash" })).matches).toHaveLength(1);
    }
    expect(written).toBe(false);
    holder.exec("ROLLBACK");
    holder.close();
    await writing;
    expect((await searchWords(store, from, { text: "ash" })).matches).toHaveLength(2);
    await store.close();
  });

  it("a write that waits too long says so, and opening for reading still works [L8]", async () => {
    await (await open()).close();
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    const store = await open({ busyTimeoutMs: 20 });
    expect(await searchVectors(store, from, {})).toEqual([]);
    await expect(writeChunks(store, into, [entry("a", "ash")])).rejects.toMatchObject({ code: "store-busy" });
    holder.exec("ROLLBACK");
    holder.close();
    await writeChunks(store, into, [entry("a", "ash")]);
    await store.close();
  });
});

describe("another analyzer", () => {
  const letters: Analyzer = {
    fingerprint: "test/letters",
    analyze: (text) =>
      text
        .toLowerCase()
        .split("")
        .filter((letter) => letter !== " "),
  };

  it("has every chunk analysed again, sealed or not, deleted or not; vectors stay [L11]", async () => {
    const first = await open({ segments: { sealAt: 4 } });
    await writeChunks(
      first,
      into,
      ["ash", "birch", "cedar", "elm", "fir"].map((text) => entry(text, text, [text.length, 1], { title: "Wood" })),
    );
    await first.delete(into, { ids: ["elm"] });
    await first.close();

    const second = await open({ analyzer: letters, segments: { sealAt: 4 }, bm25: { fileWeight: 0 } });
    const find = async (text: string) =>
      (await searchWords(second, from, { text, topK: "all" })).matches.map(({ chunk: { id } }) => id).sort();
    expect(await find("h")).toEqual(["ash", "birch"]);
    expect(await find("f")).toEqual(["fir"]);
    expect(await find("w")).toEqual(["ash", "birch", "cedar", "fir"]);
    expect(await find("m")).toEqual([]);
    await second.trash!.restore(into, { ids: ["elm"] });
    expect(await find("m")).toEqual(["elm"]);
    const near = await searchVectors(second, from, {
      embedding: [3, 1],
      version: { ...three, dimensions: 2 },
      topK: "all",
    });
    expect(near.map(({ chunk: { id } }) => id)).toEqual(["ash", "elm", "fir", "birch", "cedar"]);
    await second.close();
  });

  it("or another way to make terms of what it finds has the same effect, once [L11]", async () => {
    let analysed = 0;
    const counting: Analyzer = {
      fingerprint: plainAnalyzer.fingerprint,
      analyze: (text) => (analysed++, plainAnalyzer.analyze(text)),
    };
    const first = await open();
    await writeChunks(first, into, [entry("a", "ash")]);
    await first.close();
    await (await open({ analyzer: counting })).close();
    expect(analysed).toBe(0);

    // What a version wrote that made terms in another way.
    const file = new DatabaseSync(path);
    file.prepare("UPDATE settings SET value = ? WHERE name = 'analyzer'").run(plainAnalyzer.fingerprint);
    file.close();
    await (await open({ analyzer: counting })).close();
    expect(analysed).toBeGreaterThan(0);
    analysed = 0;
    await (await open({ analyzer: counting })).close();
    expect(analysed).toBe(0);
  });

  it("in another process is told to whoever still has the old one [L11]", async () => {
    const old = await open();
    await writeChunks(old, into, [entry("a", "ash")]);
    const young = await open({ analyzer: letters });
    await expect(searchWords(old, from, { text: "ash" })).rejects.toMatchObject({ code: "store-failed" });
    await expect(writeChunks(old, into, [entry("b", "ash")])).rejects.toMatchObject({ code: "store-failed" });
    await old.close();
    await young.close();
  });
});

describe("what runs us", () => {
  it("must be a Node whose SQLite does not lose data [L8]", () => {
    const refusal = (versions: object): unknown => {
      try {
        checkRuntime(versions);
        return undefined;
      } catch (error) {
        return error;
      }
    };
    expect(refusal({ node: "20.20.2", sqlite: "3.46.1" })).toMatchObject({
      code: "unsupported-runtime",
      message: "ibid needs Node.js 22.23.3 or newer and found 20.20.2.",
    });
    expect(refusal({ node: "22.23.2" })).toMatchObject({ code: "unsupported-runtime" });
    expect(refusal({})).toMatchObject({ code: "unsupported-runtime" });
    expect(refusal({ node: "24.0.0", sqlite: "3.49.1" })).toMatchObject({
      code: "unsupported-runtime",
      message: expect.stringContaining("3.49.1") as string,
    });
    expect(refusal({ node: "22.23.3", sqlite: "3.51.3" })).toBeUndefined();
    expect(refusal({ node: "26.1.0", sqlite: "3.53.0" })).toBeUndefined();
  });
});

describe("texts of every kind", () => {
  it("come back as they went in [L1]", async () => {
    const store = await open();
    const texts = [
      "naïve café",
      "日本語のテキスト",
      "emoji 👩‍👩‍👧‍👦 family",
      "nul \u0000 inside",
      "line\nbreak\ttab",
      "'; DROP TABLE chunks; --",
      "\u{1F600}",
    ];
    await store.replace(into, documentEntry("d", texts));
    await writeChunks(
      store,
      into,
      texts.map((text, i) => entry(`alone-${i}'"`, text, undefined, { metadata: { ["k'\"é"]: text } })),
    );
    for (const [i, text] of texts.entries()) {
      const [found] = await searchVectors(store, from, { chunkIds: [`alone-${i}'"`] });
      expect(found?.chunk.text).toBe(text);
      expect(found?.chunk.metadata).toEqual({ ["k'\"é"]: text });
    }
    expect((await store.document(from, "d"))?.document.text).toBe(texts.join("\n\n"));
    await store.close();
  });
});

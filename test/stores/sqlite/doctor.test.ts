import { writeChunks } from "../../../src/testing/store-fixtures.ts";
import { searchLatent, searchPattern, searchVectors, searchWords } from "../../support/search-legs.ts";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteEventStore } from "../../../src/stores/sqlite/sqlite-event-store.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import type { FindingKind } from "../../../src/contracts/diagnosis.ts";
import type { Store } from "../../../src/contracts/store.ts";
import type { SystemAuthority } from "../../../src/contracts/scope.ts";
import { collect, documentEntry, entry, plainAnalyzer, read, system, three, write } from "../build.ts";
import { watchedModel } from "../topics.ts";

const into = write("deployment");
const from = read("deployment");

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-doctor-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () =>
  openSqliteStore(path, {
    analyzer: plainAnalyzer,
    corpusModel: watchedModel(12),
    segments: { sealAt: 8, settleAt: 8 },
  });
const embed = (text: string) => [text.length, 2, 1];

/** Sealed segments, a tail, a fit, something deleted and something replaced. */
async function fill(): Promise<void> {
  const store = await open();
  for (let i = 0; i < 7; i++)
    await store.replace(into, documentEntry(`d${i}`, [`ash number${i}`, `birch and${i} elm`, `oak ${i}`], { embed }));
  await store.upkeep!.settle();
  await store.replace(into, documentEntry("d0", ["ash number0", "quite another thing"], { embed }));
  await store.replace(into, documentEntry("late", ["yew and fir"], { embed }));
  await store.delete(into, { documentIds: ["d1"] });
  await writeChunks(store, write("team:a"), [entry("t", "alder")]);
  // A repair settles, too: the fit is of what is there before one and after.
  await store.upkeep!.settle();
  await store.close();
}

function tamper(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** Everything a search could tell. */
async function answers(store: Store): Promise<unknown> {
  return {
    status: await store.status(read("deployment", "team:a")),
    chunks: await collect(store.chunks(from, { includeEmbeddings: true })),
    words: await searchWords(store, from, { text: "ash birch oak yew number3", topK: "all" }),
    dense: await searchVectors(store, from, { embedding: [9, 2, 1], version: three, topK: "all" }),
    latent: await searchLatent(store, from, { text: "ash birch", topK: "all" }),
  };
}

const aSealed = "(SELECT min(key) FROM segments)";

/** Each fault as somebody's bug, a torn copy or a bad disk could leave it, what it is called, and whether all comes back when it is fixed. */
const faults: readonly (readonly [name: string, sql: string, kinds: readonly FindingKind[], whole: boolean])[] = [
  [
    "a segment is gone",
    `DELETE FROM files WHERE segment = ${aSealed}; DELETE FROM segments WHERE key = ${aSealed}`,
    ["unindexed"],
    false,
  ],
  [
    "a segment is gone and its files are not",
    `DELETE FROM segments WHERE key = ${aSealed}`,
    ["orphan", "unindexed"],
    false,
  ],
  [
    "postings are gone",
    `DELETE FROM files WHERE segment = ${aSealed} AND name = 'postings'`,
    ["indexed-wrongly", "unindexed"],
    true,
  ],
  [
    "postings are another's",
    `UPDATE files SET data = (SELECT data FROM files WHERE name = 'postings' ORDER BY segment DESC LIMIT 1) WHERE segment = ${aSealed} AND name = 'postings'`,
    ["indexed-wrongly"],
    true,
  ],
  [
    "vectors are gone",
    `DELETE FROM files WHERE segment = ${aSealed} AND name LIKE 'dense/%'`,
    ["indexed-wrongly"],
    false,
  ],
  [
    "vectors of the store's own model are another's",
    `UPDATE files SET data = zeroblob(length(data)) WHERE segment = ${aSealed} AND name = 'codes/' || (SELECT j.key FROM segments, json_each(segments.columns) j WHERE segments.key = ${aSealed} AND j.value ->> 'version' LIKE '["ibid"%')`,
    ["indexed-wrongly"],
    true,
  ],
  [
    "vectors are shorter than their version says",
    "UPDATE segments SET columns = replace(columns, '\"dimensions\":3', '\"dimensions\":2')",
    ["wrong-dimensions"],
    false,
  ],
  [
    "a vector's version says more",
    "UPDATE segments SET columns = replace(columns, 'three\\\",3', 'three\\\",4')",
    ["wrong-dimensions"],
    false,
  ],
  [
    "a waiting row is gone",
    "DELETE FROM pending WHERE key = (SELECT max(key) FROM pending WHERE scope = 1)",
    ["unindexed"],
    false,
  ],
  [
    "a waiting row cannot be read",
    "UPDATE pending SET terms = x'ff' WHERE key = (SELECT max(key) FROM pending WHERE scope = 1)",
    ["indexed-wrongly", "unindexed"],
    true,
  ],
  [
    "a chunk's row is gone",
    "DELETE FROM chunks WHERE key = (SELECT min(key) FROM chunks WHERE document = (SELECT key FROM documents WHERE id = 'd5'))",
    ["indexed-wrongly"],
    false,
  ],
  [
    "a deleted chunk counts as live",
    "UPDATE chunks SET deleted_at = 5 WHERE document = (SELECT key FROM documents WHERE id = 'd4'); UPDATE documents SET deleted_at = 5 WHERE id = 'd4'",
    ["indexed-wrongly"],
    false,
  ],
  ["a document's row is gone", "DELETE FROM documents WHERE id = 'd3'", ["orphan"], false],
  ["a scope's row is gone", "DELETE FROM scopes WHERE scope = 'team:a'", ["orphan"], false],
  ["marks of nothing", "INSERT INTO marks VALUES (999, 'x', NULL, NULL)", ["orphan"], true],
  ["parts of no fit", "INSERT INTO fit_parts VALUES (999, 0, x'00')", ["orphan"], true],
  ["a fit is gone, and its vectors are not", "DELETE FROM fit_parts; DELETE FROM fits", ["stale-version"], false],
  ["a purge was not finished", "INSERT INTO settings VALUES ('purge owed since', '1')", ["unfinished-purge"], true],
];

describe("the doctor", () => {
  it("finds nothing where nothing is wrong, and only the operator's authority may ask [L3 L8]", async () => {
    await fill();
    const store = await open();
    const diagnosis = await store.upkeep!.examine(system);
    expect(diagnosis).toMatchObject({ healthy: true, findings: [], checked: { documents: 8 } });
    // 6 documents of 3, one of 2, and two of 1, one of them a team's.
    expect(diagnosis.checked.chunks).toBe(6 * 3 + 2 + 1 + 1);
    expect(diagnosis.residue).toBeGreaterThan(0);
    await store.trash!.vacuum(system, { olderThanMs: 0 });
    expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true, residue: 0 });
    await expect(store.upkeep!.examine({} as SystemAuthority)).rejects.toMatchObject({ code: "access-denied" });
    await store.close();
  });

  it.each(faults)("finds that %s, and mends it [L6 L8]", async (_name, sql, kinds, whole) => {
    await fill();
    const before = await open();
    const expected = await answers(before);
    await before.close();
    tamper(sql);
    const found: FindingKind[] = [];
    // Whoever opens a store finishes a purge: to be seen it must be looked at by somebody who had it open.
    const store = await open();
    if (kinds.includes("unfinished-purge")) tamper(sql);
    const diagnosis = await store.upkeep!.examine(system);
    for (const { kind } of diagnosis.findings) if (!found.includes(kind)) found.push(kind);
    expect(found.toSorted()).toEqual(expect.arrayContaining([...kinds]));
    expect(diagnosis.healthy).toBe(false);
    expect(diagnosis.findings.every(({ fixed }) => !fixed)).toBe(true);
    // What was asked changes nothing.
    expect((await store.upkeep!.examine(system)).findings).toEqual(diagnosis.findings);

    const fixed = await store.upkeep!.examine(system, { fix: true });
    const left = fixed.findings.filter((finding) => !finding.fixed);
    expect(left.filter(({ kind }) => kind !== "missing-vectors")).toEqual([]);
    await store.close();
    const again = await open();
    const after = await again.upkeep!.examine(system);
    expect(after.findings.filter(({ kind }) => kind !== "missing-vectors")).toEqual([]);
    const now = await answers(again);
    expect([whole, now]).toEqual([whole, whole ? expected : now]);
    await again.close();
  });

  it("tells which vectors are lost, and an ingestion brings them back [L6]", async () => {
    await fill();
    tamper(
      "DELETE FROM pending WHERE scope = 1 AND key = (SELECT max(key) FROM chunks WHERE document = (SELECT key FROM documents WHERE id = 'd0'))",
    );
    const store = await open();
    const fixed = await store.upkeep!.examine(system, { fix: true });
    expect(fixed.findings.map(({ kind, fixed: is }) => [kind, is])).toContainEqual(["unindexed", true]);
    expect(fixed.findings.find(({ kind }) => kind === "missing-vectors")).toMatchObject({ count: 1, fixed: false });
    expect(fixed.healthy).toBe(false);
    await store.replace(into, documentEntry("d0", ["ash number0", "quite another thing"], { embed }));
    expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true });
    await store.close();
  });

  it("looks for texts in the bytes of every file: what is held may stand there, what was purged not [L8]", async () => {
    const store = await open();
    await store.replace(
      into,
      documentEntry("d", ["the silver lantern hangs", "in the hall"], {
        embed,
        document: { title: "the silver lantern hangs" },
      }),
    );
    await store.replace(into, documentEntry("e", ["the silver spoon"], { embed }));
    const absent = ["the silver lantern hangs", "nothing of the kind"];
    const before = await store.upkeep!.examine(system, { absent });
    expect(before).toMatchObject({ healthy: true, sought: ["held", "absent"] });
    expect((await store.upkeep!.examine(system)).sought).toBeUndefined();
    await store.delete(into, { documentIds: ["d"] });
    expect((await store.upkeep!.examine(system, { absent })).sought).toEqual(["held", "absent"]);
    // Its runs stand in two documents, and nowhere together.
    const mixed = await store.upkeep!.examine(system, { absent: ["the silver"] });
    expect(mixed.sought).toEqual(["held"]);
    await store.trash!.restore(into, { documentIds: ["d"] });
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM chunks").get();
    await store.delete(into, { documentIds: ["d"] }, { purge: true });
    expect(await store.upkeep!.scrub(system)).toBe(false);
    const held = await store.upkeep!.examine(system, { absent });
    expect(new Set(held.findings.map(({ kind }) => kind))).toEqual(new Set(["trace", "unfinished-purge"]));
    expect(held.sought).toEqual(["left", "absent"]);
    expect(JSON.stringify(held)).not.toContain("lantern");
    reader.close();
    expect(await store.upkeep!.scrub(system)).toBe(true);
    const after = await store.upkeep!.examine(system, { absent });
    expect(after).toMatchObject({ healthy: true, findings: [], sought: ["absent", "absent"] });
    // A file beside the database counts too, also when the text lies across what is read at once.
    writeFileSync(
      `${path}-copy`,
      Buffer.concat([Buffer.alloc(16 * 1024 * 1024 - 5, 1), Buffer.from("silver lantern")]),
    );
    const copied = await store.upkeep!.examine(system, { absent: ["silver lantern"] });
    expect(copied.findings).toMatchObject([{ kind: "trace", fixed: false }]);
    await expect(store.upkeep!.examine(system, { absent: ["short"] })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    await store.close();
  });

  it("holds the index for patterns against the texts, and makes it anew [L8]", async () => {
    await fill();
    let store = await open();
    const digits = { pattern: "number\\d", topK: "all" } as const;
    const before = await searchPattern(store, from, digits);
    await store.close();
    tamper("UPDATE files SET data = zeroblob(length(data)) WHERE name = 'trigrams' AND part > 0");
    store = await open();
    expect((await store.upkeep!.examine(system)).findings.map(({ kind }) => kind)).toEqual(["indexed-wrongly"]);
    expect((await searchPattern(store, from, digits)).length).toBeLessThan(before.length);
    expect((await store.upkeep!.examine(system, { fix: true })).healthy).toBe(true);
    expect(await searchPattern(store, from, digits)).toEqual(before);
    await store.close();
  });

  it("counts what a fit still has of replaced texts as residue, and a vacuum takes it out [L8]", async () => {
    const store = await open();
    for (let i = 0; i < 12; i++)
      await store.replace(into, documentEntry(`d${i}`, ["ash passing", "birch elm"], { embed }));
    await store.upkeep!.settle();
    expect((await store.upkeep!.examine(system)).residue).toBe(0);
    for (let i = 0; i < 12; i++) await store.replace(into, documentEntry(`d${i}`, ["ash", "birch elm"], { embed }));
    expect((await store.upkeep!.examine(system)).residue).toBe(1);
    await store.trash!.vacuum(system, { olderThanMs: 0 });
    expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true, residue: 0 });
    await store.close();
  });

  it("finds jobs of documents that are gone, and not those that wait [L8]", async () => {
    await fill();
    const store = await open();
    const job =
      "INSERT INTO jobs (id, scope, document, state, attempts, due_at, revision, size, enqueued_at, updated_at, facts, result)";
    const done = (id: string, document: string) =>
      `${job} VALUES ('${id}', 'deployment', '${document}', 'indexed', 1, 0, 1, 0, 0, 0, '{}', '{"documents":1,"chunks":1,"failed":0}')`;
    tamper(`${done("a", "nowhere.txt")}; ${done("b", "d3.txt")}`);
    tamper(`${job} VALUES ('c', 'deployment', 'awaited.txt', 'queued', 0, 0, 1, 0, 0, 0, '{}', NULL)`);
    expect((await store.upkeep!.examine(system)).findings).toMatchObject([{ kind: "orphan", count: 1, fixed: false }]);
    expect(await store.upkeep!.examine(system, { fix: true })).toMatchObject({ healthy: true });
    await store.close();
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT id FROM jobs ORDER BY id").all()).toEqual([{ id: "b" }, { id: "c" }]);
    database.close();
  });

  it("finds leases that no living process could have, and lets the jobs be taken [L8]", async () => {
    await fill();
    const store = await open();
    const job = (id: string, dueAt: number) =>
      `INSERT INTO jobs (id, scope, state, owner, attempts, due_at, revision, size, enqueued_at, updated_at, facts)
        VALUES ('${id}', 'deployment', 'reading', 'somebody', 1, ${dueAt}, 1, 0, 0, 0, '{}')`;
    const now = Date.now();
    tamper(`${job("alive", now + 60_000)}; ${job("dead", now - 60_000)}; ${job("never", now + 10 * 86_400_000)}`);
    const { findings } = await store.upkeep!.examine(system);
    expect(findings).toMatchObject([{ kind: "orphan", count: 1 }]);
    expect(await store.upkeep!.examine(system, { fix: true })).toMatchObject({ healthy: true });
    await store.close();
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT id, state FROM jobs WHERE due_at <= ? ORDER BY id").all(Date.now())).toEqual([
      { id: "dead", state: "reading" },
      { id: "never", state: "queued" },
    ]);
    database.close();
  });

  it("finds vectors of a model that nobody changed to or from; a re-embedding and a vacuum take them out [L6]", async () => {
    const store = await open();
    const of = (model: string) => ({ embed, version: { ...three, model } });
    for (let i = 0; i < 5; i++) await store.replace(into, documentEntry(`d${i}`, [`ash number${i}`], of("one")));
    expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true });
    // As an ingestion by a knowledge base does that was opened with another model.
    await store.replace(into, documentEntry("other", ["birch"], of("two")));
    const diagnosis = await store.upkeep!.examine(system);
    expect(diagnosis.findings).toMatchObject([{ kind: "stale-version", scope: "deployment", count: 1, fixed: false }]);
    expect((await store.upkeep!.examine(system, { fix: true })).healthy).toBe(false);
    const models = async () =>
      (await store.status(from)).embeddingVersions.map(({ model }) => model).filter((model) => model.length === 3);
    // What is all that a chunk has is not taken from it.
    await store.trash!.vacuum(system, { olderThanMs: 0 });
    expect(new Set(await models())).toEqual(new Set(["one", "two"]));
    const chunks = await collect(store.chunks(from));
    const vectors = chunks.map(({ chunk: { id, text } }) => ({ chunkId: id, text, embedding: embed(text) }));
    const one = { ...three, model: "one" };
    await store.versions!.addVectors(into, one, vectors);
    await store.trash!.vacuum(system, { olderThanMs: 0 });
    expect(await models()).toEqual(["one"]);
    expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true, findings: [] });
    await store.close();
  });

  it("looks at the file of events too, and examines the documents although it is damaged [L8]", async () => {
    await fill();
    const events = await openSqliteEventStore(join(folder, "events.sqlite"));
    const store = await open();
    expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true });
    const scopes = ["deployment"] as const;
    const event = { at: Date.now(), name: "KnowledgeFlushed", scopes, data: { latencyMs: 1 } } as const;
    await events.append(Array.from({ length: 500 }, () => event));
    expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true });
    await events.close();
    const bytes = readFileSync(join(folder, "events.sqlite"));
    writeFileSync(join(folder, "events.sqlite"), bytes.fill(0x5a, 4096, 12_288));
    const diagnosis = await store.upkeep!.examine(system, { fix: true });
    expect(new Set(diagnosis.findings.map(({ kind }) => kind))).toEqual(new Set(["damaged"]));
    expect(diagnosis.findings[0]?.hint).toContain("nothing but events");
    expect(diagnosis.checked.documents).toBe(8);
    await store.close();
  });

  it("a purge whose process died is finished by whoever opens the file next [L8]", async () => {
    await fill();
    const store = await open();
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM chunks").get();
    await store.delete(into, { documentIds: ["d2"] }, { purge: true });
    // As the files are at this moment, a power cut would leave them.
    const other = mkdtempSync(join(tmpdir(), "ibid-doctor-cut-"));
    for (const name of readdirSync(folder))
      if (!name.endsWith("-shm")) copyFileSync(join(folder, name), join(other, name));
    reader.close();
    await store.close();
    const survivor = await openSqliteStore(join(other, "ibid.sqlite"), {
      analyzer: plainAnalyzer,
      corpusModel: watchedModel(12),
    });
    expect(await survivor.upkeep!.examine(system, { absent: ["ash number2"] })).toMatchObject({
      healthy: true,
      findings: [],
      residue: 0,
    });
    await survivor.close();
    rmSync(other, { recursive: true });
  });
});

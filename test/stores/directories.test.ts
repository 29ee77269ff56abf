import type { SQLInputValue } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openConnection } from "../../src/stores/sqlite/open-connection.ts";
import type { SqliteConnection } from "../../src/stores/sqlite/sqlite-connection.ts";
import { compareCodePoints } from "../../src/runtime/compare-text.ts";
import { createFolderCounter } from "../../src/stores/compose/document-order.ts";
import { createRandom } from "../../src/testing/random.ts";
import { createSqliteDirectory } from "../../src/stores/sqlite/sqlite-directory.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import {
  type DirectoryReader,
  type DirectoryWriter,
  type DocumentRow,
  type KeptOrder,
  keptOrders,
  type Narrowing,
  renamesSetting,
  type RowPlace,
  type SegmentDirectory,
} from "../../src/stores/segments/segment-directory.ts";

const folders: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true }));
});

async function openSqliteDirectory(): Promise<SegmentDirectory> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-directory-"));
  folders.push(folder);
  return createSqliteDirectory(await openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 }));
}

const chunkRow = (scope: number, id: string) => ({
  scope,
  id,
  documentId: "d",
  document: 0,
  start: 0,
  end: 3,
  index: 0,
  details: "{}",
  metadata: "{}",
  origin: "note" as const,
  urtext: "ash",
  text: null,
  deletedAt: null,
  textKey: "",
});

const documentRow = (scope: number, id: string, uri: string) => ({
  scope,
  id,
  uri,
  title: "T",
  mediaType: "text/plain",
  origin: "note" as const,
  contentHash: "c",
  metadataHash: "m",
  fingerprint: "f",
  bytes: 3,
  folder: null,
  ingestedAt: "now",
  checkedAt: null,
  etag: null,
  lastModified: null,
  readers: null,
  validFrom: null,
  validTo: null,
  supersedes: null,
  deletedAt: null,
  textKey: "",
});

/** One row of every kind; **shape** the keys that were given. */
function fill(rows: DirectoryWriter) {
  rows.setSetting("name", "value");
  const scope = rows.addScope("team:t", 1);
  const document = rows.addDocument(documentRow(scope, "d", "d.txt"), { text: "ash", structure: "{}" });
  const chunk = rows.addChunk(chunkRow(scope, "a"));
  const bytes = Uint8Array.of(1, 2, 3);
  rows.addPending(scope, { key: chunk, id: "a", stamp: 1, live: true, terms: bytes, vectors: bytes });
  const segment = rows.addSegment({
    scope,
    size: 1,
    stamp: 1,
    keys: bytes,
    lengths: bytes,
    state: bytes,
    columns: "[]",
  });
  rows.addFile(segment, "terms", 0, bytes);
  rows.setStamp(1);
  return { scope, document, chunk, segment };
}

/** All that can be read by the keys that `fill` gave. */
function snapshot(rows: DirectoryReader, { scope, document, chunk, segment }: ReturnType<typeof fill>) {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  return plain({
    stamp: rows.stamp(),
    setting: rows.setting("name") ?? null,
    scopes: rows.scopes(),
    stamps: rows.segmentStamps(scope).map(({ key, stamp }) => [key, stamp]),
    segment: rows.segment(segment),
    file: rows.file(segment, "terms", 0) ?? null,
    pending: rows.pendingAfter(scope, 0),
    pendingStamps: rows.pendingStamps(scope).map(({ key, stamp }) => [key, stamp]),
    chunk: rows.chunk(chunk),
    chunks: rows.chunksAfter(scope, "", 10),
    ofDocument: rows.chunksOfDocument(scope, "d"),
    live: rows.liveChunksOf(scope, "d"),
    document: rows.document(document),
    body: rows.documentBody(document),
    documents: rows.documentsAfter(scope, "", "", 10),
    totals: rows.totals(scope),
  });
}

describe.each([
  { name: "memory", open: async () => createMemoryDirectory() },
  { name: "SQLite", open: openSqliteDirectory },
])("a directory in $name", ({ open }) => {
  it("takes back everything when a write throws, whatever it did [L6 L8 W13]", async () => {
    const directory = await open();
    const keys = await directory.write(fill);
    const before = await directory.read((rows) => snapshot(rows, keys));
    const changes: ((rows: DirectoryWriter) => void)[] = [
      (rows) => void fill({ ...rows, addScope: (_scope, stamp) => rows.addScope("user:u", stamp) }),
      (rows) => rows.setSetting("name", "other"),
      (rows) => rows.putScope({ key: keys.scope, scope: "team:t", stamp: 9, rewrites: 9 }),
      (rows) => rows.deleteScope(keys.scope),
      (rows) => rows.putSegmentState(keys.segment, Uint8Array.of(9), 9),
      (rows) => rows.deleteSegment(keys.segment),
      (rows) => rows.markPending(keys.chunk, false, 9),
      (rows) => rows.deletePending(keys.chunk),
      (rows) => rows.deleteAllPending(keys.scope),
      (rows) => rows.putChunk({ ...rows.chunk(keys.chunk), deletedAt: 9 }),
      (rows) => rows.deleteChunk(keys.chunk),
      (rows) =>
        rows.putDocument({ ...rows.document(keys.document), title: "Other" }, { text: "other", structure: "[]" }),
      (rows) => rows.deleteDocument(keys.document),
    ];
    for (const change of changes) {
      const failing = directory.write((rows) => {
        change(rows);
        rows.setStamp(99);
        throw new Error("given up");
      });
      await expect(failing).rejects.toThrow("given up");
      expect(await directory.read((rows) => snapshot(rows, keys))).toEqual(before);
    }
    await directory.close();
  });

  it("counts the documents that got another uri, title or folder, and no other change [18.8]", async () => {
    const directory = await open();
    const { document } = await directory.write(fill);
    const counts: (string | undefined)[] = [];
    for (const change of [
      { title: "Other" },
      { deletedAt: 9 },
      { uri: "elsewhere" },
      { bytes: 4 },
      { folder: "/f" },
      {},
    ]) {
      await directory.write((rows) => rows.putDocument({ ...rows.document(document), ...change }));
      counts.push(await directory.read((rows) => rows.setting(renamesSetting)));
    }
    expect(counts).toEqual(["1", "1", "2", "2", "3", "3"]);
    await directory.close();
  });

  it("gives keys that ascend and are never used again [L8]", async () => {
    const directory = await open();
    const first = await directory.write(fill);
    const later = await directory.write((rows) => {
      rows.deleteScope(first.scope);
      return fill(rows);
    });
    expect(later.scope).toBeGreaterThan(first.scope);
    expect(later.chunk).toBeGreaterThan(first.chunk);
    expect(later.segment).toBeGreaterThan(first.segment);
    expect(later.document).toBeGreaterThan(first.document);
    await directory.close();
  });

  it("lists the documents under a prefix and no other, whatever its last character is [26]", async () => {
    const directory = await open();
    const end = "\u{10FFFF}";
    const uris = ["a", "aa", `a${end}`, `a${end}b`, "b", "\uD7FF", "\uD7FFz", "\u{E000}", "😀", end, `${end}x`];
    const scope = await directory.write((rows) => {
      const key = rows.addScope("platform", 1);
      for (const uri of uris.toReversed()) rows.addDocument(documentRow(key, uri, uri), { text: "", structure: "{}" });
      return key;
    });
    await directory.read((rows) => {
      for (const under of ["", "a", `a${end}`, "\uD7FF", end, `${end}${end}`, "é", "\uD83D"]) {
        const found = rows.documentsAfter(scope, under, "", 100, { under }).map(({ uri }) => uri);
        expect([under, found]).toEqual([under, uris.filter((uri) => uri.startsWith(under))]);
        expect(rows.documentsAfter(scope, under, undefined, 1, { under }).map(({ uri }) => uri)).toEqual(
          uris.filter((uri) => uri.startsWith(under) && uri !== under).slice(0, 1),
        );
      }
    });
    await directory.close();
  });

  it("pages by code point, as UTF-8 bytes are ordered, in either place [T5]", async () => {
    const directory = await open();
    // By UTF-16 code unit the emoji would come before the full-width letter.
    const ids = ["a", "b", "é", "ａ", "😀"];
    const scope = await directory.write((rows) => {
      const key = rows.addScope("platform", 1);
      for (const id of ids.toReversed()) {
        rows.addChunk(chunkRow(key, id));
        rows.addDocument(documentRow(key, id, "same"), { text: "", structure: "{}" });
        rows.addDocument(documentRow(key, `${id}2`, id), { text: "", structure: "{}" });
      }
      return key;
    });
    await directory.read((rows) => {
      expect(rows.chunksAfter(scope, "", 10).map(({ id }) => id)).toEqual(ids);
      expect(rows.chunksAfter(scope, "b", 2).map(({ id }) => id)).toEqual(["é", "ａ"]);
      expect(rows.documentsAfter(scope, "b", undefined, 10).map(({ uri, id }) => `${uri} ${id}`)).toEqual([
        ...ids.map((id) => `same ${id}`),
        "é é2",
        "ａ ａ2",
        "😀 😀2",
      ]);
      expect(rows.documentsAfter(scope, "same", "ａ", 2).map(({ id }) => id)).toEqual(["😀", "é2"]);
    });
    await directory.close();
  });
});

describe("orders of documents in SQLite", () => {
  it("are read from an index, also in a file that an earlier version made, and deleted documents are in none [20]", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-directory-"));
    folders.push(folder);
    const open = () => openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 });
    const earlier = await open();
    for (const name of ["documents_by_time", "documents_by_size", "documents_by_title"])
      earlier.run(`DROP INDEX ${name}`);
    earlier.close();
    const connection = await open();
    const plans: string[] = [];
    const watched: typeof connection = {
      ...connection,
      all<Row>(sql: string, ...values: SQLInputValue[]) {
        if (sql.includes("ORDER BY")) {
          const steps = connection.all<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
          plans.push(steps.map(({ detail }) => detail).join("; "));
        }
        return connection.all<Row>(sql, ...values);
      },
    };
    const [directory, memory] = [createSqliteDirectory(watched), createMemoryDirectory()];
    const fillMany = (rows: DirectoryWriter): number => {
      const scope = rows.addScope("platform", 1);
      for (let n = 0; n < 50; n++) {
        const row = documentRow(scope, `${n}`.padStart(2, "0"), `${n % 20}.md`);
        const title = ["", "Äpfel", "äpfel", "apples", "Apples", "a\0b", "😀", "ﬀ"][n % 8]!;
        const facts = {
          title,
          bytes: n % 7,
          ingestedAt: new Date(n % 10).toISOString(),
          deletedAt: n % 5 === 0 ? 1 : null,
        };
        rows.addDocument({ ...row, ...facts }, { text: "", structure: "{}" });
      }
      return scope;
    };
    const scopes = new Map([
      [directory, await directory.write(fillMany)],
      [memory, await memory.write(fillMany)],
    ]);
    const read = async (from: SegmentDirectory, order: KeptOrder, place?: RowPlace): Promise<readonly string[]> =>
      from.read((rows) => rows.documentsInOrder(scopes.get(from)!, order, place, 7).map(({ id }) => id));
    for (const order of keptOrders) {
      plans.length = 0;
      const first = await read(directory, order);
      expect(first).toEqual(await read(memory, order));
      const last = await memory.read((rows) => rows.documentById(scopes.get(memory)!, first.at(-1)!)!);
      for (const id of [last.id, "", undefined])
        expect(await read(directory, order, { ...last, id })).toEqual(await read(memory, order, { ...last, id }));
      expect(plans.length).toBeGreaterThanOrEqual(4);
      // Of many documents of one title, a page reads those that follow its place.
      expect(plans.join().includes("<expr>=? AND uri>?")).toBe(order === "title");
      for (const plan of plans)
        expect(plan).toMatch(
          `INDEX documents_by_${order === "largest" ? "size" : order === "title" ? "title" : "time"}`,
        );
    }
    await directory.close();
  });
});

describe("lists that are narrowed, and counts of folders, in SQLite", () => {
  const open = async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-directory-"));
    folders.push(folder);
    const path = join(folder, "ibid.sqlite");
    return { path, connection: await openConnection(path, { busyTimeoutMs: 1_000 }) };
  };
  /** Rows and plans of the statements that are read. */
  const watch = (connection: SqliteConnection) => {
    const seen = { rows: 0, plans: [] as string[] };
    const watched: SqliteConnection = {
      ...connection,
      all<Row>(sql: string, ...values: SQLInputValue[]) {
        const steps = connection.all<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
        const found = connection.all<Row>(sql, ...values);
        if (sql.includes("documents") || sql.includes("folder_counts")) {
          seen.rows += found.length;
          seen.plans.push(steps.map(({ detail }) => detail).join("; "));
        }
        return found;
      },
    };
    return { seen, directory: createSqliteDirectory(watched) };
  };

  it("read their own rows, by an index of what they are narrowed to or of their order [20]", async () => {
    const { connection } = await open();
    const { seen, directory } = watch(connection);
    const memory = createMemoryDirectory();
    // Few are images, and few lie under `rare/`; both are spread over all times.
    const fillMany = (rows: DirectoryWriter): number => {
      const scope = rows.addScope("platform", 1);
      for (let n = 0; n < 6000; n++) {
        const row = documentRow(
          scope,
          `${n}`.padStart(4, "0"),
          `${n % 200 === 7 ? "rare" : "often"}/${n % 977}-${n}.md`,
        );
        const mediaType = n % 300 === 5 ? "image/png" : "text/markdown";
        const ingestedAt = new Date((n * 7919) % 6007).toISOString();
        rows.addDocument({ ...row, mediaType, ingestedAt, bytes: n % 50 }, { text: "", structure: "{}" });
      }
      return scope;
    };
    const scope = await directory.write(fillMany);
    const same = await memory.write(fillMany);
    const early = new Date(300).toISOString();
    const cases: readonly (readonly [Narrowing, string])[] = [
      [{ mediaType: "image/png" }, "documents_by_type"],
      [{ mediaType: "image/" }, "documents_by_type"],
      [{ mediaType: "audio/" }, "documents_by_type"],
      [{ under: "rare/" }, "documents_by_uri"],
      [{ before: early }, "documents_by_time"],
      [{ mediaType: "image/png", under: "often/1" }, "documents_by_type"],
      [{ mediaType: "text/markdown" }, "documents_by_"],
      [{ under: "often/", since: early }, "documents_by_"],
    ];
    for (const [only, index] of cases) {
      for (const order of [undefined, ...keptOrders]) {
        let after: DocumentRow | undefined;
        for (let page = 0; page < 3; page++) {
          const read = (rows: DirectoryReader, key: number): readonly DocumentRow[] =>
            order === undefined
              ? rows.documentsAfter(key, after?.uri ?? "", after?.id ?? "", 7, only)
              : rows.documentsInOrder(key, order, after, 7, only);
          Object.assign(seen, { rows: 0, plans: [] });
          const found = await directory.read((rows) => read(rows, scope));
          expect([only, order, found.map(({ id }) => id)]).toEqual([
            only,
            order,
            (await memory.read((rows) => read(rows, same))).map(({ id }) => id),
          ]);
          expect([only, order, seen.rows]).toEqual([only, order, found.length]);
          for (const plan of seen.plans) {
            expect(plan).not.toMatch(/SCAN documents/u);
            expect([only, order, plan]).toEqual([only, order, expect.stringContaining(index)]);
          }
          after = found.at(-1) ?? after;
        }
      }
    }
    Object.assign(seen, { rows: 0, plans: [] });
    expect((await directory.read((rows) => rows.folders(scope))).map(({ uri, documents }) => [uri, documents])).toEqual(
      expect.arrayContaining([["rare/", 30]]),
    );
    // Three groups of 6,000 documents.
    expect([seen.rows, seen.plans.join().includes(" documents")]).toEqual([3, false]);
    await directory.close();
  });

  it("count what a look at every document counts, whatever was written, also in a file of an earlier version [20]", async () => {
    const { path, connection } = await open();
    const recount = (from: SqliteConnection, scope: number) => {
      const counter = createFolderCounter();
      const rows = from.all<{ uri: string; folder: string | null; mediaType: string }>(
        `SELECT uri, folder, (SELECT text FROM words WHERE words.key = media_type) AS mediaType FROM documents
          WHERE scope = ? AND deleted_at IS NULL`,
        scope,
      );
      for (const row of rows) counter.add(row);
      return counter.rows();
    };
    const check = async (from: SqliteConnection, directory: SegmentDirectory, scope: number) => {
      const sorted = (rows: readonly object[]) =>
        rows
          .map((row) => JSON.stringify(row, ["uri", "folder", "mediaType", "ending", "documents"]))
          .toSorted(compareCodePoints);
      const counted = await directory.read((rows) => [
        rows.folders(scope),
        rows.folders(scope, { since: "1970-01-01T00:00:00.000Z" }),
        rows.folders(scope, { mediaType: "text/" }),
      ]);
      const all = recount(from, scope);
      expect(sorted(counted[0]!)).toEqual(sorted(all));
      expect(sorted(counted[1]!)).toEqual(sorted(all));
      expect(sorted(counted[2]!)).toEqual(sorted(all.filter(({ mediaType }) => mediaType.startsWith("text/"))));
    };
    const directory = createSqliteDirectory(connection);
    const scope = await directory.write((rows) => rows.addScope("platform", 1));
    const uris = [
      "a.md",
      "a/b.MD",
      "a/b",
      "a/b/c.tar.gz",
      "é/ü.x",
      "https://h.example/a?b=/c.html",
      "a/.env",
      "a/b.",
      "a/x.12345678901",
    ];
    const random = createRandom(7);
    for (let turn = 0; turn < 300; turn++) {
      const facts = {
        uri: random.pick(uris),
        folder: random.pick([null, "a", "file:///a"]),
        mediaType: random.pick(["text/plain", "image/png"]),
        deletedAt: random.pick([null, null, 5]),
        ingestedAt: new Date(turn).toISOString(),
      };
      await directory.write((rows) => {
        const id = `${random.below(40)}`;
        const held = rows.documentById(scope, id);
        if (held === undefined)
          rows.addDocument({ ...documentRow(scope, id, ""), ...facts }, { text: "", structure: "{}" });
        else if (random.below(5) === 0) rows.deleteDocument(held.key);
        else rows.putDocument({ ...held, ...facts });
      });
      if (turn % 20 === 0) await check(connection, directory, scope);
    }
    for (const name of ["gains", "loses", "changes"]) connection.run(`DROP TRIGGER folder_${name}`);
    connection.run("DROP TABLE folder_counts");
    // A file that may not be written lacks the table.
    await check(connection, directory, scope);
    await directory.close();
    const later = await openConnection(path, { busyTimeoutMs: 1_000 });
    expect(later.all("SELECT * FROM folder_counts").length).toBeGreaterThan(5);
    const again = createSqliteDirectory(later);
    await check(later, again, scope);
    await again.write((rows) => rows.deleteScope(scope));
    expect(later.all("SELECT * FROM folder_counts")).toEqual([]);
    await again.close();
  });
});

describe("writes of one turn in SQLite", () => {
  const open = async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-directory-"));
    folders.push(folder);
    const connection = await openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 });
    let commits = 0;
    const counted: typeof connection = {
      ...connection,
      transaction(begin, work, undone) {
        commits += begin === "BEGIN IMMEDIATE" ? 1 : 0;
        return connection.transaction(begin, work, undone);
      },
      get inTransaction() {
        return connection.inTransaction;
      },
    };
    return { connection, directory: createSqliteDirectory(counted), commits: () => commits };
  };

  it("share a commit until they have taken ten milliseconds, and the others follow in order", async () => {
    const { directory, commits } = await open();
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const order = await Promise.all(
      Array.from({ length: 7 }, (_, i) =>
        directory.write((rows) => {
          now += 9;
          rows.setStamp(rows.stamp() + 1);
          return `${i}: ${rows.stamp()}`;
        }),
      ),
    );
    // Two take 18 ms: three commits of two, and the last.
    expect([order, commits()]).toEqual([["0: 1", "1: 2", "2: 3", "3: 4", "4: 5", "5: 6", "6: 7"], 4]);
    await directory.close();
  });

  it("share a commit, and one that fails takes back what it wrote itself, no more", async () => {
    const { directory, commits } = await open();
    vi.spyOn(performance, "now").mockReturnValue(0);
    const undone: number[] = [];
    const ran: number[] = [];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 9 }, (_, i) =>
        directory.write(
          (rows) => {
            ran.push(i);
            rows.setSetting(`s${i}`, String(i));
            rows.setStamp(rows.stamp() + 1);
            if (i === 4) throw new Error("this one");
            return rows.setting(`s${i - 1}`) ?? "none";
          },
          () => undone.push(i),
        ),
      ),
    );
    // The first is taken back.
    expect(commits()).toBe(2);
    expect(ran).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : "failed"))).toEqual([
      "none",
      "0",
      "1",
      "2",
      "failed",
      "none",
      "5",
      "6",
      "7",
    ]);
    expect(undone).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await directory.read((rows) => [rows.stamp(), rows.setting("s4"), rows.setting("s8")])).toEqual([
      8,
      undefined,
      "8",
    ]);
    await directory.close();
  });

  it("are all undone, and told so before anybody looks, when they cannot be committed", async () => {
    const { connection, directory } = await open();
    const seen: string[] = [];
    const writes = [1, 2, 3].map((i) =>
      directory.write(
        (rows) => {
          rows.setSetting("last", String(i));
          // As SQLite itself does when the disk is full.
          if (i === 2) {
            connection.run("ROLLBACK");
            throw new Error("full");
          }
        },
        () => seen.push(`undone ${i}`),
      ),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(seen).toEqual(["undone 1", "undone 2", "undone 3"]);
    expect(await directory.read((rows) => rows.setting("last"))).toBeUndefined();
    await directory.write((rows) => rows.setSetting("last", "4"));
    expect(await directory.read((rows) => rows.setting("last"))).toBe("4");
    await directory.close();
  });

  it("asked for one after the other each have a commit of their own", async () => {
    const { directory, commits } = await open();
    for (let i = 0; i < 3; i++) await directory.write((rows) => rows.setSetting("i", String(i)));
    expect(commits()).toBe(3);
    await directory.close();
  });
});

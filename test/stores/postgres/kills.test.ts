import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../../src/contracts/scope.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { createRetriever } from "../../../src/search/create-retriever.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { sweepIndexes } from "../../../src/stores/postgres/share-index.ts";
import { createRandom } from "../../../src/testing/random.ts";
import { fewer } from "../../support/runs.ts";
import { collect, documentEntry, plainAnalyzer, read, write } from "../build.ts";
import { topicText } from "../topics.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

const address = process.env["IBID_TEST_POSTGRES"];
const child = join(import.meta.dirname, "writing-child.ts");
const sharing = join(import.meta.dirname, "sharing-child.ts");

// Several processes need a server: npm run test:engines.
describe.skipIf(!address)("writers that are killed", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it("lose nothing that was acknowledged, and leave no half of a document", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-killed-"));
    const random = createRandom(1);
    await (await database.open("killed", { analyzer: plainAnalyzer })).close();
    /** The latest round of each document that a writer was told to be safe. */
    const safe = new Map<string, number>();

    /** Two writers at once, each with a copy that it keeps from death to death. */
    async function live(name: string): Promise<void> {
      const writer = spawn(process.execPath, [child, address!, database.schemaOf("killed"), join(folder, name), name], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let printed = "";
      writer.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
      const ended = new Promise((resolve) => writer.once("close", resolve));
      await new Promise((resolve) => writer.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, random.next() * 400));
      writer.kill("SIGKILL");
      await ended;
      for (const line of printed.split("\n").slice(0, -1)) {
        const [scope, id, round] = line.split(" ");
        safe.set(`${scope} ${id}`, Number(round));
      }
    }

    for (let death = 0; death < fewer(2, 12); death++) {
      await Promise.all([live("a"), live("b")]);
      const store = await database.open("killed", { analyzer: plainAnalyzer, node: `after${death}` });
      const scopes: Scope[] = ["deployment", "team:a", "team:b"];
      const rounds = new Map<string, Set<string>>();
      const chunks = new Map<string, number>();
      for (const { scope, chunk } of await collect(store.chunks(read(...scopes)))) {
        const place = `${scope} ${chunk.documentId}`;
        const round = /round(\d+)/u.exec(chunk.text)![1]!;
        rounds.set(place, (rounds.get(place) ?? new Set()).add(round));
        chunks.set(place, (chunks.get(place) ?? 0) + 1);
      }
      for (const [place, count] of chunks) expect([place, count, rounds.get(place)?.size]).toEqual([place, 3, 1]);
      for (const [place, round] of safe)
        expect(Number([...(rounds.get(place) ?? [])][0])).toBeGreaterThanOrEqual(round);
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(!address)("sharers of an index", () => {
  const options = { analyzer: plainAnalyzer, segments: { sealAt: 6, settleAt: 2 } };
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  /** The same questions of a process without a copy as of a copy. */
  async function compare(base: string, lazy: Store, node: string): Promise<void> {
    const store = await database.open(base, { ...options, node });
    const ask = (of: Store, query: string) =>
      createRetriever({ store: of }).retrieve(read("deployment", "team:a"), query, { mode: "lexical", topK: 30 });
    for (const query of ["round1", "round2", topicText(3), topicText(20)])
      expect(await ask(lazy, query)).toEqual(await ask(store, query));
    await store.close();
  }

  it("may die before each statement: a process without a copy sees the index before or after, and never a half", async () => {
    const base = "sharing";
    const lazyOptions = { ...options, lazy: true, replicas: undefined };
    await (await database.open(base, options)).close();
    const early = await database.open(base, lazyOptions);
    const live = (round: number, killBefore: number): Promise<string> => {
      const given = [address!, database.schemaOf(base), database.replicasOf("sharer"), `${round}`, `${killBefore}`];
      const sharer = spawn(process.execPath, [sharing, ...given], { stdio: ["ignore", "pipe", "inherit"] });
      let printed = "";
      sharer.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
      return new Promise((resolve) => sharer.once("close", () => resolve(printed)));
    };
    const all = Number(await live(0, 0));
    expect(all).toBeGreaterThan(8);
    const places = Array.from({ length: all }, (_, i) => i + 1).filter((place) => place % fewer(5, 1) === 0);
    for (const place of places) {
      expect(await live(place % 3, place)).toBe("");
      await compare(base, early, "other");
      const late = await database.open(base, lazyOptions);
      await compare(base, late, "other");
      await late.close();
    }
    expect(await live(1, 0)).not.toBe("");
    await compare(base, early, "other");
    await early.close();
    const schema = database.schemaOf(base);
    const { rows } = await database.client.query(
      `SELECT count(*)::int AS n FROM ${schema}.index_files f WHERE NOT EXISTS (SELECT FROM ${schema}.indexes i WHERE i.scope = f.scope AND f.segment = ANY (i.segments))`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  }, 600_000);

  it("send again what another one removes at that moment", async () => {
    const base = "swept";
    const schema = database.schemaOf(base);
    const pool = new Pool({ connectionString: address, max: 8 });
    const waiters = async (): Promise<number> => {
      const { rows } = await pool.query<{ n: number }>(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
        [`%${schema}.index%`],
      );
      return rows[0]!.n;
    };
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    let swept = 0;
    const client: PostgresClient = {
      async query(text: string, values?: unknown[]) {
        if (!text.includes(`INSERT INTO ${schema}.indexes`) || swept++ > 0) return pool.query(text, values);
        // The removal has looked and waits for a row, while the index is put.
        const holder = await pool.connect();
        await holder.query(`BEGIN; SELECT FROM ${schema}.index_files FOR UPDATE`);
        const sweeping = sweepIndexes({
          schema,
          db: { query: (_: string, sweep: string) => pool.query(sweep) } as never,
        });
        await until(async () => (await waiters()) === 1);
        let isPut = false;
        const putting = pool.query(text, values).finally(() => (isPut = true));
        await until(async () => isPut || (await waiters()) === 2);
        await holder.query("COMMIT");
        holder.release();
        await sweeping;
        return putting;
      },
    };
    const node = await database.open(base, { ...options, client, shareIndex: true });
    for (let i = 0; i < 24; i++)
      await node.replace(
        write("deployment"),
        documentEntry(
          `d${i}`,
          [0, 1, 2, 3].map((j) => `${j}p ${topicText(i + j)}`),
        ),
      );
    await node.upkeep!.settle();
    expect(swept).toBeGreaterThan(1);
    const { rows } = await pool.query(
      `SELECT count(*)::int AS n, bool_and(EXISTS (SELECT FROM ${schema}.index_files f WHERE f.scope = i.scope AND f.segment = s)) AS there FROM ${schema}.indexes i, unnest(i.segments) s`,
    );
    expect(rows).toEqual([{ n: expect.any(Number) as number, there: true }]);
    const lazy = await database.open(base, { ...options, lazy: true, replicas: undefined });
    await compare(base, lazy, "other");
    await lazy.close();
    await node.close();
    await pool.end();
  }, 120_000);
});

import type { Pool } from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { Store } from "../../../src/contracts/store.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { createRandom } from "../../../src/testing/random.ts";
import { fewer } from "../../support/runs.ts";
import { collect, documentEntry, plainAnalyzer, read, write } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** A node that can be cut off, and that loses the answer to each statement with some probability. */
interface Node {
  readonly store: Store;
  isCut: boolean;
}

async function openNode(base: string, name: string, lost: () => boolean): Promise<Node> {
  const link = { isCut: false };
  const client: PostgresClient = {
    async query(text, values) {
      if (link.isCut) throw new Error("connect EHOSTUNREACH");
      const answer = await database.client.query(text, values);
      if (lost()) throw new Error("read ECONNRESET");
      return answer;
    },
  };
  const store = await database.open(base, { node: name, client, analyzer: plainAnalyzer, busyTimeoutMs: 150 });
  onTestFinished(() => store.close());
  return Object.assign(link, { store });
}

const isOutage = (error: unknown): boolean =>
  IbidError.isInstance(error, "store-failed") || IbidError.isInstance(error, "store-busy");

/** Rounds of each document as a reader sees them. **Errors** an assertion for half a document. */
async function look(store: Store): Promise<ReadonlyMap<string, number>> {
  const rounds = new Map<string, number[]>();
  for (const { chunk } of await collect(store.chunks(read("deployment")))) {
    const found = rounds.get(chunk.documentId) ?? [];
    rounds.set(chunk.documentId, [...found, Number(/round(\d+)/u.exec(chunk.text)![1])]);
  }
  for (const found of rounds.values()) expect([found.length, new Set(found).size]).toEqual([3, 1]);
  return new Map(Array.from(rounds, ([id, [round]]) => [id, round!]));
}

it.each(Array.from({ length: fewer(1, 10) }, (_, seed) => seed + 1))(
  "nodes that are cut off and return lose nothing, and show nothing old meanwhile (seed %i)",
  async (seed) => {
    const random = createRandom(seed);
    let isUnruly = false;
    const lost = (): boolean => isUnruly && random.next() < 0.15;
    const nodes: Node[] = [];
    for (const name of ["a", "b", "c"]) nodes.push(await openNode(`cut_${seed}`, name, lost));
    /** The last round of each document that a writer was told to be safe, and later ones of unknown fate. */
    const safe = new Map<string, number>();
    const unknown = new Map<string, Set<number>>();
    for (let round = 1; round <= 10; round++) {
      for (const node of nodes) node.isCut = random.next() < 0.3;
      isUnruly = true;
      await Promise.all(
        nodes.map(async ({ store }, i) => {
          const id = `d${i}`;
          const words = ["ash", "birch", "cedar"].map((word) => `${word} round${round}`);
          try {
            await store.replace(write("deployment"), documentEntry(id, words));
            safe.set(id, round);
            unknown.delete(id);
          } catch (error) {
            if (!isOutage(error)) throw error;
            unknown.set(id, (unknown.get(id) ?? new Set()).add(round));
          }
        }),
      );
      isUnruly = false;
      for (const { store, isCut } of nodes) {
        const seen = await look(store).catch((error: unknown) => error);
        const allowed = (id: string): readonly unknown[] => [safe.get(id), ...(unknown.get(id) ?? [])];
        const isRight = isCut
          ? isOutage(seen)
          : seen instanceof Map && ["d0", "d1", "d2"].every((id) => allowed(id).includes(seen.get(id)));
        expect([round, isCut, seen, isRight]).toEqual([round, isCut, seen, true]);
      }
    }
    for (const node of nodes) node.isCut = false;
    const [first, ...others] = await Promise.all(nodes.map(({ store }) => look(store)));
    for (const other of others) expect(other).toEqual(first);
    expect(safe.size).toBeGreaterThan(0);
  },
  60_000,
);

it("a server whose disk is full is named, and the write leaves no trace", async () => {
  let isFull = true;
  const client: PostgresClient = {
    async query(text, values) {
      if (isFull && text.includes("put_documents"))
        throw Object.assign(new Error("could not extend file: No space left on device"), {
          code: "53100",
          severity: "ERROR",
        });
      return database.client.query(text, values);
    },
  };
  const store = await database.open("full", { client, analyzer: plainAnalyzer });
  onTestFinished(() => store.close());
  const error: unknown = await store
    .replace(write("deployment"), documentEntry("a", ["ash"]))
    .catch((reason: unknown) => reason);
  expect(IbidError.isInstance(error, "store-failed")).toBe(true);
  expect((error as IbidError).hint).toContain("disk is full");
  expect(await collect(store.documents(read("deployment")))).toEqual([]);
  isFull = false;
  await store.replace(write("deployment"), documentEntry("a", ["ash"]));
  expect((await collect(store.documents(read("deployment")))).length).toBe(1);
});

// A second connection needs a server: npm run test:engines.
it.skipIf(!process.env["IBID_TEST_POSTGRES"])("a snapshot that somebody holds keeps nobody from writing", async () => {
  const pool = database.client as Pool;
  const store = await database.open("held", { analyzer: plainAnalyzer });
  onTestFinished(() => store.close());
  await store.replace(write("deployment"), documentEntry("a", ["ash"]));
  const holder = await pool.connect();
  onTestFinished(async () => {
    await holder.query("ROLLBACK");
    holder.release();
  });
  await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  const stamps = `SELECT sum(stamp) AS sum FROM ${database.schemaOf("held")}.scopes`;
  const before = (await holder.query(stamps)).rows;
  for (let i = 0; i < 50; i++) await store.replace(write("deployment"), documentEntry("a", [`ash ${i}`]));
  expect((await holder.query(stamps)).rows).toEqual(before);
  const other = await database.open("held", { analyzer: plainAnalyzer, node: "b" });
  onTestFinished(() => other.close());
  const [chunk] = await collect(other.chunks(read("deployment")));
  expect(chunk!.chunk.text).toBe("ash 49");
});

import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Analyzer } from "../../../src/contracts/analyzer.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { createRetriever } from "../../../src/search/create-retriever.ts";
import { searchByVector } from "../../../src/search/search-by-vector.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { documentEntry, plainAnalyzer, read, three, write } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const everything = read("deployment", "team:a");

async function open(base: string, options: Parameters<TestDatabase["open"]>[1] = {}): Promise<Store> {
  const store = await database.open(base, { analyzer: plainAnalyzer, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A client whose questions for the newest state get their answers late, and an analyzer that says when a query is searched. */
function watched() {
  const state = {
    /** Runs once the answer is there, before it arrives. */
    meanwhile: undefined as undefined | (() => Promise<unknown>),
    /** Words of queries, and `answer` for each answer that arrives. */
    order: [] as string[],
    client: {
      async query(text: string, values?: unknown[]) {
        const isQuestion = text.includes("last_commit AS last");
        const answer = await database.client.query(text, values);
        if (!isQuestion) return answer;
        const { meanwhile } = state;
        state.meanwhile = undefined;
        await meanwhile?.();
        state.order.push("answer");
        return answer;
      },
    } satisfies PostgresClient,
    analyzer: {
      ...plainAnalyzer,
      analyze(text: string) {
        if (text === "ash") state.order.push(text);
        return plainAnalyzer.analyze(text);
      },
    } satisfies Analyzer,
  };
  return state;
}

/** Longer than a search of some chunks takes. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

const find = async (store: Store, options: object = {}): Promise<readonly string[]> => {
  const hits = await createRetriever({ store }).retrieve(everything, "ash", { mode: "lexical", ...options });
  return hits.map(({ source }) => source.uri).toSorted();
};

describe("a search over a copy", () => {
  it("computes while it asks whether the copy is the newest state, and once", async () => {
    const [writer, watch] = [await open("meanwhile"), watched()];
    await writer.replace(write("deployment"), documentEntry("a", ["an ash"]));
    const reader = await open("meanwhile", { node: "b", client: watch.client, analyzer: watch.analyzer });
    watch.order.length = 0;
    // A first search may take long: the answer comes after it.
    watch.meanwhile = () => vi.waitFor(() => expect(watch.order).toContain("ash"), 10_000);
    expect(await find(reader)).toEqual(["a.txt"]);
    expect(watch.order).toEqual(["ash", "answer"]);
  });

  it("searches again where the answer says that the copy was old, and waits first while more may come", async () => {
    const [writer, watch] = [await open("again"), watched()];
    const reader = await open("again", { node: "b", client: watch.client, analyzer: watch.analyzer });
    await writer.replace(write("deployment"), documentEntry("a", ["an ash"]));
    watch.order.length = 0;
    watch.meanwhile = aWhile;
    expect(await find(reader)).toEqual(["a.txt"]);
    expect(watch.order).toEqual(["ash", "answer", "ash"]);
    await writer.replace(write("team:a"), documentEntry("b", ["one ash"]));
    watch.order.length = 0;
    watch.meanwhile = aWhile;
    expect(await find(reader)).toEqual(["a.txt", "b.txt"]);
    expect(watch.order).toEqual(["answer", "ash"]);
  });

  it("gives one state where another call brings news before its answer arrives", async () => {
    const [writer, watch] = [await open("between"), watched()];
    await writer.replace(write("deployment"), documentEntry("a", ["an ash"]));
    const reader = await open("between", { node: "b", client: watch.client, analyzer: watch.analyzer });
    watch.meanwhile = async () => {
      await aWhile();
      await writer.replace(write("deployment"), documentEntry("b", ["one ash"]));
    };
    const first = find(reader);
    await aWhile();
    // This call's question is sent after the commit.
    const other = aWhile().then(() => find(reader));
    expect([["a.txt"], ["a.txt", "b.txt"]]).toContainEqual(await first);
    expect(await other).toEqual(["a.txt", "b.txt"]);
  });

  it("sees this node's own commit that comes while it asks, or the state before, and never half of it", async () => {
    const watch = watched();
    const node = await open("own", { client: watch.client, analyzer: watch.analyzer });
    await node.replace(write("deployment"), documentEntry("a", ["an ash"]));
    watch.order.length = 0;
    watch.meanwhile = async () => {
      await aWhile();
      await node.replace(write("deployment"), documentEntry("a", ["birch"]));
      await node.replace(write("team:a"), documentEntry("b", ["one ash"]));
    };
    expect(await find(node)).toEqual(["b.txt"]);
    // The copy has changed since it was searched.
    expect(watch.order).toEqual(["ash", "answer", "ash"]);
  });

  it("gives no answer where the question fails", async () => {
    const watch = watched();
    const reader = await open("failing", { client: watch.client, analyzer: watch.analyzer });
    await reader.replace(write("deployment"), documentEntry("a", ["an ash"]));
    watch.meanwhile = async () => {
      await aWhile();
      throw new Error("connect ETIMEDOUT");
    };
    watch.order.length = 0;
    await expect(find(reader)).rejects.toMatchObject({ code: "store-failed" });
    expect(watch.order).toEqual(["ash"]);
  });

  it("gives no answer of a copy whose lease ran out before it is proved", async () => {
    const watch = watched();
    const anHour = 3_600_000;
    const [writer, reader] = [
      await open("leased"),
      await open("leased", { node: "b", client: watch.client, atMostMs: anHour, leaseMs: 40 }),
    ];
    await writer.replace(write("deployment"), documentEntry("a", ["an ash"]));
    await aWhile();
    watch.meanwhile = aWhile;
    expect(await find(reader)).toEqual(["a.txt"]);
  });

  it("by a vector does the same", async () => {
    const [writer, watch] = [await open("vector"), watched()];
    const given = { version: three, embed: () => Float32Array.of(1, 0, 0) };
    const reader = await open("vector", { node: "b", client: watch.client });
    await writer.replace(write("deployment"), documentEntry("a", ["an ash"], given));
    watch.meanwhile = aWhile;
    const query = { embedding: Float32Array.of(1, 0, 0), version: three, topK: 5 } as const;
    expect((await searchByVector(reader, everything, query)).map(({ chunk }) => chunk.uri)).toEqual(["a.txt"]);
  });

  it("begins at once for the built-in retriever alone: another session has its moment proved", async () => {
    const [writer, watch] = [await open("session"), watched()];
    const reader = await open("session", { node: "b", client: watch.client });
    await writer.replace(write("deployment"), documentEntry("a", ["an ash"]));
    watch.meanwhile = aWhile;
    expect((await reader.session(everything)).moment.stamps.get("deployment")?.stamp).toBe(1);
  });
});

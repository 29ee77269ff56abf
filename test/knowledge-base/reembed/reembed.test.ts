import { describe, expect, it } from "vitest";
import { embeddedText } from "../../../src/text/embedded-text.ts";
import { operator, createGate, systemAuthority } from "../../../src/access/gate.ts";
import type { EmbeddingModel } from "../../../src/contracts/embedding-model.ts";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import type { Store } from "../../../src/contracts/store.ts";
import type { ReembedEvent } from "../../../src/contracts/reembedding.ts";
import type { Scope } from "../../../src/contracts/scope.ts";
import { collect } from "../../../src/testing/assert.ts";
import { createFixedEmbeddingModel } from "../../../src/testing/fixed-embedding-model.ts";
import { eachStore } from "../../stores/each-store.ts";
import { knowledgeBaseOver as over } from "../../support/knowledge-base-over.ts";

const gate = createGate();
const read = (...scopes: Scope[]) => gate.read(operator, scopes);

/** Two dimensions; the first is how often the letter e is there. */
const oldModel = (): ReturnType<typeof createFixedEmbeddingModel> =>
  createFixedEmbeddingModel({}, { model: "old", dimensions: 2, otherwise: (text) => [text.split("e").length, 1] });
/** Three dimensions, of other letters. */
const newModel = (
  otherwise = (text: string): readonly number[] => [text.split("a").length, 1, text.length % 5],
): ReturnType<typeof createFixedEmbeddingModel> =>
  createFixedEmbeddingModel({}, { model: "new", dimensions: 3, otherwise });

const texts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    uri: `${String(i).padStart(3, "0")}.txt`,
    text: `The heron ${"a".repeat(i % 7)} ${"e".repeat(i % 5)} number${i}.`,
  }));

/** Scores of the dense leg alone. */
async function dense(kb: KnowledgeBase, scopes?: readonly Scope[]): Promise<readonly (readonly [string, number])[]> {
  const hits = await kb.search("aaa eee", { mode: "dense", topK: "all", copies: "all", ...(scopes && { scopes }) });
  return hits.map(({ text, scope, score }) => [`${scope} ${text}`, score] as const);
}

const sent = (model: ReturnType<typeof oldModel>): number =>
  model.calls.filter(({ purpose }) => purpose === "document").reduce((sum, { inputs }) => sum + inputs.length, 0);

/** What a knowledge base of nothing but the one model finds. */
async function aloneWith(open: () => Promise<Store>, model: EmbeddingModel, count: number) {
  const kb = over(await open(), model);
  await kb.ingest(texts(count));
  return dense(kb);
}

describe.each(eachStore)("re-embedding in a store in $name", ({ open }) => {
  it("searches by the old model until every chunk has a vector of the new one, then by the new one [T3 T37 T44 L6]", async () => {
    const before = await aloneWith(open, oldModel(), 30);
    const after = await aloneWith(open, newModel(), 30);
    const store = await open();
    await over(store, oldModel()).ingest(texts(30));
    const model = newModel();
    const kb = over(store, model, [oldModel()]);
    expect(await dense(kb)).toEqual(before);
    let done = 0;
    for await (const event of kb.reembed({ batchSize: 4 })) {
      const isOver = event.type === "changed-over";
      if (event.type === "reembedded") done++;
      expect(await dense(kb)).toEqual(isOver ? after : before);
    }
    // Told of together, and all of them [T54].
    expect((await kb.health()).ingestion).toMatchObject({ reembedded: 30 });
    expect(done).toBe(30);
    expect(sent(model)).toBe(30);
    expect(await dense(kb)).toEqual(after);
    expect((await kb.status()).versions).toMatchObject([
      { scope: "deployment", current: { model: "new" }, previous: { model: "old" }, reembedding: false },
    ]);
    // Opened with the new model alone, it is as if there had never been another.
    expect(await dense(over(store, newModel()))).toEqual(after);
    expect(await collect(store.chunks(read("deployment"), { includeEmbeddings: true }))).toSatisfy((chunks) =>
      (chunks as { embeddings: readonly unknown[] }[]).every(({ embeddings }) => embeddings.length === 2),
    );
  });

  it("says first what it would take, and sends nothing [T44]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest([{ uri: "a.txt", text: "x".repeat(400) }]);
    const model = newModel();
    const run = over(store, model, [oldModel()]).reembed({ estimate: true, pricePerMillionTokens: 20 });
    const events = await collect(run);
    expect(events).toEqual([{ type: "estimate", scope: "deployment", chunks: 1, tokens: 100, cost: 0.002 }]);
    expect(await run).toMatchObject({ chunks: 1, tokens: 100, cost: 0.002, scopes: [{ changed: false, embedded: 0 }] });
    expect(sent(model)).toBe(0);
    expect((await over(store, model).status()).versions).toEqual([
      {
        scope: "deployment",
        current: { provider: "testing", model: "old", dimensions: 2, fingerprint: "named/1" },
        reembedding: false,
      },
    ]);
  });

  it("goes on where it was stopped, and pays for nothing twice [T44]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest(texts(30));
    const first = newModel();
    const stop = new AbortController();
    const run = over(store, first, [oldModel()]).reembed({
      batchSize: 5,
      signal: stop.signal,
      onProgress: ({ done }) => done >= 10 && stop.abort(),
    });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(sent(first)).toBe(10);
    const second = newModel();
    const kb = over(store, second, [oldModel()]);
    expect((await kb.status()).versions).toMatchObject([{ current: { model: "old" }, next: { model: "new" } }]);
    expect(await kb.reembed({ batchSize: 5 })).toMatchObject({ scopes: [{ chunks: 20, embedded: 20, changed: true }] });
    expect(sent(second)).toBe(20);
    expect((await kb.status()).versions[0]?.next).toBeUndefined();
  });

  it("takes in what is written, changed and deleted meanwhile [T44 L7]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest(texts(24));
    const kb = over(store, newModel(), [oldModel()]);
    const strangers = over(store, oldModel());
    let step = 0;
    for await (const { type } of kb.reembed({ batchSize: 2 })) {
      if (type !== "reembedded") continue;
      step++;
      if (step % 4 === 0) await kb.delete(texts(24)[step]?.uri ?? "none");
      // By a process that knows the old model alone: these vectors are for another pass.
      if (step % 4 === 1) await strangers.ingest([{ uri: `00${step}-late.txt`, text: `A late otter ${step}.` }]);
      if (step % 4 === 2) await kb.ingest([{ uri: `${String(step).padStart(3, "0")}.txt`, text: `Changed ${step}.` }]);
      if (step > 60) break;
    }
    const chunks = await collect(store.chunks(read("deployment"), { includeEmbeddings: true }));
    expect(chunks.length).toBeGreaterThan(24);
    for (const { chunk, embeddings = [] } of chunks) {
      const made = embeddings.find(({ version }) => version.model === "new");
      expect(Array.from((made?.embedding ?? []) as Float32Array)).toEqual([
        embeddedText(chunk).split("a").length,
        1,
        embeddedText(chunk).length % 5,
      ]);
    }
    expect((await kb.status()).versions).toMatchObject([{ current: { model: "new" } }]);
    expect((await dense(kb)).length).toBe(chunks.length);
  });

  it("gives what is ingested meanwhile, or while a rollback is possible, vectors of both [T44]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest(texts(3));
    const kb = over(store, newModel(), [oldModel()]);
    const versionsOf = async (uri: string) => {
      const chunks = await collect(store.chunks(read("deployment"), { includeEmbeddings: true }));
      const found = chunks.find(({ chunk }) => chunk.uri === uri);
      return found?.embeddings?.map(({ version }) => version.model).toSorted();
    };
    await kb.ingest([{ uri: "before.txt", text: "Before." }]);
    expect(await versionsOf("before.txt")).toEqual(["new", "old"]);
    await kb.reembed();
    await kb.ingest([{ uri: "after.txt", text: "After." }]);
    expect(await versionsOf("after.txt")).toEqual(["new", "old"]);
    await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
    await kb.ingest([{ uri: "last.txt", text: "Last." }]);
    expect(await versionsOf("after.txt")).toEqual(["new"]);
    expect(await versionsOf("last.txt")).toEqual(["new"]);
  });

  it("is led back by one call, until the old vectors are vacuumed [T44]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest(texts(12));
    const model = newModel();
    const kb = over(store, model, [oldModel()]);
    const before = await dense(kb);
    await expect(kb.reembed({ rollback: true })).rejects.toMatchObject({ code: "not-found" });
    await kb.reembed();
    const after = await dense(kb);
    const paid = sent(model);
    const events = await collect(kb.reembed({ rollback: true }));
    expect(events).toMatchObject([{ type: "changed-over", from: { model: "new" }, to: { model: "old" } }]);
    expect(await dense(kb)).toEqual(before);
    await kb.reembed();
    expect(await dense(kb)).toEqual(after);
    expect(sent(model)).toBe(paid);
    await expect(over(store, newModel()).reembed({ rollback: true })).rejects.toMatchObject({
      code: "configuration-missing",
    });
    await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
    expect(await dense(kb)).toEqual(after);
    await expect(kb.reembed({ rollback: true })).rejects.toMatchObject({ code: "not-found" });
    expect((await store.status(read("deployment"))).embeddingVersions).toMatchObject([{ model: "new", chunks: 12 }]);
  });

  it("keeps the old version where the model fails half-way, and goes on once it answers [T44]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest(texts(20));
    let isDown = false;
    let embedded = 0;
    const model = newModel((text) => {
      if (isDown || embedded++ >= 8) isDown = true;
      if (isDown) throw new Error("The provider is down.");
      return [text.length, 1, 0];
    });
    const kb = over(store, model, [oldModel()]);
    const before = await dense(kb);
    await expect(kb.reembed({ batchSize: 4 })).rejects.toMatchObject({ code: "embedding-failed" });
    // The chunks of the failed batches are there as they were.
    expect(await dense(over(store, newModel(), [oldModel()]))).toEqual(before);
    isDown = false;
    embedded = -1000;
    expect(await kb.reembed({ batchSize: 4 })).toMatchObject({ scopes: [{ chunks: 12, embedded: 12, changed: true }] });
  });

  it("leaves a chunk that the model refuses its old vector, says which, and does not change over [T44]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest([...texts(9), { uri: "poison.txt", text: "poison" }]);
    const model = newModel((text) => {
      if (text.includes("poison")) throw new Error("Too long.");
      return [text.length, 1, 0];
    });
    const kb = over(store, model, [oldModel()]);
    const before = await dense(over(store, newModel(), [oldModel()]));
    const run = kb.reembed();
    const events = await collect<ReembedEvent>(run);
    const failed = events.filter(({ type }) => type === "failed");
    expect(failed).toMatchObject([{ type: "failed", scope: "deployment", error: { code: "embedding-failed" } }]);
    expect(events.filter(({ type }) => type === "reembedded")).toHaveLength(9);
    expect(await run).toMatchObject({ scopes: [{ chunks: 10, embedded: 9, failed: 1, changed: false }] });
    expect(await dense(over(store, newModel(), [oldModel()]))).toEqual(before);
    await kb.delete("poison.txt");
    expect(await kb.reembed()).toMatchObject({ scopes: [{ chunks: 0, changed: true }] });
  });

  it("refuses a second run of a scope, and a wrong dimension before anything is stored [T44 L6]", async () => {
    const store = await open();
    const kb = over(store, newModel(), [oldModel()]);
    await over(store, oldModel()).ingest(texts(6));
    const first = kb.reembed({ batchSize: 2 })[Symbol.asyncIterator]();
    await first.next();
    expect((await kb.status()).versions).toMatchObject([{ reembedding: true }]);
    await expect(kb.reembed({ scope: "deployment" })).rejects.toMatchObject({ code: "store-busy" });
    await expect(kb.as({ userId: "ada" }).reembed({ scope: "deployment" })).rejects.toMatchObject({
      code: "access-denied",
    });
    await first.return?.();
    expect((await kb.status()).versions).toMatchObject([{ reembedding: false }]);
    const wrong = newModel(() => [1, 2]);
    await expect(over(store, wrong, [oldModel()]).reembed()).rejects.toMatchObject({ code: "dimension-mismatch" });
    expect((await store.status(read("deployment"))).embeddingVersions).toMatchObject([{ model: "old", chunks: 6 }]);
    expect(await kb.reembed()).toMatchObject({ scopes: [{ embedded: 6, changed: true }] });
  });

  it("moves one scope while others stay, and asks each in its own version [T3 L3 L6]", async () => {
    const store = await open();
    await over(store, oldModel()).ingest(texts(5));
    await over(store, oldModel()).ingest(texts(5), { scope: "team:north" });
    const kb = over(store, newModel(), [oldModel()]);
    const old = await dense(kb, ["deployment"]);
    await kb.as({ teamId: "north" }).reembed();
    expect(await dense(kb, ["deployment"])).toEqual(old);
    const north = await dense(kb, ["team:north"]);
    expect(north).not.toEqual(old);
    const both = await dense(kb);
    expect(new Map(both)).toEqual(new Map([...old, ...north]));
    expect((await kb.status()).versions).toMatchObject([
      { scope: "deployment", current: { model: "old" } },
      { scope: "team:north", current: { model: "new" } },
    ]);
  });
});

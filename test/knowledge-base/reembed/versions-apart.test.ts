import { searchVectors } from "../../support/search-legs.ts";
import { embeddedText } from "../../../src/text/embedded-text.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGate, operator } from "../../../src/access/gate.ts";
import type { EmbeddingModel } from "../../../src/contracts/embedding-model.ts";
import { versionKey } from "../../../src/contracts/embedding.ts";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import type { Store } from "../../../src/contracts/store.ts";
import type { MediaTypeHandler } from "../../../src/contracts/media-type-handler.ts";
import type { ScopeVersions } from "../../../src/contracts/reembedding.ts";
import { collect } from "../../../src/testing/assert.ts";
import { createFixedEmbeddingModel } from "../../../src/testing/fixed-embedding-model.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { eachStore } from "../../stores/each-store.ts";
import { knowledgeBaseOver } from "../../support/knowledge-base-over.ts";
import { fewer } from "../../support/runs.ts";

/** One direction for each text and model, as if drawn: no two models agree on any text, though all have two dimensions. */
function direction(model: string, text: string): readonly [number, number] {
  const angle = (Number.parseInt(sha256(`${model} ${text}`).slice(0, 8), 16) / 2 ** 32) * 2 * Math.PI;
  return [Math.cos(angle), Math.sin(angle)];
}
const cosine = (model: string, a: string, b: string): number => {
  const [p, q] = [direction(model, a), direction(model, b)];
  return p[0] * q[0] + p[1] * q[1];
};

const names = ["one", "two", "three"] as const;
const modelOf = (model: string): EmbeddingModel =>
  createFixedEmbeddingModel({}, { model, dimensions: 2, otherwise: (text) => direction(model, text) });

/** A chunk for each line, so that what a document's chunks must be is known. */
const lines: MediaTypeHandler = {
  name: "lines",
  mediaTypes: ["text/plain"],
  handle: ({ bytes }) => ({ chunks: new TextDecoder().decode(bytes).split("\n") }),
};
const query = "a query";
const proof = createGate().read(operator, ["deployment"], ["deployment"]);

const document = fc.integer({ min: 0, max: 3 });
const text = fc.integer({ min: 0, max: 5 });
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("ingest" as const), document, text }) },
  fc.record({ type: fc.constant("delete" as const), document }),
  fc.record({ type: fc.constant("restore" as const), document }),
  { weight: 3, arbitrary: fc.record({ type: fc.constant("reembed" as const), document, text }) },
  fc.record({ type: fc.constant("rollback" as const) }),
  fc.record({ type: fc.constant("vacuum" as const) }),
  fc.record({ type: fc.constant("open" as const), model: fc.constantFrom(...names) }),
);
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

/** Some lines are in many texts, so that chunks are kept when a document changes. */
const linesOf = (document: number, text: number): readonly string[] =>
  Array.from({ length: 1 + (text % 3) }, (_, i) => `line ${(text + i) % 4} of ${document}`);

/** A knowledge base that goes from model to model, and what its documents must say. */
class World {
  readonly texts = new Map<string, readonly string[]>();
  readonly deleted = new Map<string, readonly string[]>();
  readonly kb: KnowledgeBase;
  readonly store: Store;
  readonly model: string;

  constructor(store: Store, model: string, before?: World) {
    this.store = store;
    this.model = model;
    this.texts = before?.texts ?? this.texts;
    this.deleted = before?.deleted ?? this.deleted;
    const former = names.filter((name) => name !== model).map(modelOf);
    this.kb = knowledgeBaseOver(store, modelOf(model), former, [lines]);
  }

  async ingest({ document: which, text: said }: { readonly document: number; readonly text: number }): Promise<void> {
    const uri = `${which}.txt`;
    const told = linesOf(which, said);
    const { current, previous } = await this.versions();
    const summary = await this.kb.ingest({ uri, text: told.join("\n") });
    expect(summary.failed).toBe(0);
    this.texts.set(uri, told);
    this.deleted.delete(uri);
    if (summary.unchanged === 1) return;
    // What comes while a scope has vectors of others gets those of all that it is searched by, or may be again.
    const wanted = new Set([this.model, current?.model, previous?.model].filter((name) => name !== undefined));
    for (const { embeddings = [], chunk } of await this.chunks())
      // A chunk that it shares with the text before may have kept more.
      if (chunk.uri === uri)
        expect(embeddings.map(({ version }) => version.model)).toEqual(expect.arrayContaining([...wanted]));
  }

  chunks() {
    return collect(this.store.chunks(proof, { includeEmbeddings: true }));
  }

  async versions(): Promise<Partial<ScopeVersions>> {
    return (await this.kb.status()).versions[0] ?? {};
  }

  /** **Shape** the world after it, which is another where a model was changed. */
  async live(one: Act): Promise<World> {
    const uri = "document" in one ? `${one.document}.txt` : "";
    switch (one.type) {
      case "ingest":
        await this.ingest(one);
        break;
      case "delete": {
        await this.kb.delete(uri);
        const told = this.texts.get(uri);
        if (told !== undefined) this.deleted.set(uri, told);
        this.texts.delete(uri);
        break;
      }
      case "restore": {
        const told = this.deleted.get(uri);
        if (told === undefined || this.texts.has(uri)) break;
        await this.kb.restore(uri);
        this.texts.set(uri, told);
        this.deleted.delete(uri);
        break;
      }
      case "reembed": {
        let isFirst = true;
        for await (const { type } of this.kb.reembed({ batchSize: 2 })) {
          await this.check();
          if (type === "reembedded" && isFirst) await this.ingest(one);
          isFirst = false;
        }
        break;
      }
      case "rollback":
        if ((await this.versions()).previous !== undefined) await this.kb.reembed({ rollback: true });
        break;
      case "vacuum":
        await this.kb.vacuum({ olderThanMs: 0 });
        this.deleted.clear();
        break;
      case "open":
        return new World(this.store, one.model, this);
    }
    return this;
  }

  async check(): Promise<void> {
    const chunks = await this.chunks();
    // Whole sets: what each document says now, every line of it, and nothing else.
    const held = new Map<string, string[]>();
    for (const { chunk } of chunks.toSorted((a, b) => a.chunk.start - b.chunk.start))
      held.set(chunk.uri, [...(held.get(chunk.uri) ?? []), chunk.urtext]);
    expect(held).toEqual(new Map(this.texts));

    const textOf = new Map(chunks.map(({ chunk }) => [chunk.id, embeddedText(chunk)]));
    for (const name of names) {
      const version = { provider: "testing", model: name, dimensions: 2, fingerprint: "named/1" };
      const has = chunks.filter(({ embeddings = [] }) =>
        embeddings.some((one) => versionKey(one.version) === versionKey(version)),
      );
      const found = await searchVectors(this.store, proof, { embedding: direction(name, query), version, topK: "all" });
      expect(found.map(({ chunk }) => chunk.id).toSorted()).toEqual(has.map(({ chunk }) => chunk.id).toSorted());
      for (const { chunk, score } of found)
        expect(score).toBeCloseTo(cosine(name, query, textOf.get(chunk.id) ?? ""), 4);
    }
    // And so a question is put to the vectors of one version alone: the one that its scope is searched by.
    const hits = await this.kb.search(query, { mode: "dense", topK: "all", explain: true });
    const { current } = await this.versions();
    for (const { text: said, source, explain } of hits) {
      const text = embeddedText({ ...source, text: said });
      expect(explain?.legs.dense?.score).toBeCloseTo(cosine(current?.model ?? "", query, text), 4);
    }
  }
}

describe.each(eachStore)("vectors of several models in a store in $name", ({ open }) => {
  it("are compared within one version only, whatever is ingested, re-embedded, led back and vacuumed [T37 T44 L6]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (acts) => {
        let world = new World(await open(), "one");
        for (const one of acts) {
          world = await world.live(one);
          await world.check();
        }
      }),
      { numRuns: fewer(5, 12) },
    );
  });
});

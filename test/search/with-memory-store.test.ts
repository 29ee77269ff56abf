import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { describe, expect, it } from "vitest";

import { createGate, operator } from "../../src/access/gate.ts";
import type { Analyzer } from "../../src/contracts/analyzer.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { FusionName, SearchMode } from "../../src/contracts/retriever.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createAnalyzer } from "../../src/text/analyzer.ts";
import { chunk } from "../stores/build.ts";

const gate = createGate();
const subjects = ["keys", "backups", "holidays", "invoices", "printers", "audits", "deployments"];
const actions = ["rotated", "restored", "requested", "paid", "repaired", "planned"];

/** A few hundred chunks that differ a little, so that pools overlap and ties occur. */
function createChunks(scope: Scope, count: number, seed: number): Chunk[] {
  return Array.from({ length: count }, (_, index) => {
    const pick = (list: readonly string[], factor: number): string => list[(index * factor + seed) % list.length] ?? "";
    const text = `The ${pick(subjects, 3)} and ${pick(subjects, 5)} are ${pick(actions, 7)} every ${(index % 9) + 1} days by team ${index % 4}.`;
    const id = `${scope}-${index}`;
    return chunk(id, text, {
      documentId: `d-${id}`,
      uri: `${id}.txt`,
      title: id,
      metadata: { year: 2020 + (index % 5) },
      origin: index % 10 === 0 ? "note" : "user-content",
    });
  });
}

async function open(scopes: Readonly<Record<string, number>>) {
  const store = createMemoryStore();
  const embedder = createEmbedder(createHashingModel(), { secret: store.secret });
  for (const [index, [scope, count]] of Object.entries(scopes).entries()) {
    const chunks = createChunks(scope as Scope, count, index);
    const { version, embeddings } = await embedder.embed(chunks, { purpose: "document" });
    const entries = chunks.map((chunk, at) => ({ chunk, embeddings: [{ version, embedding: embeddings[at] ?? [] }] }));
    await writeChunks(store, gate.write(operator, scope as Scope), entries);
  }
  return createRetriever({ store, embedder });
}

const query = "how often are the keys rotated by team 3?";
const everything = gate.read(operator, ["deployment", "team:a", "team:b"]);

describe("over the memory store", () => {
  it("scores a question by what it asks for: a question word that nobody wrote takes nothing away", async () => {
    const store = createMemoryStore({ corpusModel: latentSemanticModel });
    const texts = ["Die Schlüssel rotieren im März.", "Die Sicherung läuft nachts.", "Der Drucker ist im Keller."];
    const entries = texts.map((text, at) => ({ chunk: chunk(`c-${at}`, text, { title: "" }), embeddings: [] }));
    await writeChunks(store, gate.write(operator, "deployment"), entries);
    const retriever = createRetriever({ store });
    const best = async (question: string) =>
      (await retriever.retrieve(everything, question, { topK: 1, fusion: "absolute" }))[0];
    const [asked, said] = [await best("Wann werden die Schlüssel rotieren?"), await best("Schlüssel rotieren")];
    expect(asked?.chunkId).toBe("c-0");
    expect(asked?.score).toBe(said?.score);
    // Any other word that nobody wrote does.
    expect((await best("Schlüssel rotieren jährlich"))?.score).toBeLessThan(said!.score);
  });

  it("says what hits are written in, and looks for it once, when they are stored", async () => {
    let looks = 0;
    const languageOf = (text: string): string => {
      looks++;
      return text.includes("keys") ? "en" : "";
    };
    const analyzer: Analyzer = { ...createAnalyzer(), languageOf };
    const store = createMemoryStore({ analyzer });
    const [first, ...others] = createChunks("deployment", 40, 1);
    const entries = [{ ...first!, language: "de" }, ...others].map((chunk) => ({ chunk, embeddings: [] }));
    await writeChunks(store, gate.write(operator, "deployment"), entries);
    const retriever = createRetriever({ store, analyzer });
    const stored = looks;
    const hits = await retriever.retrieve(everything, "keys days team", { topK: 40 });
    expect(hits).toHaveLength(40);
    expect(looks).toBe(stored);
    for (const { chunkId, text, source } of hits) {
      const found = text.includes("keys") ? "en" : undefined;
      expect(source.language).toBe(chunkId === first!.id ? "de" : found);
    }
    // What a store does not say is found in the words.
    const unsaid = {
      session: async (...asked: Parameters<typeof store.session>) => {
        const session = await store.session(...asked);
        return {
          ...session,
          readChunks: async (...refs: Parameters<typeof session.readChunks>) =>
            (await session.readChunks(...refs)).map((read) => read && { ...read, language: undefined }),
        };
      },
    };
    expect(
      await createRetriever({ store: unsaid, analyzer }).retrieve(everything, "keys days team", { topK: 40 }),
    ).toEqual(hits);
    expect(looks).toBe(stored + 39);
  });

  it("asking for more never reorders the first [L11 T28 C10]", async () => {
    const retriever = await open({ deployment: 200, "team:a": 150 });
    const ways: [SearchMode, FusionName][] = [
      ["hybrid", "absolute"],
      ["hybrid", "weighted"],
      ["hybrid", "halves"],
      ["hybrid", "rrf"],
      ["dense", "absolute"],
      ["lexical", "absolute"],
    ];
    for (const [mode, fusion] of ways) {
      // By rank, a leg is looked into to a stated depth; within it the promise is the same.
      const most = fusion === "rrf" ? 32 : ("all" as const);
      const all = await retriever.retrieve(everything, query, { mode, fusion, topK: most });
      for (const topK of [1, 5, 17, 32]) {
        const some = await retriever.retrieve(everything, query, { mode, fusion, topK });
        expect({ mode, fusion, hits: some }).toEqual({ mode, fusion, hits: all.slice(0, topK) });
      }
    }
  });

  it("gives every match that there is, filtered or not [L4]", async () => {
    const retriever = await open({ deployment: 200 });
    for (const mode of ["hybrid", "dense", "lexical", "regex"] as const) {
      const asked = mode === "regex" ? "days" : query;
      const options = { mode, topK: 20, filter: { year: 2024 }, origins: ["note" as const] };
      const hits = await retriever.retrieve(everything, asked, options);
      const expected = createChunks("deployment", 200, 0).filter(
        ({ metadata, origin }) => metadata["year"] === 2024 && origin === "note",
      );
      expect([mode, hits.length]).toEqual([mode, Math.min(20, expected.length)]);
      expect(hits.every((hit) => hit.origin === "note" && hit.metadata["year"] === 2024)).toBe(true);
    }
  });

  it("what may not be read moves no hit, no order and no score [L3 T26]", async () => {
    const ada = gate.read({ teamId: "a" }, []);
    const alone = await open({ deployment: 60, "team:a": 40 });
    const among = await open({ deployment: 60, "team:a": 40, "team:b": 300 });
    for (const mode of ["hybrid", "dense", "lexical"] as const) {
      const options = { mode, topK: 25, explain: true };
      expect(await among.retrieve(ada, query, options)).toEqual(await alone.retrieve(ada, query, options));
    }
  });

  it("explains every score in numbers that add up [B33 L5]", async () => {
    const retriever = await open({ deployment: 120 });
    const hits = await retriever.retrieve(everything, query, { topK: 40, explain: true, fusion: "absolute" });
    expect(hits).toHaveLength(40);
    for (const { explain, score } of hits) {
      expect(explain?.fusion).toBe("absolute");
      expect(explain?.parts.reduce((sum, { value }) => sum + value, 0)).toBe(score);
      const { lexical = 0, name, document = 0, heading } = explain ?? {};
      expect(explain?.terms.reduce((sum, term) => sum + term.score, 0)).toBe(lexical);
      const whole = lexical + (name?.value ?? 0) + document + (heading?.value ?? 0);
      expect(whole).toBe(explain?.legs.lexical?.score ?? 0);
      const mass = Math.sqrt(explain?.queryTerms?.reduce((sum, { idf }) => sum + idf * idf, 0) ?? 0);
      expect(explain?.parts[0]?.value).toBe((explain?.legs.lexical?.score ?? 0) / mass);
    }
  });
});

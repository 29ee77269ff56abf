import { describe, expect, it, vi } from "vitest";
import { createGate, operator } from "../../src/access/gate.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { StoreSession } from "../../src/contracts/leg.ts";
import type { RetrieveOptions } from "../../src/contracts/retriever.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { takeRoom } from "../../src/engine/kernels/lent-room.ts";
import { runWaits } from "../../src/runtime/waits.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { fuse } from "../../src/search/fuse.ts";
import { createFusion } from "../../src/search/fusions.ts";
import type { SearchableStore } from "../../src/search/search-session.ts";
import type { Segment } from "../../src/engine/segments/segment.ts";
import type { ChunkNeeds } from "../../src/engine/vectors/nearest.ts";
import { findTogether } from "../../src/stores/segments/kept-chunks.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createRandom } from "../../src/testing/random.ts";
import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { chunk } from "../stores/build.ts";
import { fewer } from "../support/runs.ts";

const gate = createGate();
const words = Array.from(
  { length: 60 },
  (_, i) => `${"bcdfgklmnp"[i % 10]}${"aeiou"[i % 5]}rn${"aeiou"[(i / 7) & 3]}${i}`,
);
const centres = 16;
const dimensions = 24;

/** Vectors lie around a centre by the first word of a text: more of them than a pool holds. */
const clusters: EmbeddingModel = {
  provider: "test",
  model: "clusters",
  kind: "dense",
  dimensions,
  embed: (inputs) =>
    Promise.resolve({
      embeddings: inputs.map((input) => {
        const text = typeof input === "string" ? input : "";
        let seed = 7;
        for (let i = 0; i < text.length; i++) seed = (seed * 31 + text.charCodeAt(i)) % 1_000_003;
        const own = createRandom(seed);
        const centre = createRandom(1 + (words.indexOf(text.split(" ")[0]!) % centres));
        const vector = Array.from({ length: dimensions }, () => centre.next() - 0.5 + (own.next() - 0.5) / 2);
        const length = Math.hypot(...vector);
        return vector.map((each) => each / length);
      }),
    }),
};

/** A word: the first are frequent. */
const draw = (next: () => number): string => words[Math.floor(next() ** 3 * words.length)]!;

function createChunks(count: number): Chunk[] {
  const random = createRandom(11);
  const next = () => random.next();
  return Array.from({ length: count }, (_, i) => {
    const text = Array.from({ length: 4 + Math.floor(next() * 12) }, () => draw(next)).join(" ");
    return chunk(`c${i}`, text, {
      documentId: `d${i >> 2}`,
      uri: `d${i >> 2}.txt`,
      start: (i % 4) * 200,
      end: (i % 4) * 200 + text.length,
      title: i % 5 === 0 ? `${draw(next)} ${draw(next)}` : "",
      metadata: { even: i % 2 === 0 },
    });
  });
}

/** The store, which notes how its dense leg is asked, and how many chunks are looked up in one leg or the other. */
function noting(store: SearchableStore, asked: string[], lookedUp: number[]): SearchableStore {
  return {
    session: async (...given) => {
      const session = await store.session(...given);
      const legs = session.legs.map((leg): StoreSession["legs"][number] => ({
        ...leg,
        search(query, k, within = {}) {
          const { only, together, minScore } = within;
          if (only !== undefined) lookedUp.push(only.length);
          if (leg.name === "dense")
            asked.push(only ? "given" : together ? "kept" : minScore === undefined ? `best ${k}` : "on");
          return leg.search(query, k, within);
        },
      }));
      return { ...session, legs };
    },
  };
}

describe("a fusion whose pools are not enough", () => {
  it("gives the hits of whole legs, and searches the vectors once [T28 L5 L11]", async () => {
    const store = createMemoryStore();
    const embedder = createEmbedder(clusters, { secret: store.secret });
    const chunks = createChunks(4000);
    const { version, embeddings } = await embedder.embed(chunks, { purpose: "document" });
    await writeChunks(
      store,
      gate.write(operator, "deployment"),
      chunks.map((each, i) => ({ chunk: each, embeddings: [{ version, embedding: embeddings[i]! }] })),
    );
    const asked: string[] = [];
    const lookedUp: number[] = [];
    const retriever = createRetriever({ store: noting(store, asked, lookedUp), embedder });
    const everything = gate.read(operator, ["deployment"]);
    const random = createRandom(5);
    const next = () => random.next();
    let kept = 0;
    let wanted = 0;
    let found = 0;
    let searchedOnce = 0;
    const questions = fewer(16, 300);
    for (let i = 0; i < questions; i++) {
      const question = Array.from({ length: 1 + Math.floor(next() * 5) }, () => draw(next)).join(" ");
      const fusion = random.pick(["best", "halves", "weighted"] as const);
      const options: RetrieveOptions = {
        fusion,
        copies: "all",
        snippetLength: 0,
        ...(next() < 0.3 && { filter: { even: true } }),
        ...(next() < 0.2 && { minScore: 0.4 }),
        ...(fusion !== "best" && next() < 0.2 && { minFusedScore: 0.5 }),
        ...(next() < 0.2 && { pattern: draw(next) }),
      };
      const topK = random.pick([3, 10]);
      const show = (hits: Awaited<ReturnType<typeof retriever.retrieve>>) =>
        hits.map(({ chunkId, score }) => `${chunkId} ${score}`);
      const all = show(await retriever.retrieve(everything, question, { ...options, topK: "all" }));
      asked.length = 0;
      lookedUp.length = 0;
      const some = show(await retriever.retrieve(everything, question, { ...options, topK }));
      expect([question, options, ...some]).toEqual([question, options, ...all.slice(0, topK)]);
      if (!asked.includes("kept")) continue;
      kept++;
      if (options.pattern === undefined) {
        wanted += topK;
        found += lookedUp.reduce((sum, count) => sum + count, 0);
      }
      if (asked.filter((one) => one !== "given" && one !== "kept").length === 1) searchedOnce++;
    }
    expect(kept).toBeGreaterThan(questions / 4);
    expect(searchedOnce).toBeGreaterThan(kept / 2);
    // The chunks that a leg kept and the bounds of all bits leave few others that may be among the first.
    expect(found).toBeLessThan(wanted / 2);
  });
});

describe("bounds of given chunks", () => {
  it("hold between them what each leg scores, and are near one another [T28 L5]", async () => {
    const store = createMemoryStore();
    const embedder = createEmbedder(clusters, { secret: store.secret });
    const random = createRandom(23);
    const next = () => random.next();
    const chunks = createChunks(900).map((each, i): Chunk => {
      const headings = i % 3 === 0 ? [draw(next), `${draw(next)} ${draw(next)}`] : [];
      return { ...each, headings };
    });
    const { version, embeddings } = await embedder.embed(chunks, { purpose: "document" });
    await writeChunks(
      store,
      gate.write(operator, "deployment"),
      chunks.map((each, i) => ({ chunk: each, embeddings: [{ version, embedding: embeddings[i]! }] })),
    );
    const session = await store.session(gate.read(operator, ["deployment"]));
    let headed = 0;
    for (let i = 0; i < fewer(6, 60); i++) {
      const text = Array.from({ length: 1 + Math.floor(next() * 4) }, () => draw(next)).join(" ");
      const vector = { embedding: embeddings[i]!, version, scopes: ["deployment"] as const };
      const query = { question: text, text, syntax: "literal", embeddings: [vector] } as const;
      const legs = session.legs.filter(({ name }) => name === "lexical" || name === "dense");
      expect(legs).toHaveLength(2);
      for (const leg of legs) {
        const { matches } = await leg.search(query, "all", {});
        const [best] = matches;
        const { bounds, forget } = await leg.search(query, 3, { keep: true });
        const { most, least } = bounds!(matches)!;
        const wrong = matches.filter(({ score }, n) => !(least[n]! <= score && score <= most[n]!));
        expect([leg.name, text, ...wrong]).toEqual([leg.name, text]);
        const wide = matches.filter((_, n) => most[n]! - least[n]! > 0.1 * best!.score);
        // Only what the heading of a chunk gives is not known, where a name has the word.
        const named = wide.filter(({ why }) => why.kind === "terms" && why.fields!.names > 0);
        expect(wide).toEqual(named);
        headed += named.length;
        forget!();
      }
    }
    expect(headed).toBeGreaterThan(0);
  });
});

describe("a search that is stopped", () => {
  /** A signal that stops after so many looks at it. */
  const stopping = (looks: number): AbortSignal => {
    let left = looks;
    return {
      get aborted() {
        return left-- <= 0;
      },
      reason: new Error("stopped"),
    } as AbortSignal;
  };

  it("gives back the room of its bounds, at whichever step it stops [L5]", async () => {
    const store = createMemoryStore();
    const embedder = createEmbedder(clusters, { secret: store.secret });
    const chunks = createChunks(600);
    const { version, embeddings } = await embedder.embed(chunks, { purpose: "document" });
    await writeChunks(
      store,
      gate.write(operator, "deployment"),
      chunks.map((each, i) => ({ chunk: each, embeddings: [{ version, embedding: embeddings[i]! }] })),
    );
    const query = {
      question: words[0]!,
      text: words[0]!,
      syntax: "literal",
      embeddings: [{ embedding: embeddings[0]!, version, scopes: ["deployment"] }],
    } as const;
    const session = await store.session(gate.read(operator, ["deployment"]));
    const fusion = createFusion({ name: "best", weights: undefined, half: undefined }, true);
    const legs = session.legs.filter(({ name }) => name === "lexical" || name === "dense");
    expect(legs).toHaveLength(2);
    // A slice for each step.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
    // It is the first to go where no room is free.
    const held = takeRoom(1);
    const outcomes: string[] = [];
    try {
      for (let looks = 0; !outcomes.includes("ended"); looks++) {
        for (let i = 0; i < 16; i++) {
          const within = { signal: stopping(looks) };
          const asked = legs.map((leg) => ({ leg, query, within }));
          await runWaits(fuse({ legs: asked, fusion, wanted: 3, readPlaces: () => [] })).then(
            () => outcomes.push("ended"),
            () => outcomes.push("stopped"),
          );
        }
        expect([looks, held.numbers === undefined]).toEqual([looks, false]);
      }
    } finally {
      clock.mockRestore();
      held.close();
    }
    expect(outcomes.filter((one) => one === "stopped").length).toBeGreaterThan(100);
  });
});

describe("chunks that a leg kept", () => {
  const segment = {} as Segment;
  /** Ten chunks that score 1, .9 … .1 at most. */
  const uppers = Array.from({ length: 10 }, (_, i) => 1 - i / 10);
  const kept = {
    close() {},
    chunks: (least: number) => {
      const ordinals = [...uppers.keys()].filter((i) => uppers[i]! >= least);
      return [{ segment, ordinals, uppers: ordinals.map((i) => uppers[i]!) }];
    },
    bounds: (_: Segment, ordinals: readonly number[]) => ({
      most: ordinals.map((i) => uppers[i]!),
      least: ordinals.map(() => -Infinity),
    }),
  };
  const bound = {
    least: 0,
    wanted: 3,
    leastScore: 0,
    part: (_: string, score: number) => score,
    others: [{ leg: "words", most: 3 }],
  };
  const give = (score: (ordinal: number) => number) => (_: Segment, ordinals: readonly number[]) =>
    Float64Array.from(ordinals, score);
  /** Words give chunk 6 the most, and chunk 9 nothing. */
  const given = (ordinal: number): number => (ordinal === 6 ? 2 : ordinal === 9 ? 0 : 1);
  const unknown = { sums: () => undefined, most: () => Infinity, bounds: () => undefined, close() {} };
  const words = { ...unknown, uppers: give(given) };
  const ordinalsOf = (found: ReturnType<typeof findTogether>): readonly number[] => found!.found[0]!.ordinals;
  const find = (more: object): readonly number[] =>
    ordinalsOf(findTogether("dense", kept, { ...bound, ...more }, () => words));
  /** With narrower bounds: each chunk scores a tenth less than it seemed to at most, and .05 less than that at least. */
  const narrow = (more: object, least = given, minScore?: number) => {
    const bounds = (_: Segment, ordinals: readonly number[]) => ({
      most: ordinals.map((i) => uppers[i]! - 0.1),
      least: ordinals.map((i) => uppers[i]! - 0.15),
    });
    const scores = {
      ...words,
      bounds: (...of: Parameters<typeof words.uppers>) => ({ most: words.uppers(...of), least: give(least)(...of) }),
    };
    return findTogether("dense", { ...kept, bounds }, { ...bound, ...more }, () => scores, minScore)!;
  };

  it("are left out below the least in sum, and kept at it", () => {
    // 1 + 1, .9 + 1, …; .4 + 2 by words.
    expect(find({ least: 1.7 })).toEqual([0, 1, 2, 3, 6]);
    expect(find({ least: 1.7000001 })).toEqual([0, 1, 2, 6]);
    expect(find({ least: 1.85 })).toEqual([0, 1, 6]);
    expect(find({ least: 0 })).toHaveLength(10);
  });

  it("are left out where they score too little in the leg that kept them", () => {
    expect(find({ least: 1.7, leastScore: 0.75 })).toEqual([0, 1, 2]);
  });

  it("get as much of another leg as its bound says, also where that is more than it gives outside its pool", () => {
    expect(find({ least: 1.7, others: [{ leg: "words", most: 1.2 }] })).toEqual([0, 1, 2, 3, 6]);
  });

  it("count with the most that a leg gives where it keeps no bounds, or has lost them", () => {
    expect(ordinalsOf(findTogether("dense", kept, { ...bound, least: 3.75 }, () => undefined))).toEqual([0, 1, 2]);
    const lost = { ...unknown, uppers: () => undefined };
    expect(ordinalsOf(findTogether("dense", kept, { ...bound, least: 3.75 }, () => lost))).toEqual([0, 1, 2]);
  });

  it("are left out by narrower bounds", () => {
    expect(ordinalsOf(narrow({ least: 1.75, wanted: 10 }))).toEqual([0, 1, 6]);
  });

  it("are left out below the sum that so many of them surely reach", () => {
    // 6 reaches 2.25, 0 reaches 1.85 and 1 reaches 1.75.
    const { least, found } = narrow({});
    expect(least).toBeCloseTo(1.75, 9);
    expect(least).toBeLessThanOrEqual(1.75);
    expect(found[0]!.ordinals).toEqual([0, 1, 6]);
    expect(ordinalsOf(narrow({ wanted: 4 }))).toEqual([0, 1, 2, 6]);
    expect(narrow({ wanted: 11 }).least).toBe(0);
    expect(narrow({ least: 1.8 }).least).toBe(1.8);
  });

  it("count for that sum where both legs surely find them", () => {
    expect(narrow({ wanted: 1 }, () => 0).least).toBe(0);
    expect(narrow({ wanted: 1 }, (ordinal) => (ordinal === 6 ? 0 : given(ordinal))).least).toBeCloseTo(1.85, 9);
    expect(narrow({ wanted: 1 }, given, 0.6).least).toBeCloseTo(1.85, 9);
  });

  it("need a score in the leg by the sum that words kept, which is never more than they need", () => {
    const sums = new Float32Array([0, 0.001, 0.25, 0.5, 0.999, 1, 2, 40]);
    const scores = { ...words, sums: () => ({ sums, first: 0 }), most: (sum: number) => (sum > 0 ? sum + 0.5 : 0) };
    let asked: ChunkNeeds | undefined;
    const chunks = (_: number, needs?: (of: Segment) => ChunkNeeds | undefined) => {
      asked = needs?.(segment);
      return [];
    };
    findTogether("dense", { ...kept, chunks }, { ...bound, least: 1.7, leastScore: 0.1 }, () => scores);
    const { leasts, perSum } = asked!;
    const needed = Array.from(
      sums,
      (sum) => leasts[sum === 0 ? 0 : Math.min(leasts.length - 1, 1 + Math.floor(sum * perSum))]!,
    );
    const exact = Array.from(sums, (sum) => Math.max(0.1, 1.7 - Math.min(3, scores.most(sum))));
    for (const [i, one] of needed.entries()) expect(one).toBeLessThanOrEqual(exact[i]!);
    for (const [i, one] of needed.entries()) expect(one).toBeGreaterThan(exact[i]! - 0.26);
  });

  it("are none where the leg itself has lost its bounds", () => {
    expect(findTogether("dense", { ...kept, chunks: () => undefined }, bound, () => words)).toBeUndefined();
  });
});

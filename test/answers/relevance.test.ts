import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { describeRelevance, type RelevanceFigures } from "../../src/answers/relevance/describe-relevance.ts";
import { judgeRelevance, toProbability } from "../../src/answers/relevance/judge-relevance.ts";
import { relevanceModel } from "../../src/answers/relevance/weights.ts";
import type { Hit, LegScores } from "../../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { runs } from "../support/runs.ts";

interface Term {
  readonly term: string;
  readonly idf: number;
  readonly chunks?: number;
}

function makeHit(text: string, queryTerms: readonly Term[], more: Partial<Hit> & { strength?: number } = {}): Hit {
  const { strength = 0.5, ...rest } = more;
  return {
    rank: 1,
    score: 1,
    chunkId: "c",
    documentId: "d",
    scope: "deployment",
    text,
    snippet: "",
    source: { uri: "d", title: "Handbook", headings: [], start: 0, end: text.length, language: "en" },
    metadata: {},
    origin: "user-content",
    evidence: strength >= 0.4,
    explain: {
      fusion: "absolute",
      legs: {},
      parts: [],
      terms: [],
      queryTerms: queryTerms.map((each) => ({ count: 1, chunks: 1, ...each })),
      strength,
    },
    ...rest,
  };
}

const judge = (question: string, hits: readonly Hit[]) =>
  judgeRelevance(question, hits, { analyzer: languageAnalyzer });
const terms = [
  { term: "crane", idf: 3 },
  { term: "key", idf: 1, chunks: 4 },
  // Three times as rare as with one chunk.
  { term: "zebra", idf: 4 + Math.log(3), chunks: 0 },
];

describe("figures of relevance", () => {
  it("weigh the terms of two adjacent sentences by rarity", () => {
    const near = makeHit("The crane stands still. Its keys hang in the shed.", terms, { strength: 0.3 });
    const far = makeHit("The crane stands still. It rains. Nobody is there. Its keys hang in the shed.", terms, {
      score: 0.5,
      strength: 0.6,
    });
    const figures = describeRelevance("crane keys zebra", [far, near], languageAnalyzer)!;
    expect(figures.pair).toBeCloseTo(4 / 8, 12);
    // The best score belongs to the near hit, which comes second; the far one holds 3 of 8 at half its score.
    expect(figures.weightedPair).toBeCloseTo(4 / 8, 12);
    expect(describeRelevance("crane keys zebra", [far], languageAnalyzer)!.weightedPair).toBeCloseTo(3 / 8, 12);
    expect(figures.topStrength).toBe(0.6);
    expect(figures.strength).toBe(0.6);
    expect(figures.unknown).toBeCloseTo(4 / 8, 12);
    expect(figures.terms).toBeCloseTo(Math.log(3), 12);
  });

  it("take a missing term for less in a collection of few chunks", () => {
    const few = [
      { term: "crane", idf: 1 },
      { term: "zebra", idf: 1 + Math.log(3), chunks: 0 },
    ];
    const hit = makeHit("The crane stands still.", few);
    expect(describeRelevance("crane zebra", [hit], languageAnalyzer)!.unknown).toBeCloseTo(1 / 8, 12);
  });

  it.each([
    [5000, 5000],
    [20, 100],
    [1_000_000, 10_000],
  ])("tell by the rarity of a term that %i chunks were searched, within bounds", (total, counted) => {
    const known = [0, 3, 12].map((chunks) => {
      const idf = Math.log(1 + (total - chunks + 0.5) / (chunks + 0.5));
      return { term: `t${chunks}`, idf, chunks };
    });
    const hit = makeHit("t3 stands by t12.", known);
    const { chunks } = describeRelevance("t0 t3 t12", [hit], languageAnalyzer)!;
    expect(Math.exp(chunks) / counted).toBeCloseTo(1, 3);
  });

  it("count a term once, in whatever form the question repeats it", () => {
    const hit = makeHit("The crane stands still.", terms);
    expect(describeRelevance("crane cranes crane", [hit], languageAnalyzer)).toMatchObject({ pair: 1, terms: 0 });
  });

  it("leave out what a link points at", () => {
    const hit = makeHit("See [the page](https://example.com/crane) on lifting.", terms);
    expect(describeRelevance("crane", [hit], languageAnalyzer)!.pair).toBe(0);
  });

  it("count three signs of an unspaced script as one word", () => {
    const signs = ["港", "港口", "口", "口起", "起", "起重"];
    const hit = makeHit(
      "港口起重机。",
      signs.map((term) => ({ term, idf: 1 })),
      {
        source: { uri: "d", title: "", headings: [], start: 0, end: 6, language: "zh" },
      },
    );
    const figures = describeRelevance("港口起重", [hit], languageAnalyzer)!;
    expect(figures.pair).toBe(1);
    expect(figures.terms).toBeLessThan(Math.log(3));
  });

  it("are absent where no hit explains the question's terms", () => {
    const { explain: _, ...hit } = makeHit("The crane stands still.", terms);
    expect(describeRelevance("crane", [hit], languageAnalyzer)).toBeUndefined();
    expect(judge("crane", [hit]).value).toBe(0.5);
    expect(judge("crane", [{ ...hit, evidence: false }]).value).toBe(0.05);
    expect(judge("crane", [])).toEqual({ value: 0, threshold: relevanceModel.threshold, by: "words" });
  });
});

describe("relevance by words", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const figures: fc.Arbitrary<RelevanceFigures> = fc.record({
    pair: share,
    weightedPair: share,
    topStrength: share,
    strength: share,
    terms: fc.double({ min: 0, max: 5, noNaN: true }),
    unknown: share,
    chunks: fc.double({ min: Math.log(100), max: Math.log(10_000), noNaN: true }),
  });

  it("never falls with coverage or strength, and never rises with unknown terms or the number of chunks", () => {
    const upward = ["pair", "weightedPair", "topStrength", "strength"] as const;
    fc.assert(
      fc.property(figures, fc.constantFrom(...upward), share, (before, name, value) => {
        const after = { ...before, [name]: Math.max(before[name], value) };
        expect(toProbability(after, relevanceModel)).toBeGreaterThanOrEqual(toProbability(before, relevanceModel));
        const unknown = { ...before, unknown: Math.max(before.unknown, value) };
        expect(toProbability(unknown, relevanceModel)).toBeLessThanOrEqual(toProbability(before, relevanceModel));
        const larger = { ...before, chunks: before.chunks + value };
        expect(toProbability(larger, relevanceModel)).toBeLessThanOrEqual(toProbability(before, relevanceModel));
      }),
      { numRuns: runs(200) },
    );
  });

  it("never falls when a hit gains a word of the question", () => {
    const sentence = fc.array(fc.constantFrom("crane", "key", "rain", "shed", "ladder", "rope"), {
      minLength: 1,
      maxLength: 6,
    });
    const asked = ["crane", "key", "rope"];
    const known = asked.map((term, at) => ({ term, idf: at + 1 }));
    const text = (sentences: readonly (readonly string[])[]): string =>
      sentences.map((words) => `The ${words.join(" ")}.`).join(" ");
    fc.assert(
      fc.property(
        fc.array(fc.array(sentence, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.constantFrom(...asked),
        (bodies, chosen, word) => {
          const at = chosen % bodies.length;
          const richer = bodies.map((body, i) => (i === at ? [[...body[0]!, word], ...body.slice(1)] : body));
          const value = (all: readonly (readonly (readonly string[])[])[]): number =>
            judge(
              asked.join(" "),
              all.map((body, i) => makeHit(text(body), known, { score: 1 / (i + 1) })),
            ).value;
          expect(value(richer)).toBeGreaterThanOrEqual(value(bodies));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it("depends on the first five hits alone, and gives the same value each time", () => {
    const hits = Array.from({ length: 5 }, () => makeHit("The crane stands still.", terms));
    const more = [...hits, makeHit("The crane needs its keys.", terms, { strength: 2, score: 0.1 })];
    expect(judge("crane keys", more)).toEqual(judge("crane keys", hits));
    expect(judge("crane keys", hits)).toEqual(judge("crane keys", hits));
  });

  it("does not refuse what an embedding model that sees meaning, or a pattern, vouches for", () => {
    const weak = makeHit("Nothing is said.", terms, { strength: 0.1 });
    const vouched = (fusion: string, legs: LegScores): number =>
      judge("crane keys", [{ ...weak, evidence: true, explain: { ...weak.explain!, fusion, legs } }]).value;
    expect(judge("crane keys", [weak]).value).toBeLessThan(relevanceModel.threshold);
    expect(vouched("weighted", { dense: { score: 0.6, rank: 1 } })).toBe(0.5);
    expect(vouched("absolute", { pattern: { score: 1, rank: 1 } })).toBe(0.5);
    expect(vouched("absolute", { dense: { score: 0.6, rank: 1 } })).toBeLessThan(relevanceModel.threshold);
    expect(vouched("weighted", { dense: { score: 0.2, rank: 1 } })).toBeLessThan(relevanceModel.threshold);
  });

  it("takes the threshold that is asked for", () => {
    const options = { analyzer: languageAnalyzer, minRelevance: 0.9 };
    expect(judgeRelevance("crane", [makeHit("The crane.", terms)], options).threshold).toBe(0.9);
  });
});

/** A manual of a harbour, a page for each tool. */
const tools = ["crane", "winch", "forklift", "pump", "compressor", "generator", "lighthouse", "dredger"];
const parts = ["brake", "filter", "battery", "chain", "valve", "switch"];
const pages = tools.flatMap((tool, t) =>
  parts.map((part, p) => ({
    uri: `manual/${tool}-${part}.md`,
    mediaType: "text/markdown",
    text: `# ${tool}: ${part}\n\nThe ${part} of the ${tool} is inspected every ${t + p + 2} weeks. Replace the ${part} of the ${tool} with model ${t}${p}7.`,
  })),
);
const offTopic = [
  "How long does a pizza bake?",
  "Which wine goes with salmon?",
  "How do I knit a scarf?",
  "What should I feed a hedgehog?",
  "Who won the chess tournament yesterday?",
  "How do I remove a stain from a linen shirt?",
];

describe("a manual, asked", () => {
  it("answers under strict what it knows, and refuses pizza", async () => {
    await using kb = await openKnowledgeBase();
    await kb.ingest(pages, { settle: true });
    for (const tool of tools.slice(0, 4)) {
      const answer = await kb.ask(`How often is the battery of the ${tool} inspected?`, { grounding: "strict" });
      expect(answer.kind).toBe("quotes");
      expect(answer.relevance!.value).toBeGreaterThan(answer.relevance!.threshold);
    }
    for (const question of offTopic) {
      expect(await kb.ask(question, { grounding: "strict" })).toMatchObject({
        kind: "refused",
        refusal: "no-evidence",
      });
    }
  });

  it("gives a reader the same relevance whatever hidden documents say [L5]", async () => {
    const relevances = async (hidden: readonly string[]): Promise<readonly unknown[]> => {
      await using kb = await openKnowledgeBase();
      await kb.ingest(pages.slice(0, 12), { settle: true, scope: "team:north" });
      if (hidden.length > 0) {
        const secrets = hidden.map((text, at) => ({ uri: `secret-${at}`, text }));
        await kb.ingest(secrets, { settle: true, scope: "team:south" });
      }
      const view = kb.as({ userId: "ada", teamId: "north" });
      const asked = ["How often is the chain of the crane inspected?", ...offTopic.slice(0, 3)];
      return await Promise.all(asked.map(async (question) => (await view.ask(question)).relevance));
    };
    const alone = await relevances([]);
    expect(await relevances(["A pizza bakes for nine minutes.", "The chain of the crane is inspected daily."])).toEqual(
      alone,
    );
  });
});

import { describe } from "vitest";

import type { Hit, Retriever, RetrieveOptions, WrapRetriever } from "../../src/contracts/retriever.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { expandHits } from "../../src/search/around/expand-hits.ts";
import { createRetrieverPack, type RetrieverSubject } from "../../src/testing/retriever-pack.ts";
import { from, deployment, south } from "../../src/testing/store-fixtures.ts";
import { type Mutant, runMutants } from "./mutants.ts";
import { retrieverOver } from "./retriever-over.ts";

const subject = (wrap: WrapRetriever): RetrieverSubject => ({
  create: (texts) => retrieverOver(texts, createHashingModel(), wrap),
  modes: ["hybrid", "lexical"],
});

/** A retriever that hands out something else than was found. */
const answering = (change: (hits: readonly Hit[], options: RetrieveOptions) => readonly Hit[]): RetrieverSubject =>
  subject((base) => ({
    retrieve: async (scopes, query, options = {}) => change(await base.retrieve(scopes, query, options), options),
  }));

const each = (change: (hit: Hit) => Hit): RetrieverSubject => answering((hits) => hits.map(change));

/** A retriever that asks for something else than it was asked. */
const asking = (change: (...args: Parameters<Retriever["retrieve"]>) => Parameters<Retriever["retrieve"]>) =>
  subject((base) => ({ retrieve: (...args) => base.retrieve(...change(...args)) }));

const without = (options: RetrieveOptions, name: keyof RetrieveOptions): RetrieveOptions =>
  Object.fromEntries(Object.entries(options).filter(([key]) => key !== name));

const numbered = (hits: readonly Hit[]): readonly Hit[] => hits.map((hit, index) => ({ ...hit, rank: index + 1 }));

const mutants: readonly Mutant<RetrieverSubject>[] = [
  [
    "looks in every scope",
    "retriever/hybrid/only-what-may-be-read",
    asking((_, query, options) => [from(deployment, south), query, options]),
  ],
  [
    "takes the words of the text around a hit from elsewhere",
    "retriever/hybrid/a-document-in-chunks",
    each((hit) => ({ ...hit, source: { ...hit.source, start: hit.source.start + 1, end: hit.source.end + 1 } })),
  ],
  [
    "joins the texts of two hits with a space",
    "retriever/hybrid/a-document-in-chunks",
    answering((hits) => {
      const [one, other] = hits.filter(({ source }) => source.uri === "manual.md");
      if (one === undefined || other === undefined) return hits;
      return [{ ...one, text: `${one.text} ${other.text}` }, ...hits.filter((hit) => hit !== one && hit !== other)];
    }),
  ],
  [
    "shortens a text",
    "retriever/hybrid/best-first-and-whole",
    each((hit) => ({ ...hit, text: hit.text.slice(0, 20) })),
  ],
  ["has a score that is none", "retriever/hybrid/best-first-and-whole", each((hit) => ({ ...hit, score: Number.NaN }))],
  ["hands out a distance", "retriever/hybrid/best-first-and-whole", each((hit) => ({ ...hit, score: -hit.score }))],
  ["forgets to sort", "retriever/hybrid/best-first-and-whole", answering((hits) => numbered(hits.toReversed()))],
  [
    "does not number them anew",
    "retriever/hybrid/best-first-and-whole",
    answering((hits) => hits.map((hit) => ({ ...hit, rank: 1 }))),
  ],
  [
    "gives a hit twice",
    "retriever/hybrid/a-document-in-chunks",
    answering((hits) => hits.flatMap((hit) => [hit, hit])),
  ],
  [
    "drops the filter",
    "retriever/hybrid/filters-and-origins",
    asking((scopes, query, options = {}) => [scopes, query, without(options, "filter")]),
  ],
  [
    "drops the options",
    "retriever/hybrid/bad-questions-refused",
    asking((scopes, query, options = {}) => [scopes, query, { mode: options.mode ?? "hybrid" }]),
  ],
  [
    "gives more than was asked for",
    "retriever/hybrid/limits",
    asking((scopes, query, options = {}) => [
      scopes,
      query,
      { ...options, topK: typeof options.topK === "number" ? options.topK * 2 : (options.topK ?? 10) },
    ]),
  ],
  [
    "adds to a score what it does not explain",
    "retriever/hybrid/explained",
    each((hit) => ({ ...hit, score: hit.score + 1 })),
  ],
  [
    "hands out vectors that nobody asked for",
    "retriever/hybrid/best-first-and-whole",
    asking((scopes, query, options) => [scopes, query, { ...options, includeEmbeddings: true }]),
  ],
  [
    "goes on when told to stop",
    "retriever/hybrid/stops-when-told",
    asking((scopes, query, options = {}) => [scopes, query, without(options, "signal")]),
  ],
  [
    "reads documents without the proof of the search",
    "retriever/hybrid/only-what-may-be-read",
    subject((base, { documents, analyzer }) => {
      const widened = expandHits(base, { documents, analyzer, neighbours: 1 });
      return { retrieve: (_, query, options) => widened.retrieve(from(deployment, south), query, options) };
    }),
  ],
];

describe("a retriever with a fault is noticed by the pack [L1 L3 L4 L5]", () => {
  runMutants(createRetrieverPack, mutants);
});

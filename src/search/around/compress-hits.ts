import type { Analyzer } from "../../contracts/analyzer.ts";
import type { ChatModel } from "../../contracts/chat.ts";
import { IbidError, type IbidErrorCode } from "../../contracts/errors.ts";
import type { Retriever, RetrieverParts } from "../../contracts/retriever.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { findSubject } from "../find-subject.ts";
import { findBearingRun, type SentenceRun, sentencesOf } from "./bearing-sentences.ts";
import { chooseSentences, type SentencedHit } from "./choose-sentences.ts";
import { createHitDocuments, createMover } from "./move-hit.ts";
import { addStep, withoutExtras } from "./rank-hits.ts";
import { isInWords, readRequest } from "./read-request.ts";
import { checkCount } from "./write-queries.ts";

/**
 * Parts of a hit to keep, and the judge of them.
 *
 * @experimental
 */
export interface CompressHitsOptions {
  readonly documents: RetrieverParts["documents"];
  /** Chooses sentences by their numbers. Default: none; those are kept that hold what was asked. */
  readonly model?: ChatModel | undefined;
  /** Without a model: the share of the query's rarity that a sentence must hold to pay for itself, from 0 to 1. Default 0.2. */
  readonly minShare?: number | undefined;
  /** Sentences kept before and after those that bear on the query: what is meant by "it" often stands next to it. Default 1. */
  readonly around?: number | undefined;
  /** Longer than that the model is not waited for. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Called when the model's choice was not used, with the reason. Throwing in it fails nothing. */
  readonly onFallback?: ((reason: IbidErrorCode) => void) | undefined;
  /** Default: the core's; give the knowledge base's own. */
  readonly analyzer?: Analyzer | undefined;
}

const known = {
  documents: true,
  model: true,
  minShare: true,
  around: true,
  timeoutMs: true,
  onFallback: true,
  analyzer: true,
} as const;
const defaults = { minShare: 0.2, around: 1, timeoutMs: 10_000 } as const;

/**
 * Narrows each hit to the sentences about the query.
 *
 * A hit's text is never shortened: this makes hits of narrower places. `start` and `end` narrow with the text, which is one run of the document's own sentences. So
 * every citation resolves; `explain.steps` has the hit's former place.
 *
 * **Shape** as many hits as the retriever within gives, with their scores and in their order. Some hits stay whole: without a word of the query (found by
 * meaning), without a chosen sentence, or without a stored document. So do all hits of a pattern or of Lucene's syntax, and, but for a choice by words, all when the model fails.
 * **Errors** errors of the retriever within and of `documents`; `invalid-argument` for invalid bounds.
 * **Cost** reads the document of each hit and analyses its sentences; with a model one call.
 * **Source** contextual compression, Embabel; Xu, Shi and Choi, RECOMP (2023), in its extractive form.
 *
 * @experimental
 */
export function compressHits(retriever: Retriever, options: CompressHitsOptions): Retriever {
  checkGiven("compressHits", "options", options, "object");
  checkOptions("compressHits", options, known);
  const { documents, model, minShare = defaults.minShare, around = defaults.around } = options;
  const { timeoutMs = defaults.timeoutMs, analyzer = defaultAnalyzer } = options;
  checkCount("compressHits", "timeoutMs", options.timeoutMs);
  if (around !== 0) checkCount("compressHits", "around", around);
  if (!(minShare >= 0 && minShare <= 1)) {
    throw new IbidError("invalid-argument", `compressHits: minShare is ${String(minShare)}.`, {
      hint: "Give a share from 0 to 1.",
    });
  }
  return {
    async retrieve(scopes, query, search = {}) {
      const plan = readRequest(scopes, query, search);
      if (!isInWords(plan)) return retriever.retrieve(scopes, query, search);
      // The explanation holds the idf of the query's words.
      const hits = await retriever.retrieve(scopes, query, { ...search, explain: true });
      const read = createHitDocuments(documents, scopes);
      const move = createMover(query, plan, analyzer);
      const sentenced = hits.map((hit): SentencedHit => ({ hit, sentences: sentencesOf(hit.text) }));
      const chosen = model && (await chooseSentences(model, query, sentenced, timeoutMs, search));
      const fallback = chosen && "fallback" in chosen ? chosen.fallback : undefined;
      if (fallback !== undefined) tell(options.onFallback, fallback);
      const { text: subject } = findSubject(query, analyzer);

      const compressed = await Promise.all(
        sentenced.map(async ({ hit, sentences }, index) => {
          const run =
            chosen && "runs" in chosen
              ? chosen.runs[index]
              : findBearingRun(hit, sentences, subject, analyzer, minShare);
          const found = run && (await read(hit));
          const said = fallback === undefined ? hit : addStep(hit, { retriever: "compressHits", fallback });
          if (run === undefined || found === undefined) return said;
          const { start, end } = widen(run, sentences, around);
          if (start === 0 && end >= hit.text.trimEnd().length) return said;
          const from = { start: hit.source.start, end: hit.source.end };
          const moved = move(hit, found, { start: from.start + start, end: from.start + end });
          return addStep(moved, { retriever: "compressHits", from, ...(fallback && { fallback }) });
        }),
      );
      return compressed.map((hit) => withoutExtras(hit, plan));
    },
  };
}

/** A run of sentences with some around it. **Units** UTF-16, into the hit's text. */
function widen({ first, last }: SentenceRun, sentences: SentencedHit["sentences"], around: number) {
  const from = sentences[Math.max(0, first - around)]!;
  const to = sentences[Math.min(sentences.length - 1, last + around)]!;
  return { start: from.start, end: to.end };
}

function tell(onFallback: CompressHitsOptions["onFallback"], reason: IbidErrorCode): void {
  try {
    onFallback?.(reason);
  } catch {
    // An error of `onFallback` must not fail the search.
  }
}

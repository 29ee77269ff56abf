import type { Reranker } from "../contracts/retriever.ts";
import { check, equal } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { ContractCase } from "./contract-case.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Contract of every {@link Reranker}: one finite score for each text, in the order of the texts.
 *
 * @experimental
 */
export function createRerankerPack(subject: {
  create(): Reranker;
  /** A query, a text that answers it, and one that does not: the first must score higher. */
  readonly example?: { readonly query: string; readonly better: string; readonly worse: string } | undefined;
}): readonly ContractCase[] {
  checkSubject("createRerankerPack", subject);
  const list = ["rotate keys every month", "the sea is calm", "👩‍🚀 鍵", "x"];
  return defineCases("reranker", [
    [
      "one-score-for-each-text",
      "B33 T24 T28 L5",
      async () => {
        const reranker = subject.create();
        check(reranker.name.trim() !== "", "it has a name");
        for (const texts of [[], list.slice(0, 1), list]) {
          const scores = await reranker.rerank("rotate keys", texts);
          equal(scores.length, texts.length, `scores of ${texts.length} texts`);
          check(scores.every(Number.isFinite), "a score is not a finite number", scores);
        }
        const { maxBatchSize } = reranker;
        check(
          maxBatchSize === undefined || (Number.isSafeInteger(maxBatchSize) && maxBatchSize > 0),
          "maxBatchSize",
          maxBatchSize,
        );
      },
    ],
    [
      "scores-follow-their-texts",
      "B33 L11",
      async () => {
        const reranker = subject.create();
        const scores = await reranker.rerank("rotate keys", list);
        const reversed = await reranker.rerank("rotate keys", list.toReversed());
        equal(reversed.toReversed(), scores, "scores of the texts in another order");
      },
    ],
    [
      "higher-is-better",
      "B33 L5",
      async () => {
        if (subject.example === undefined) return;
        const { query, better, worse } = subject.example;
        const [high, low] = await subject.create().rerank(query, [better, worse]);
        check((high ?? 0) > (low ?? 0), "the text that answers scores higher", [high, low]);
      },
    ],
  ]);
}

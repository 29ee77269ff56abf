import { hasEvidence } from "../../answers/answer-question.ts";
import { readFollowUp } from "../../answers/follow-up.ts";
import type { Turn } from "../../answers/read-history.ts";
import { rewriteQuestion } from "../../answers/rewrite-question.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Grounding } from "../../contracts/answer.ts";
import type { ChatModel, Usage } from "../../contracts/chat.ts";
import type { Hit, RetrieveOptions, Retriever } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { Store } from "../../contracts/store.ts";
import { compareHits, numberHits } from "../../search/around/rank-hits.ts";
import { hitTextReader, joinTouching } from "../../search/join-touching.ts";

/** A question that may follow up on others, and the retriever that searches for it. */
export interface HistorySearch {
  readonly retriever: Retriever;
  readonly scopes: AuthorizedScopes;
  /** Reads the text of joined hits. Default: those whose chunks overlap are joined without. */
  readonly store?: Partial<Pick<Store, "readText">> | undefined;
  readonly question: string;
  /** As `readHistory` gives them. */
  readonly turns: readonly Turn[];
  readonly options: RetrieveOptions;
  readonly grounding: Grounding;
  readonly model?: ChatModel | undefined;
  readonly analyzer: Analyzer;
}

/** The hits, and the query that found them. */
export interface HistoryFinds {
  readonly hits: readonly Hit[];
  /** Absent when it was the question itself. */
  readonly searchedFor?: string;
  /** The text that hits and sentences are compared with: the rewritten question, or the question, unless it has no word of its own. */
  readonly asked: string;
  readonly usage?: Usage;
}

/**
 * Searches for a question as the continuation of a conversation.
 *
 * With a model, the model puts the question so that it stands alone, and that is searched for. Without one, or where the model does not, the words of the user's last turns are searched for
 * beside the question, and count for less. Under strict grounding words come first in any case: what they find decides whether a model is asked at all.
 *
 * **Shape** as the retriever's hits, best first. A query in a syntax of its own is searched for as it stands.
 * **Cost** at most one call of the model, and three searches.
 */
export async function searchWithHistory(search: HistorySearch): Promise<HistoryFinds> {
  const { retriever, scopes, question, turns, options, grounding, model } = search;
  if (turns.length === 0 || (options.syntax ?? "literal") !== "literal") {
    return { hits: await retriever.retrieve(scopes, question, options), asked: question };
  }
  const byWords = model === undefined || grounding === "strict" ? await searchByWords(search) : undefined;
  if (model === undefined || (byWords && !hasEvidence(byWords.hits))) return byWords ?? (await searchByWords(search));

  const { question: rewritten, usage } = await rewriteQuestion(question, turns, model, options.signal);
  const spent = usage && { usage };
  if (rewritten === undefined) return { ...(byWords ?? (await searchByWords(search))), ...spent };
  const hits = await retriever.retrieve(scopes, rewritten, options);
  // Hits of the words that are evidence are kept when the rewrite finds none.
  if (byWords && !hasEvidence(hits)) return { ...byWords, ...spent };
  return { hits, asked: rewritten, ...(rewritten !== question && { searchedFor: rewritten }), ...spent };
}

/** The weight of the conversation's words, where the question's own weigh 1. **Source** our own choice. */
const historyWeight = 0.5;

async function searchByWords({
  retriever,
  scopes,
  store = {},
  question,
  turns,
  options,
  analyzer,
}: HistorySearch): Promise<HistoryFinds> {
  const { words, ownWords } = readFollowUp(question, turns, analyzer);
  if (words.length === 0) return { hits: await retriever.retrieve(scopes, question, options), asked: question };
  const searchedFor = `${question} ${words.join(" ")}`;
  const asked = ownWords === 0 ? searchedFor : question;
  const { topK = 5, merge = false } = options;
  // Deeper than what is shown: what one search puts sixth the other may put first.
  const deeper = { ...options, merge: false, ...(topK !== "all" && { topK: Math.max(20, 4 * topK) }) };
  const alone = ownWords === 0 ? [] : await retriever.retrieve(scopes, question, deeper);
  const beside = await retriever.retrieve(scopes, searchedFor, deeper);
  const found = numberHits(addScores(alone, beside));
  const hits = merge
    ? await joinTouching(found, topK, hitTextReader(store, scopes))
    : found.slice(0, topK === "all" ? undefined : topK);
  return { hits, searchedFor, asked };
}

/** The mean of both scores, the conversation's counted by {@link historyWeight}; what one search did not find scores 0 there. Equal scores by uri, start, scope and id. */
function addScores(alone: readonly Hit[], beside: readonly Hit[]): readonly Hit[] {
  const key = (hit: Hit): string => JSON.stringify([hit.scope, hit.chunkId]);
  const own = new Map(alone.map((hit) => [key(hit), hit]));
  const other = new Map(beside.map((hit) => [key(hit), hit]));
  const joined: Hit[] = [];
  for (const [id, hit] of new Map([...own, ...other])) {
    const parts = [
      { name: "question", value: (own.get(id)?.score ?? 0) / (1 + historyWeight) },
      { name: "history", value: ((other.get(id)?.score ?? 0) * historyWeight) / (1 + historyWeight) },
    ];
    const score = parts.reduce((sum, { value }) => sum + value, 0);
    const explain = other.get(id)?.explain ?? hit.explain;
    const said = [own.get(id)?.evidence, other.get(id)?.evidence].filter((one) => one !== undefined);
    const evidence = said.length > 0 ? said.includes(true) : undefined;
    joined.push({ ...hit, score, evidence, ...(explain && { explain: { ...explain, parts } }) });
  }
  return joined.toSorted(compareHits);
}

import { narrowAsked } from "../../stores/compose/asked-state.ts";
import { checkText } from "../../runtime/check-options.ts";
import type { Store } from "../../contracts/store.ts";
import { answerQuestion } from "../../answers/answer-question.ts";
import type { DocumentSlices } from "../../answers/citations/cite-quote.ts";
import { fitContext } from "../../answers/prompts/fit-context.ts";
import { type AnswerLimits, limitAnswers } from "../../models/limit-answers.ts";
import { addUsage, priceOf, priceUsage, usageOf, withPrice } from "../../models/price-usage.ts";
import { readHistory, type Turn } from "../../answers/read-history.ts";
import { cleanText } from "../../answers/untrusted/answer-filter.ts";
import { findAddresses } from "../../answers/untrusted/find-addresses.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Answer, AnswerEvent, AskOptions, ContextOptions } from "../../contracts/answer.ts";
import type { ChatModel, OnUsage, Prices, Usage } from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit, RetrieveOptions, Retriever, SearchWarning } from "../../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import { asksNothing } from "../../answers/no-question.ts";
import { locateInSlices } from "../../text/locate-in-slices.ts";
import { sectionAt } from "../../text/walk-sections.ts";
import { groupHits } from "../../search/group-hits.ts";
import { checkQuery, defaultMaxQueryLength, planSearch } from "../../search/search-plan.ts";
import { readWholeCorpus } from "./whole-corpus.ts";
import { searchWithHistory } from "./search-with-history.ts";

/** The retriever, the store and the models that make an answer. */
export interface AskStages {
  readonly retriever: Retriever;
  readonly store: Pick<Store, "structure" | "readText" | "chunks">;
  /** Without one, the answer is made of quotations. */
  readonly model?: ChatModel | undefined;
  /** Compares each sentence with its quotations. Without one, under strict grounding the model that answers does; otherwise words decide. */
  readonly judge?: ChatModel | undefined;
  readonly analyzer: Analyzer;
  readonly prices?: Prices | undefined;
  /** Limits of a judge that the call brings. */
  readonly answerLimits?: AnswerLimits | undefined;
  readonly warnings?: readonly SearchWarning[] | undefined;
}

/**
 * The whole way out: find, answer from what was found, verify every citation against the text it names.
 *
 * **Shape** events as they happen; the answer is both the last event and the generator's return value.
 * **Source** Ballerina's query flow, ToolUp's prompt builder. Citations are checked in the asker's own scopes.
 */
export async function* askQuestion(
  stages: AskStages,
  scopes: AuthorizedScopes,
  question: string,
  options: Omit<AskOptions, "scopes">,
): AsyncGenerator<AnswerEvent, Answer> {
  checkText("ask", "question", question);
  const started = performance.now();
  const { grounding = "preferred", explain = false, instructions, context, ...asking } = options;
  const { history = [], judge: wanted, minSupport, minRelevance, groupBy, ...search } = asking;
  const judge = wanted === undefined ? (stages.judge ?? (grounding === "strict" ? stages.model : undefined)) : wanted;
  const turns = readHistory(history);
  const spent: Usage[] = [];
  const onUsage: OnUsage = (usage, model) => {
    spent.push(usage.cost === undefined ? priceUsage(usage, priceOf(stages.prices, model)) : usage);
    asking.onUsage?.(usage, model);
  };
  const isPattern = search.mode === "regex";
  const isIdle = !isPattern && asksNothing(question);
  const whole = isIdle ? [] : await findWholeCorpus(stages, scopes, question, context, search);
  const { hits, searchedFor, asked, usage } = whole
    ? { hits: whole, searchedFor: undefined, asked: question, usage: undefined }
    : await searchWithHistory({
        ...stages,
        scopes,
        question,
        turns,
        grounding,
        // The sentences of an answer are chosen by the rarity of its terms, which the explanation holds. The asker sees it on request only.
        options: { ...search, explain: true, onUsage },
      });
  const shown = explain ? hits : hits.map(withoutExplanation);

  const events = answerQuestion({
    question: stages.model ? question : asked,
    asked,
    isPattern,
    // Elsewhere in a document, its chunks may have other metadata.
    isWithinHits: search.filter !== undefined || search.origins !== undefined,
    hits,
    grounding,
    model: stages.model,
    instructions,
    context,
    from: whole && !isIdle ? "whole-corpus" : undefined,
    history: turns,
    judge: judge == null ? undefined : limitAnswers(withPrice(judge, stages.prices), stages.answerLimits),
    minSupport,
    minRelevance,
    analyzer: stages.analyzer,
    documents: createSlices(stages.store, scopes),
    signal: options.signal,
  });
  let answer: Answer | undefined;
  for await (const event of events) {
    if (event.type === "hits") yield { ...event, hits: shown };
    else if (event.type === "answer") {
      const { usage: ofAnswer, ...made } = event.answer;
      answer = {
        ...made,
        question,
        hits: shown,
        ...(groupBy && { groups: groupHits(shown) }),
        ...usageOf(addUsage(...spent, usage, ofAnswer)),
        ...(searchedFor !== undefined && { searchedFor: cleanText(searchedFor, asksOf(question, turns)) }),
        ...(stages.warnings !== undefined && stages.warnings.length > 0 && { warnings: stages.warnings }),
        ms: Math.round(performance.now() - started),
      };
      yield { ...event, answer };
    } else yield event;
  }
  if (answer === undefined) throw new IbidError("internal", "The answer ended before it was whole.");
  return answer;
}

/** Addresses that the conversation names: a model puts the question anew, and may name no others. */
function asksOf(question: string, turns: readonly Turn[]): ReadonlySet<string> {
  return new Set([question, ...turns.map(({ content }) => content)].flatMap((text) => [...findAddresses(text)]));
}

/** Documents that the asker may read, in slices. A hit of the application's own retriever may name a place that is none. */
export function createSlices(store: AskStages["store"], scopes: AuthorizedScopes): DocumentSlices {
  const structures = new Map<string, ReturnType<typeof store.structure>>();
  const structureOf = (id: string, scope: Scope): ReturnType<typeof store.structure> => {
    const key = JSON.stringify([scope, id]);
    const known = structures.get(key) ?? store.structure(narrowAsked(scopes, [scope]), id);
    structures.set(key, known);
    return known;
  };
  const read: DocumentSlices["read"] = async (id, scope, start, end) => {
    const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end;
    return isPlace ? store.readText(narrowAsked(scopes, [scope]), id, start, end) : undefined;
  };
  return {
    read,
    async sectionStart(id, scope, position) {
      const known = await structureOf(id, scope);
      return known === undefined ? 0 : sectionAt(known.document.root, position).start;
    },
    sections: async (id, scope) => (await structureOf(id, scope))?.document.root,
    marks: async (id, scope) => (await structureOf(id, scope))?.document.sourceMap.marks ?? [],
    tables: async (id, scope) => (await structureOf(id, scope))?.document.sourceMap,
    async locate({ documentId, scope, source }, start, end) {
      const known = await structureOf(documentId, scope);
      const slice = async (from: number, to: number): Promise<string> =>
        (await read(documentId, scope, from, to)) ?? "";
      return known && locateInSlices(known.document, { start, end }, slice, source);
    },
  };
}

/** Only a model is helped by everything at once. A query or option that a search refuses is refused here too. */
async function findWholeCorpus(
  { model, store }: AskStages,
  scopes: AuthorizedScopes,
  question: string,
  context: ContextOptions | undefined,
  search: RetrieveOptions,
): Promise<readonly Hit[] | undefined> {
  if (model === undefined || context?.wholeCorpus !== true) return undefined;
  const plan = planSearch(search);
  checkQuery(question, plan.mode, defaultMaxQueryLength);
  const hits = await readWholeCorpus(store, scopes, context, search);
  if (hits === undefined) return undefined;
  // Delimiters count too.
  const { cut, leftOut } = fitContext(hits, context);
  return cut.length === 0 && leftOut.length === 0 ? hits : undefined;
}

function withoutExplanation(hit: Hit): Hit {
  const { explain: _, parts, ...rest } = hit;
  if (parts === undefined) return rest;
  return {
    ...rest,
    parts: parts.map((part) => {
      const { explain: __, ...shown } = part;
      return shown;
    }),
  };
}

import { describe } from "vitest";

import { createGate, operator } from "../../src/access/gate.ts";
import type { ChatMessage, ChatModel, ChatStreamPart } from "../../src/contracts/chat.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Hit, Reranker, Retriever, SearchOptions } from "../../src/contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import { createChatModelPack } from "../../src/testing/chat-model-pack.ts";
import type { ChatModelSubject } from "../../src/testing/chat-model-pack.ts";
import { createRerankerPack } from "../../src/testing/reranker-pack.ts";
import { createRetrieverPack } from "../../src/testing/retriever-pack.ts";
import type { RetrieverSubject } from "../../src/testing/retriever-pack.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import type { ScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { countWords } from "./count-words.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Verification } from "../../src/contracts/verification.ts";
import { openKnowledgeBase } from "../../src/knowledge-base/open-in-memory.ts";
import { createKnowledgeBasePack, type KnowledgeBaseSubject } from "../packs/knowledge-base-pack.ts";
import { runMutants } from "./mutants.ts";
import { retrieverOver } from "./retriever-over.ts";

type Retrieve = Retriever["retrieve"];

/** A good retriever without a model, of which `retrieve` is changed. */
const retriever = (change: (good: Retrieve) => Retrieve): RetrieverSubject => ({
  create: async (texts) => {
    const good = await retrieverOver(texts, undefined);
    return { retrieve: change((...given) => good.retrieve(...given)) };
  },
  modes: ["hybrid", "lexical", "regex"],
});
const hits = (change: (hits: readonly Hit[], options: SearchOptions) => readonly Hit[]): RetrieverSubject =>
  retriever(
    (good) =>
      async (scopes, query, options = {}) =>
        change(await good(scopes, query, options), options),
  );
const everywhere = (): AuthorizedScopes =>
  createGate({ platform: true }).read(operator, [
    "deployment",
    "team:north",
    "team:south",
    "user:ada",
  ] satisfies Scope[]);

describe("the retriever pack notices a retriever with one fault [T21 T22 T24 T26 L1 L3 L4 L5]", () => {
  runMutants(createRetrieverPack, [
    [
      "pattern ignored",
      "retriever/a-pattern-beside-the-query",
      retriever(
        (good) =>
          (scopes, query, options = {}) =>
            good(scopes, query, { ...options, ...(options.pattern === undefined ? {} : { pattern: "nowhere" }) }),
      ),
    ],
    [
      "pattern as a filter",
      "retriever/a-pattern-beside-the-query",
      hits((all, { pattern }) => all.filter(({ matches }) => pattern === undefined || matches !== undefined)),
    ],
    [
      "pattern finds nothing by itself",
      "retriever/a-pattern-beside-the-query",
      hits((all, { pattern }) =>
        all.filter(({ explain }) => pattern === undefined || explain?.legs.lexical !== undefined),
      ),
    ],
    [
      "case kept in a pattern",
      "retriever/a-pattern-beside-the-query",
      retriever(
        (good) =>
          (scopes, query, options = {}) =>
            good(scopes, query, { ...options, ignoreCase: false }),
      ),
    ],
    [
      "pattern past the origins",
      "retriever/a-pattern-beside-the-query",
      retriever(
        (good) =>
          (scopes, query, { origins, ...options } = {}) =>
            good(scopes, query, {
              ...options,
              ...(origins === undefined || options.pattern !== undefined ? {} : { origins }),
            }),
      ),
    ],
    [
      "worst first",
      "retriever/lexical/best-first-and-whole",
      hits((all) => all.toReversed().map((hit, i) => ({ ...hit, rank: i + 1 }))),
    ],
    [
      "ranks from zero",
      "retriever/lexical/best-first-and-whole",
      hits((all) => all.map((hit) => ({ ...hit, rank: hit.rank - 1 }))),
    ],
    [
      "hit text shortened",
      "retriever/lexical/best-first-and-whole",
      hits((all) => all.map((hit) => ({ ...hit, text: hit.text.slice(0, 20) }))),
    ],
    [
      "snippet for text",
      "retriever/snippets-are-cut-texts-never",
      hits((all) => all.map((hit) => ({ ...hit, text: hit.snippet }))),
    ],
    [
      "snippets whole",
      "retriever/snippets-are-cut-texts-never",
      hits((all) => all.map((hit) => ({ ...hit, snippet: hit.text }))),
    ],
    [
      "snippets made up",
      "retriever/snippets-are-cut-texts-never",
      hits((all) => all.map((hit) => ({ ...hit, snippet: "In short: keys." }))),
    ],
    [
      "NaN for a score",
      "retriever/lexical/best-first-and-whole",
      hits((all) => all.map((hit) => ({ ...hit, score: Number.NaN }))),
    ],
    [
      "vectors leaked",
      "retriever/lexical/best-first-and-whole",
      hits((all) => all.map((hit) => ({ ...hit, embedding: [1] }))),
    ],
    [
      "metadata dropped",
      "retriever/lexical/best-first-and-whole",
      hits((all) => all.map((hit) => ({ ...hit, metadata: {} }))),
    ],
    [
      "every scope",
      "retriever/lexical/only-what-may-be-read",
      retriever((good) => (scopes, query, options) => (scopes?.scopes, good(everywhere(), query, options))),
    ],
    [
      "hidden scopes counted",
      "retriever/lexical/the-hidden-moves-nothing",
      retriever((good) => async (scopes, query, options) => {
        await good(scopes, query, options);
        return (await good(everywhere(), query, { ...options, topK: "all" })).filter(({ scope }) =>
          scopes.scopes.includes(scope),
        );
      }),
    ],
    [
      "ten by default",
      "retriever/lexical/limits",
      retriever((good) => (scopes, query, options) => good(scopes, query, { topK: 10, ...options })),
    ],
    [
      "topK off by one",
      "retriever/lexical/limits",
      hits((all, { topK }) => (typeof topK === "number" ? all.slice(0, topK - 1) : all)),
    ],
    [
      "filtered after the cut",
      "retriever/lexical/filters-and-origins",
      retriever((good) => async (scopes, query, { filter, ...options } = {}) => {
        if (filter === undefined) return good(scopes, query, options);
        const passing = new Set(
          (await good(scopes, query, { ...options, filter, topK: "all" })).map(({ chunkId }) => chunkId),
        );
        return (await good(scopes, query, options)).filter(({ chunkId }) => passing.has(chunkId));
      }),
    ],
    [
      "origins ignored",
      "retriever/lexical/filters-and-origins",
      retriever(
        (good) =>
          (scopes, query, { origins: _origins, ...options } = {}) =>
            good(scopes, query, options),
      ),
    ],
    [
      "explanations that do not add up",
      "retriever/lexical/explained",
      hits((all) =>
        all.map((hit) => (hit.explain === undefined ? hit : { ...hit, explain: { ...hit.explain, parts: [] } })),
      ),
    ],
    [
      "explains unasked",
      "retriever/lexical/explained",
      retriever((good) => (scopes, query, options) => good(scopes, query, { ...options, explain: true })),
    ],
    [
      "order by chance",
      "retriever/lexical/same-question-same-answer",
      hits((all) => all.map((hit) => ({ ...hit, score: hit.score + Math.random() }))),
    ],
    [
      "blank questions answered",
      "retriever/lexical/bad-questions-refused",
      retriever(
        (good) => (scopes, query, options) =>
          query.trim() === "" ? Promise.resolve([]) : good(scopes, query, options),
      ),
    ],
    [
      "one list for all",
      "retriever/lexical/hits-not-aliased",
      retriever((good) => {
        let kept: Promise<readonly Hit[]> | undefined;
        return (scopes, query, options) => (kept ??= good(scopes, query, options));
      }),
    ],
    [
      "deaf to signals",
      "retriever/lexical/stops-when-told",
      retriever(
        (good) =>
          (scopes, query, { signal: _signal, ...options } = {}) =>
            good(scopes, query, options),
      ),
    ],
    [
      "places of the chunk",
      "retriever/patterns-find-places",
      hits((all) =>
        all.map((hit) =>
          hit.matches === undefined
            ? hit
            : { ...hit, matches: hit.matches.map(({ start, end }) => ({ start: start + 1, end: end + 1 })) },
        ),
      ),
    ],
  ]);
});

const example = { query: "rotate the keys", better: "to rotate the keys, turn", worse: "the sea is calm" };
const reranker = (change: (scores: readonly number[]) => readonly number[]) => ({
  create: (): Reranker => ({
    ...countWords,
    rerank: async (query, texts) => change(await countWords.rerank(query, texts)),
  }),
  example,
});

describe("the reranker pack notices a reranker with one fault [B33 T28 L5]", () => {
  runMutants(createRerankerPack, [
    ["one score too few", "reranker/one-score-for-each-text", reranker((scores) => scores.slice(1))],
    ["NaN", "reranker/one-score-for-each-text", reranker((scores) => scores.map(() => Number.NaN))],
    ["sorted scores", "reranker/scores-follow-their-texts", reranker((scores) => scores.toSorted((a, b) => b - a))],
    ["a distance", "reranker/higher-is-better", reranker((scores) => scores.map((score) => -score))],
  ]);
});

const wordsOf = (model: ChatModel): string => JSON.stringify((model as ScriptedChatModel).calls.at(-1)?.messages);
const chat = (
  change: (good: ScriptedChatModel) => Partial<ChatModel>,
  more: Partial<ChatModelSubject> = {},
): ChatModelSubject => ({
  create(replies) {
    const good = createScriptedChatModel(replies);
    return { ...good, ...change(good) };
  },
  lastRequest: wordsOf,
  ...more,
});
const stream = (change: (parts: readonly ChatStreamPart[]) => readonly ChatStreamPart[]): ChatModelSubject =>
  chat((good) => ({
    async *stream(messages, options) {
      const parts: ChatStreamPart[] = [];
      for await (const part of good.stream(messages, options)) parts.push(part);
      yield* change(parts);
    },
  }));

describe("the chat model pack notices a model with one fault [B41 B42 W11 W13]", () => {
  runMutants(createChatModelPack, [
    [
      "speaks as the user",
      "chat-model/answers-with-an-assistant-message",
      chat((good) => ({
        chat: async (...given) => ({
          message: { ...(await good.chat(...given)).message, role: "user" as "assistant" },
        }),
      })),
    ],
    [
      "trims to ASCII",
      "chat-model/answers-with-an-assistant-message",
      chat((good) => ({
        chat: async (...given) => ({
          message: {
            role: "assistant",
            content: (await good.chat(...given)).message.content?.replaceAll(/[^ -~]/gu, "") ?? null,
          },
        }),
      })),
    ],
    [
      "many messages alone",
      "chat-model/one-message-or-many",
      chat((good) => ({ chat: (messages, options) => good.chat([...(messages as readonly ChatMessage[])], options) })),
    ],
    [
      "the system unheard",
      "chat-model/one-message-or-many",
      chat((good) => ({
        chat: (messages, options) =>
          good.chat("role" in messages ? messages : messages.filter(({ role }) => role !== "system"), options),
      })),
    ],
    [
      "insertions lost",
      "chat-model/prompts-with-documents",
      chat((good) => ({
        chat: (messages, options) =>
          good.chat(
            ("role" in messages ? [messages] : messages).map(
              (each) =>
                ({
                  ...each,
                  content: typeof each.content === "object" ? (each.content?.strings.join("") ?? null) : each.content,
                }) as ChatMessage,
            ),
            options,
          ),
      })),
    ],
    [
      "no finish",
      "chat-model/streams-what-it-would-have-said",
      stream((parts) => parts.filter(({ type }) => type === "text")),
    ],
    ["two finishes", "chat-model/streams-what-it-would-have-said", stream((parts) => [...parts, ...parts.slice(-1)])],
    [
      "the last delta lost",
      "chat-model/streams-what-it-would-have-said",
      stream((parts) => parts.filter((_, i) => i !== parts.length - 2)),
    ],
    [
      "an empty answer fails",
      "chat-model/an-empty-answer-is-an-answer",
      chat((good) => ({
        chat: async (...given) => {
          const result = await good.chat(...given);
          if (result.message.content === "") throw new IbidError("invalid-response", "It said nothing.");
          return result;
        },
      })),
    ],
    [
      "tool calls lost",
      "chat-model/calls-tools",
      chat((good) => ({ ...good }), { calling: () => createScriptedChatModel([""]) }),
    ],
    ["deaf to signals", "chat-model/stops-when-told", chat((good) => ({ chat: (messages) => good.chat(messages) }))],
    [
      "raw errors",
      "chat-model/fails/raw",
      chat((good) => good, {
        failing: [
          { name: "raw", code: "model-failed", create: () => createScriptedChatModel([{ error: new Error("500") }]) },
        ],
      }),
    ],
    [
      "repeats what was asked",
      "chat-model/fails/echo",
      chat((good) => good, {
        failing: [
          {
            name: "echo",
            code: "model-failed",
            create: () =>
              createScriptedChatModel([{ error: new IbidError("model-failed", 'Cannot answer "Say hello."') }]),
          },
        ],
      }),
    ],
  ]);
});

/** A good knowledge base, of which a verification is changed. */
const verifying = (change: (result: Verification) => Verification): KnowledgeBaseSubject => ({
  async open(parts) {
    const kb = await openKnowledgeBase(parts);
    const verify: KnowledgeBase["verify"] = async (answer, options) => change(await kb.verify(answer, options));
    return { ...kb, verify };
  },
});

describe("the knowledge base pack notices a verification with one fault [T46 L2]", () => {
  const fault = "knowledge-base/answers-of-others-are-verified";
  runMutants(createKnowledgeBasePack, [
    ["everything is verified", fault, verifying((result) => ({ ...result, verified: true, grounded: true }))],
    ["nothing is verified", fault, verifying((result) => ({ ...result, verified: false }))],
    [
      "a wrong number is supported",
      fault,
      verifying((result) => ({
        ...result,
        sentences: result.sentences.map((sentence) => ({ ...sentence, verdict: "supported" as const })),
      })),
    ],
    [
      "words of another document are found",
      fault,
      verifying((result) => ({
        ...result,
        quotations: result.quotations.map((quotation) => ({ ...quotation, status: "found" as const })),
      })),
    ],
    [
      "citations are beside their words",
      fault,
      verifying((result) => ({
        ...result,
        citations: result.citations.map((citation) => ({ ...citation, start: citation.start + 1 })),
      })),
    ],
  ]);
});

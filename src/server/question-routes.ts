import type { Answer, AnswerEvent } from "../contracts/answer.ts";
import { readUIMessages } from "../integrations/ai-sdk/read-ui-messages.ts";
import type { UIMessageChunk } from "../integrations/ai-sdk/ui-message-chunk.ts";
import { toUIMessageStream, uiMessageStreamHeaders } from "../integrations/ai-sdk/ui-message-stream.ts";
import { toGroupJson } from "../search/group-hits.ts";
import { toHitJson } from "../search/hit-json.ts";
import { given } from "./given.ts";
import { type AnswerStreams, toWhole } from "./answer-streams.ts";
import type { ServerSentEvent } from "./event-response.ts";
import { toRefusal } from "./refusal.ts";
import * as requests from "./request-schemas.ts";
import * as responses from "./response-schemas.ts";
import { bytesResponse, defineRoute, type Route, takesGzip } from "./route.ts";
import { makeSearchBody } from "./search-body.ts";

/** Sentences of Ballerina's query service, word for word: nothing was found; an answer failed. */
const noAnswerText = "I couldn't find an answer to your question.";
const failureText = "Unable to obtain a valid answer at this time.";

/** Searches and answers. Queries stand in bodies, because addresses are written into logs on the way. */
export function createQuestionRoutes(streams: AnswerStreams): readonly Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/rag/query",
      name: "query",
      summary: "An answer as plain text, without its citations, in the shape of Ballerina's query service.",
      tag: "questions",
      needs: "reader",
      body: requests.queryBody,
      answers: {
        200: { description: "The answer.", content: { "application/json": responses.queryResponse } },
        500: { description: failureText, content: { "text/plain": undefined } },
      },
      isSlow: true,
      asked: ({ body: { query } }) => [query],
      handle: (call) =>
        streams.whole(call, (signal) =>
          toWhole(call.kb.ask(call.body.query, { signal }), (answer) => ({ response: toPlainText(answer) })),
        ),
      failed: () =>
        new Response(failureText, { status: 500, headers: { "content-type": "text/plain; charset=utf-8" } }),
    }),
    defineRoute({
      method: "POST",
      path: "/search",
      name: "search",
      summary: "The chunks that match a query, best first.",
      tag: "questions",
      needs: "reader",
      body: requests.searchBody,
      answers: { 200: { description: "The hits.", content: { "application/json": responses.searchResponse } } },
      asked: ({ body: { query, pattern = "" } }) => [query, pattern],
      async handle({ kb, body: { query, ...options }, signal, request, takesBytes = false }) {
        const mayPack = takesGzip(request.headers.get("accept-encoding"));
        const { bytes, isPacked } = await makeSearchBody(kb, query, { ...given(options), signal }, { mayPack });
        return bytesResponse(bytes, { headers: isPacked === true ? { "content-encoding": "gzip" } : {}, takesBytes });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/ask",
      name: "ask",
      summary:
        "An answer with verified citations and a verdict for each sentence: whole, or as events with `accept: text/event-stream`.",
      tag: "questions",
      needs: "reader",
      body: requests.askBody,
      answers: {
        200: {
          description:
            "The answer; or the events hits, text, citation and answer, each with JSON, and error where it ended early.",
          content: { "application/json": responses.answerSchema },
          events: { ...responses.answerEvents, error: responses.refusalSchema },
        },
      },
      isSlow: true,
      asked: ({ body: { question, pattern = "", history = [] } }) => [
        question,
        pattern,
        ...history.map(({ content }) => content),
      ],
      async handle(call) {
        const { question, ...options } = call.body;
        const ask = (signal: AbortSignal) => call.kb.ask(question, { ...given(options), signal });
        const { headers } = call.request;
        const isStreamed = (headers.get("accept") ?? "").toLowerCase().includes("text/event-stream");
        return isStreamed || headers.has("last-event-id")
          ? streams.start(call, (signal) => toServerSentEvents(ask(signal)))
          : streams.whole(call, (signal) => toWhole(ask(signal), toAnswerJson));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/verify",
      name: "verify",
      summary: "Verdicts on the sentences and quotations of an answer that somebody else wrote.",
      tag: "questions",
      needs: "reader",
      body: requests.verifyBody,
      answers: {
        200: { description: "The verification.", content: { "application/json": responses.verificationSchema } },
      },
      isSlow: true,
      asked: ({ body: { answer } }) => [typeof answer === "string" ? answer : JSON.stringify(answer)],
      handle(call) {
        const { answer, ...options } = call.body;
        return streams.whole(call, async function* (signal) {
          yield { data: JSON.stringify(await call.kb.verify(answer, { ...given(options), signal })) };
        });
      },
    }),
    createChatRoute(streams),
  ];
}

/** Answers for chat clients. */
function createChatRoute(streams: AnswerStreams): Route {
  return defineRoute({
    method: "POST",
    path: "/chat",
    name: "chat",
    summary: "An answer for a chat client of the AI SDK (`useChat`), as its UI message stream.",
    tag: "questions",
    needs: "reader",
    body: requests.chatBody,
    answers: {
      200: {
        description: "UI message stream, version 1: data without names of events, and [DONE] at the end.",
        content: {},
        events: { message: responses.messageChunk },
        end: "[DONE]",
      },
    },
    isSlow: true,
    asked({ body: { messages, pattern = "" } }) {
      const { question, history } = readUIMessages(messages);
      return [question, pattern, ...history.flatMap(({ content }) => (typeof content === "string" ? [content] : []))];
    },
    async handle(call) {
      const { messages, id: chat, messageId: _messageId, trigger: _trigger, ...options } = call.body;
      const { question, history } = readUIMessages(messages);
      const onError = (error: unknown): string => {
        call.fail(error);
        const { message, hint = "" } = toRefusal(error);
        return `${message} ${hint}`.trim();
      };
      const make = (signal: AbortSignal) => {
        const run = call.kb.ask(question, { ...given(options), history, signal });
        return toChatEvents(toUIMessageStream(run, { onError }));
      };
      return streams.start(call, make, { chat, headers: uiMessageStreamHeaders });
    },
  });
}

/** The events of an answer: `hits`, then `text` and `citation`, then `answer`. */
async function* toServerSentEvents(events: AsyncIterable<AnswerEvent>): AsyncGenerator<ServerSentEvent, void> {
  for await (const event of events) yield toServerSentEvent(event);
}

/** The parts of a chat's message, and the protocol's own end. */
async function* toChatEvents(parts: ReadableStream<UIMessageChunk>): AsyncGenerator<ServerSentEvent, void> {
  const reader = parts.getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read())
      yield { data: JSON.stringify(step.value) };
    yield { data: "[DONE]" };
  } finally {
    await reader.cancel();
  }
}

function toServerSentEvent(event: AnswerEvent): { event: string; data: string } {
  const { type, ...data } =
    event.type === "hits"
      ? { ...event, hits: event.hits.map(toHitJson) }
      : event.type === "answer"
        ? { ...event, answer: toAnswerJson(event.answer) }
        : event;
  return { event: type, data: JSON.stringify(data) };
}

function toAnswerJson({ groups, ...answer }: Answer): object {
  return { ...answer, hits: answer.hits.map(toHitJson), ...(groups && { groups: groups.map(toGroupJson) }) };
}

/** The text without markers, because no citation stands beside it. Nothing could say of passages that they may not answer: they are no answer here. */
function toPlainText({ kind, text, citations, refusal, relevance }: Answer): string {
  const mayAnswer = kind !== "quotes" || relevance === undefined || relevance.value >= relevance.threshold;
  if (!mayAnswer || (kind === "refused" && refusal !== "no-question")) return noAnswerText;
  let plain = text;
  for (const { marker } of citations) plain = plain.replaceAll(` ${marker}`, "").replaceAll(marker, "");
  return plain.trim() || noAnswerText;
}

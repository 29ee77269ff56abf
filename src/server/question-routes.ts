import { SSEStreamingApi } from "hono/streaming";
import type { Answer, AnswerEvent } from "../contracts/answer.ts";
import { readUIMessages } from "../integrations/ai-sdk/read-ui-messages.ts";
import { toUIMessageStreamResponse } from "../integrations/ai-sdk/ui-message-stream.ts";
import { toGroupJson } from "../search/group-hits.ts";
import { toHitJson } from "../search/hit-json.ts";
import { given } from "./given.ts";
import { errorJson, toRefusal } from "./refusal.ts";
import * as requests from "./request-schemas.ts";
import * as responses from "./response-schemas.ts";
import { type Call, defineRoute, jsonResponse, type Route } from "./route.ts";

/** Sentences of Ballerina's query service, word for word: nothing was found; an answer failed. */
const noAnswerText = "I couldn't find an answer to your question.";
const failureText = "Unable to obtain a valid answer at this time.";

/** A comment breaks a silence of this length, so that proxies keep the connection open. */
const heartbeatMs = 15_000;

/** Searches and answers. Queries stand in bodies, because addresses are written into logs on the way. */
export const questionRoutes: readonly Route[] = [
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
    async handle({ kb, body: { query }, signal }) {
      const answer = await kb.ask(query, { signal });
      return jsonResponse({ response: toPlainText(answer) });
    },
    failed: () => new Response(failureText, { status: 500, headers: { "content-type": "text/plain; charset=utf-8" } }),
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
    async handle({ kb, body: { query, ...options }, signal }) {
      const started = performance.now();
      const hits = await kb.search(query, { ...given(options), signal });
      const { warnings, groups } = hits;
      return jsonResponse({
        hits: hits.map(toHitJson),
        ...(groups && { groups: groups.map(toGroupJson) }),
        ...(warnings && { warnings }),
        ms: Math.round(performance.now() - started),
      });
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
      const wanted = given(options);
      const isStreamed = (call.request.headers.get("accept") ?? "").toLowerCase().includes("text/event-stream");
      if (!isStreamed)
        return jsonResponse(toAnswerJson(await call.kb.ask(question, { ...wanted, signal: call.signal })));
      const left = new AbortController();
      const run = call.kb.ask(question, { ...wanted, signal: AbortSignal.any([call.signal, left.signal]) });
      return streamEvents(call, run, () => left.abort());
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
    async handle({ kb, body: { answer, ...options }, signal }) {
      return jsonResponse(await kb.verify(answer, { ...given(options), signal }));
    },
  }),
  defineRoute({
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
    async handle({ kb, body, signal, fail }) {
      const { messages, id: _id, messageId: _messageId, trigger: _trigger, ...options } = body;
      const { question, history } = readUIMessages(messages);
      return toUIMessageStreamResponse(kb.ask(question, { ...given(options), history, signal }), {
        onError(error) {
          fail(error);
          const { message, hint = "" } = toRefusal(error);
          return `${message} ${hint}`.trim();
        },
      });
    },
  }),
];

/**
 * Sends an answer as server-sent events while it is made: `hits`, then `text` and `citation`, then `answer`, or `error` at the end.
 *
 * **Shape** resolves with the first event, so that a failure before it still gets a status. `stop` is called when the client leaves.
 */
async function streamEvents(
  { requestId, fail }: Call,
  events: AsyncIterable<AnswerEvent>,
  stop: () => void,
): Promise<Response> {
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const stream = new SSEStreamingApi(writable, readable);
  stream.onAbort(stop);
  const heartbeat = setInterval(() => void stream.write(": still answering\n\n"), heartbeatMs);
  const write = async (): Promise<void> => {
    try {
      for (let next = first; next.done !== true && !stream.aborted; next = await iterator.next()) {
        await stream.writeSSE(toServerSentEvent(next.value));
      }
    } catch (error) {
      if (stream.aborted) return;
      fail(error);
      await stream.writeSSE({ event: "error", data: JSON.stringify(errorJson(toRefusal(error), requestId)) });
    } finally {
      clearInterval(heartbeat);
      await iterator.return?.();
    }
  };
  write()
    .catch(fail)
    .finally(() => stream.close());
  // The second header keeps nginx from collecting the stream.
  return new Response(stream.responseReadable, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
  });
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

import { readUIMessages } from "../integrations/ai-sdk/read-ui-messages.ts";
import { toUIMessageStreamResponse } from "../integrations/ai-sdk/ui-message-stream.ts";
import type { Answer } from "../contracts/answer.ts";
import { given } from "./given.ts";
import { toRefusal } from "./refusal.ts";
import * as requests from "./request-schemas.ts";
import * as responses from "./response-schemas.ts";
import { type Call, defineRoute, jsonResponse, type Route } from "./route.ts";
import { streamEvents } from "./stream-events.ts";

/** What is said where nothing was found to answer from, word for word. **Source** Ballerina's query example (B46). */
const noAnswerText = "I couldn't find an answer to your question.";
/** What is said where an answer could not be made, word for word. **Source** as above. */
const failureText = "Unable to obtain a valid answer at this time.";

/** Answers: as Ballerina's service gives them, and with everything that is known of them, whole or as they are made. */
export const askRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/rag/query",
    name: "query",
    summary: "An answer as plain text, without its citations.",
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
      return jsonResponse({ response: answer.refused ? noAnswerText : withoutMarkers(answer) || noAnswerText });
    },
    failed: () => new Response(failureText, { status: 500, headers: { "content-type": "text/plain; charset=utf-8" } }),
  }),
  defineRoute({
    method: "POST",
    path: "/ask",
    name: "ask",
    summary: "An answer with verified citations: whole, or with `accept: text/event-stream` as it is made.",
    needs: "reader",
    body: requests.askBody,
    answers: {
      200: {
        description:
          "The answer; or the events hits, text, citation and answer, each with JSON, and error where it ended early.",
        content: { "application/json": responses.answerSchema, "text/event-stream": undefined },
      },
    },
    isSlow: true,
    asked: ({ body: { question, pattern = "", history = [] } }) => [
      question,
      pattern,
      ...history.map(({ content }) => content),
    ],
    async handle(call) {
      const { kb, body, signal } = call;
      const { question, ...options } = body;
      const wanted = given(options);
      if (!wantsStream(call)) return jsonResponse(await kb.ask(question, { ...wanted, signal }));
      const left = new AbortController();
      const run = kb.ask(question, { ...wanted, signal: AbortSignal.any([signal, left.signal]) });
      const { requestId, fail } = call;
      const stream = await streamEvents(run, { requestId, fail, stop: () => left.abort() });
      return new Response(stream, {
        // Nobody between shall gather it first (the second is nginx's).
        headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
      });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/chat",
    name: "chat",
    summary: "An answer for a chat client of the AI SDK (`useChat`), as its UI message stream.",
    needs: "reader",
    body: requests.chatBody,
    answers: { 200: { description: "UI message stream, version 1.", content: { "text/event-stream": undefined } } },
    isSlow: true,
    asked({ body: { messages } }) {
      const { question, history } = readUIMessages(messages);
      return [question, ...history.flatMap(({ content }) => (typeof content === "string" ? [content] : []))];
    },
    async handle({ kb, body: { messages }, signal, fail }) {
      const { question, history } = readUIMessages(messages);
      return toUIMessageStreamResponse(kb.ask(question, { history, signal }), {
        onError(error) {
          fail(error);
          return toRefusal(error).message;
        },
      });
    },
  }),
];

function wantsStream({ request }: Call): boolean {
  return (request.headers.get("accept") ?? "").toLowerCase().includes("text/event-stream");
}

/** Nothing beside the text says what a marker stands for. */
function withoutMarkers({ text, citations }: Answer): string {
  let plain = text;
  for (const { marker } of citations) plain = plain.replaceAll(` ${marker}`, "").replaceAll(marker, "");
  return plain.trim();
}

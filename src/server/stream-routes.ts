import { z } from "zod";
import { type AnswerStreams, readLastEventId } from "./answer-streams.ts";
import * as responses from "./response-schemas.ts";
import { Refusal } from "./refusal.ts";
import { type Call, defineRoute, jsonResponse, type Route } from "./route.ts";

const streamQuery = z.strictObject({
  id: z.string().max(64).optional().meta({ description: "The stream: the part before the dot of an event's id." }),
  chat: z.string().max(200).optional().meta({ description: "The `id` of a chat, in place of `id`." }),
});

const streamEvents = {
  ...responses.answerEvents,
  error: responses.refusalSchema,
  message: responses.messageChunk,
};

const chatStream = {
  200: { description: "The events.", content: {}, events: streamEvents },
  204: { description: "The client has seen the end, or the chat has no stream.", content: {} },
};

/** Streams of answers, for clients that come back. */
export function createStreamRoutes(streams: AnswerStreams): readonly Route[] {
  const needOne = ({ id, chat }: z.output<typeof streamQuery>): void => {
    if ((id === undefined) !== (chat === undefined)) return;
    throw new Refusal(400, "invalid-argument", "The address needs one of id and chat.", {
      hint: "Give id, the part before the dot of an event's id; or chat, the id of a chat.",
    });
  };
  const resume = (call: Call, id: string): Response => {
    const last = readLastEventId(call.request);
    const after = last?.id === id ? last.after : 0;
    // An EventSource comes back after the end too, until it gets this status.
    if (streams.isLast(call.caller!, id, after)) return new Response(null, { status: 204 });
    return streams.resume(call, id, after);
  };
  const resumeChat = (call: Call, chat: string): Response => {
    const id = streams.ofChat(call.caller!, chat);
    return id === undefined ? new Response(null, { status: 204 }) : resume(call, id);
  };
  return [
    defineRoute({
      method: "GET",
      path: "/stream",
      name: "resumeStream",
      summary:
        "The rest of a stream of POST /ask or POST /chat, after the event that Last-Event-ID names; else all of it.",
      tag: "questions",
      needs: "reader",
      pool: "events",
      isSlow: true,
      query: streamQuery,
      answers: chatStream,
      async handle(call) {
        const { id, chat } = call.query;
        needOne(call.query);
        return id === undefined ? resumeChat(call, chat!) : resume(call, id);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/chat/{chat}/stream",
      name: "resumeChat",
      summary: "The stream of a chat that its client has not seen to the end, at the address that useChat asks.",
      tag: "questions",
      needs: "reader",
      pool: "events",
      isSlow: true,
      params: z.strictObject({ chat: z.string().min(1).max(200) }),
      answers: chatStream,
      handle: async (call) => resumeChat(call, call.params.chat),
    }),
    defineRoute({
      method: "DELETE",
      path: "/stream",
      name: "stopStream",
      summary: "Ends the run of a stream, and so the model that writes it.",
      tag: "questions",
      needs: "reader",
      isLight: true,
      query: streamQuery,
      answers: {
        200: {
          description: "Whether there was one.",
          content: { "application/json": z.strictObject({ stopped: z.boolean() }) },
        },
      },
      async handle({ query, caller }) {
        needOne(query);
        const id = query.id ?? streams.ofChat(caller!, query.chat!);
        if (id !== undefined) streams.stop(caller!, id);
        return jsonResponse({ stopped: id !== undefined });
      },
    }),
  ];
}

import { z } from "zod";
import type { Answer, AskOptions, Citation } from "../contracts/answer.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { Hit } from "../contracts/retriever.ts";
import { linkTo } from "../integrations/tools/tool-output.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { type AnswerStreams, documentsOf, type MadeEvent, toWhole } from "./answer-streams.ts";
import { type FileId, fileIdsOf, filenameOf } from "./openai-file-routes.ts";
import {
  completion,
  completionBody,
  completionChunk,
  type message,
  model,
  modelName,
  response,
  responseBody,
  responseEventSchemas,
  type settings,
} from "./openai-schemas.ts";
import type { OpenAiShelf } from "./openai-shelf.ts";
import { attributesOf, findStore, searchWithin, toFilter } from "./openai-stores.ts";
import { Refusal } from "./refusal.ts";
import { type Call, defineRoute, jsonResponse, type Route } from "./route.ts";

type CompletionCall = Call<unknown, z.output<typeof completionBody>>;
type ResponseCall = Call<unknown, z.output<typeof responseBody>>;
type Message = z.output<typeof message>;

/** Names under which the caller finds what an answer cites. */
interface Names {
  /** Address of the page that opens places. */
  readonly page: string | undefined;
  readonly fileIds: (citations: readonly Citation[], hits?: readonly Hit[]) => Promise<FileId>;
}

/**
 * Routes in the shapes of OpenAI's API, for clients that speak it.
 *
 * **Shape** one model, `ibid`; vector stores are those of `/v1/vector_stores`. Unknown fields are refused by name. With a page, the `url` of an annotation opens
 * the cited place on it.
 * **Source** OpenAI's API reference: models, chat completions, responses.
 */
export function createOpenAiRoutes(
  shelf: OpenAiShelf | undefined,
  streams: AnswerStreams,
  hasPage: boolean,
): readonly Route[] {
  const namesFor = ({ home, caller }: Call): Names => ({
    page: hasPage ? home : undefined,
    fileIds: (citations, hits = []) =>
      fileIdsOf(
        shelf,
        caller!,
        [...citations, ...hits.map(({ source }) => source)].map(({ uri }) => uri),
      ),
  });
  return [
    ...modelRoutes,
    defineRoute({
      method: "POST",
      path: "/v1/chat/completions",
      name: "createChatCompletion",
      summary: "An answer with verified citations as annotations, in the shape of OpenAI's chat completions.",
      tag: "openai",
      needs: "reader",
      body: completionBody,
      answers: {
        200: {
          description: "The completion; with stream, its chunks.",
          content: { "application/json": completion },
          events: { message: completionChunk },
          end: "[DONE]",
        },
      },
      isSlow: true,
      asked: ({ body }) => body.messages.map(textOf),
      async handle(call) {
        checkModel(call.body.model);
        const { question, options } = readMessages(call.body.messages);
        const asked = { ...options, ...readSettings(call.body.ibid) };
        const names = namesFor(call);
        if (call.body.stream === true)
          return streams.start(call, (signal) => completionEvents(call, question, { ...asked, signal }, names));
        return streams.whole(call, (signal) =>
          toWhole(call.kb.ask(question, { ...asked, signal }), (answer) => toCompletion(call, answer, names)),
        );
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/responses",
      name: "createResponse",
      summary: "An answer with a file search and file citations, in the shape of OpenAI's responses.",
      tag: "openai",
      needs: "reader",
      body: responseBody,
      answers: {
        200: {
          description: "The response; with stream, its events.",
          content: { "application/json": response },
          events: responseEventSchemas,
        },
      },
      isSlow: true,
      asked: ({ body: { input } }) => (typeof input === "string" ? [input] : input.map(textOf)),
      async handle(call) {
        const { body } = call;
        checkModel(body.model);
        const messages: readonly Message[] =
          typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
        const { question, options } = readMessages(messages);
        const [search] = body.tools ?? [];
        const ids = search?.vector_store_ids;
        const stores = await Promise.all((ids ?? []).map((id) => findStore(call.kb, shelf, id)));
        const filter = search?.filters == null ? undefined : toFilter(search.filters);
        const asked = {
          ...options,
          ...(search?.max_num_results !== undefined && { topK: search.max_num_results }),
          ...(ids !== undefined ? searchWithin(stores, filter) : filter !== undefined && { filter }),
          ...readSettings(body.ibid),
          ...(body.instructions != null && { instructions: body.instructions }),
        };
        const names = namesFor(call);
        if (body.stream === true)
          return streams.start(call, (signal) => responseEvents(call, question, { ...asked, signal }, names), {
            chat: `resp_${call.requestId}`,
          });
        return streams.whole(call, (signal) =>
          toWhole(call.kb.ask(question, { ...asked, signal }), async (answer) => {
            const fileId = await names.fileIds(answer.citations, answer.hits);
            return toResponse(answer, headOf(call, question, answer.hits, fileId), fileId);
          }),
        );
      },
    }),
    createResumeRoute(streams),
  ];
}

const modelRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/v1/models",
    name: "listModels",
    summary: "The one model of this service, in OpenAI's shape.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    answers: { 200: { description: "The models.", content: { "application/json": z.looseObject({}) } } },
    handle: async () => jsonResponse({ object: "list", data: [model] }),
  }),
  defineRoute({
    method: "GET",
    path: "/v1/models/{model}",
    name: "getModel",
    summary: "The model of this service by its name, in OpenAI's shape.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    params: z.strictObject({ model: z.string() }),
    answers: { 200: { description: "The model.", content: { "application/json": z.looseObject({}) } } },
    async handle({ params }) {
      checkModel(params.model);
      return jsonResponse(model);
    },
  }),
];

/** **Source** OpenAI's API reference: a response that is retrieved with `stream` and `starting_after`. */
function createResumeRoute(streams: AnswerStreams): Route {
  return defineRoute({
    method: "GET",
    path: "/v1/responses/{response}",
    name: "resumeResponse",
    summary: "The rest of the stream of a response, after the event with the number starting_after.",
    tag: "openai",
    needs: "reader",
    pool: "events",
    isSlow: true,
    params: z.strictObject({ response: z.string().max(100) }),
    query: z.strictObject({
      stream: z.literal("true"),
      starting_after: z.coerce.number().int().min(-1).default(-1),
    }),
    answers: { 200: { description: "The events.", content: {}, events: responseEventSchemas } },
    async handle(call) {
      const id = streams.ofChat(call.caller!, call.params.response, true);
      // Events of a stream count from 1, those of OpenAI's shape from 0.
      if (id !== undefined) return streams.resume(call, id, call.query.starting_after + 1);
      throw new Refusal(404, "not-found", "There is no stream of yours for this response.", {
        hint: "It ended some time ago. Ask again.",
      });
    },
  });
}

function checkModel(model: string): void {
  if (model === modelName) return;
  throw new Refusal(404, "not-found", `The model ${JSON.stringify(model.slice(0, 100))} is not here.`, {
    hint: `The model is ${modelName}; see GET /v1/models.`,
  });
}

function textOf({ content: given }: Message): string {
  return typeof given === "string" ? given : given.map(({ text }) => text).join("\n");
}

/** The last message asks; those before it are the history, and those of the application are instructions. */
function readMessages(messages: readonly Message[]): { readonly question: string; readonly options: AskOptions } {
  const last = messages.at(-1);
  if (last === undefined || last.role !== "user")
    throw new Refusal(400, "invalid-argument", "The last message must be of the user.", {
      hint: "End messages with the question.",
    });
  const history = messages
    .slice(0, -1)
    .flatMap((one) =>
      one.role === "user" || one.role === "assistant" ? [{ role: one.role, content: textOf(one) }] : [],
    );
  const instructions = messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(textOf)
    .join("\n\n");
  return { question: textOf(last), options: { history, ...(instructions !== "" && { instructions }) } };
}

function readSettings(given: z.output<typeof settings> | undefined): AskOptions {
  const { topK, filter, scopes, grounding } = given ?? {};
  return {
    ...(topK !== undefined && { topK }),
    ...(filter !== undefined && { filter: filter as FilterInput }),
    ...(scopes !== undefined && { scopes }),
    ...(grounding !== undefined && { grounding }),
  };
}

/** Where each citation's marker stands in the text. **Units** UTF-16. */
function* markersOf({ text, citations }: Answer): Generator<{ readonly at: number; readonly citation: Citation }> {
  for (const citation of citations)
    for (let at = text.indexOf(citation.marker); at >= 0; at = text.indexOf(citation.marker, at + 1))
      yield { at, citation };
}

function placeOf({ marker, uri, title, start, end, quote }: Citation): object {
  return { marker, uri, title, start, end, quote };
}

async function urlCitations(answer: Answer, { page, fileIds }: Names): Promise<readonly object[]> {
  const fileId = await fileIds(answer.citations);
  return Array.from(markersOf(answer), ({ at, citation }) => {
    const { title, marker } = citation;
    const span = { start_index: at, end_index: at + marker.length };
    const file = { url: linkTo(citation, page), title, file_id: fileId(citation) };
    return { type: "url_citation", url_citation: { ...span, ...file, ibid: placeOf(citation) } };
  });
}

function fileCitations(answer: Answer, fileId: FileId): readonly object[] {
  return Array.from(markersOf(answer), ({ at, citation }) => {
    const file = { file_id: fileId(citation), filename: filenameOf(citation.uri) };
    return { type: "file_citation", index: at, ...file, ibid: placeOf(citation) };
  });
}

function detailsOf({ kind, citations, sentences, refusal, relevance, verbatim }: Answer): object {
  return { kind, citations, sentences, refusal, relevance, verbatim };
}

function finishOf({ incomplete }: Answer): string {
  return incomplete === undefined ? "stop" : "length";
}

function usageOf({ usage }: Answer): object {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function completionHead({ requestId }: { readonly requestId: string }, object: string) {
  return { id: `chatcmpl-${requestId}`, object, created: Math.floor(platformNow() / 1000), model: modelName };
}

async function toCompletion(call: CompletionCall, answer: Answer, names: Names): Promise<object> {
  const annotations = await urlCitations(answer, names);
  const message = { role: "assistant", content: answer.text, refusal: null, annotations };
  return {
    ...completionHead(call, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }],
    usage: usageOf(answer),
    ibid: detailsOf(answer),
  };
}

/** Pieces of the text as they come; the last chunk has the annotations. */
async function* completionEvents(
  call: CompletionCall,
  question: string,
  asked: AskOptions,
  names: Names,
): AsyncGenerator<MadeEvent> {
  const head = completionHead(call, "chat.completion.chunk");
  const chunk = (delta: object, finish: string | null = null, more: object = {}): MadeEvent =>
    toEvent({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...more });
  const events = call.kb.ask(question, asked)[Symbol.asyncIterator]();
  // A failure before the first event still gets a status.
  let next = await events.next();
  try {
    yield { ...chunk({ role: "assistant", content: "" }), documentIds: documentsOf(next.value) };
    for (; next.done !== true; next = await events.next()) {
      const { value } = next;
      if (value.type === "text") yield chunk({ content: value.delta });
      if (value.type !== "answer") continue;
      yield chunk({ annotations: await urlCitations(value.answer, names) }, finishOf(value.answer), {
        ibid: detailsOf(value.answer),
      });
      if (call.body.stream_options?.include_usage === true)
        yield toEvent({ ...head, choices: [], usage: usageOf(value.answer) });
    }
    yield { data: "[DONE]" };
  } catch (error) {
    call.fail(error);
    yield toEvent({ error: { message: "The answer failed.", type: "server_error", code: null } });
  }
}

/** A response and the parts of it that are known before its text. */
function headOf(call: ResponseCall, question: string, hits: readonly Hit[], fileId: FileId) {
  const { requestId, body } = call;
  const wantsResults = body.include?.includes("file_search_call.results") ?? false;
  return {
    search: {
      id: `fs_${requestId}`,
      type: "file_search_call",
      status: "completed",
      queries: [question],
      results: wantsResults ? hits.map((hit) => toSearchResult(hit, fileId)) : null,
    },
    said: {
      id: `msg_${requestId}`,
      type: "message",
      role: "assistant",
      status: "in_progress",
      content: [] as object[],
    },
    response: {
      id: `resp_${requestId}`,
      object: "response",
      created_at: Math.floor(platformNow() / 1000),
      status: "in_progress",
      error: null as object | null,
      incomplete_details: null as object | null,
      instructions: body.instructions ?? null,
      metadata: body.metadata ?? {},
      model: modelName,
      output: [] as object[],
      parallel_tool_calls: false,
      temperature: null,
      tool_choice: "auto",
      tools: body.tools ?? [],
      top_p: null,
      usage: null as object | null,
    },
  };
}

const textPart = (text: string, annotations: readonly object[] = []) => ({
  type: "output_text",
  text,
  annotations,
  logprobs: [],
});

/** The whole response, which begins with its head. */
function toResponse(answer: Answer, head: ReturnType<typeof headOf>, fileId: FileId) {
  const { inputTokens = 0, outputTokens = 0 } = answer.usage ?? {};
  const isWhole = answer.incomplete === undefined;
  const content = [textPart(answer.text, fileCitations(answer, fileId))];
  return {
    ...head.response,
    status: isWhole ? "completed" : "incomplete",
    incomplete_details: isWhole ? null : { reason: "max_output_tokens" },
    output: [head.search, { ...head.said, status: "completed", content }] as const,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
    ibid: detailsOf(answer),
  };
}

function toSearchResult({ documentId, source, score, text, metadata }: Hit, fileId: FileId): object {
  const { uri, title, start, end } = source;
  return {
    file_id: fileId({ uri, documentId }),
    filename: filenameOf(uri),
    score,
    text,
    attributes: attributesOf(metadata),
    ibid: { uri, title, start, end },
  };
}

/** The events of a response: the search when its hits are there, the pieces of the text as they come, then the annotations. */
async function* responseEvents(
  call: ResponseCall,
  question: string,
  asked: AskOptions,
  { fileIds }: Names,
): AsyncGenerator<MadeEvent> {
  let sequence_number = 0;
  const event = (type: string, more: object): MadeEvent => {
    const name = `response.${type}`;
    return { event: name, ...toEvent({ type: name, ...more, sequence_number: sequence_number++ }) };
  };
  const events = call.kb.ask(question, asked)[Symbol.asyncIterator]();
  // A failure before the first event still gets a status.
  let next = await events.next();
  const first = next.done === true ? undefined : next.value;
  const hits = first?.type === "hits" ? first.hits : [];
  const head = headOf(call, question, hits, await fileIds([], hits));
  const { search, said, response } = head;
  const at = { output_index: 1, item_id: said.id, content_index: 0 };
  try {
    yield { ...event("created", { response }), documentIds: documentsOf(first) };
    yield event("in_progress", { response });
    yield event("output_item.added", { output_index: 0, item: { ...search, status: "in_progress" } });
    yield event("file_search_call.completed", { output_index: 0, item_id: search.id });
    yield event("output_item.done", { output_index: 0, item: search });
    yield event("output_item.added", { output_index: 1, item: said });
    yield event("content_part.added", { ...at, part: textPart("") });
    for (; next.done !== true; next = await events.next()) {
      const { value } = next;
      if (value.type === "text") yield event("output_text.delta", { ...at, delta: value.delta, logprobs: [] });
      if (value.type !== "answer") continue;
      const whole = toResponse(value.answer, head, await fileIds(value.answer.citations));
      const [, item] = whole.output;
      const [part] = item.content;
      for (const [annotation_index, annotation] of (part?.annotations ?? []).entries())
        yield event("output_text.annotation.added", { ...at, annotation_index, annotation });
      yield event("output_text.done", { ...at, text: part?.text, logprobs: [] });
      yield event("content_part.done", { ...at, part });
      yield event("output_item.done", { output_index: 1, item });
      yield event(whole.status, { response: whole });
    }
  } catch (error) {
    call.fail(error);
    const failure = { code: "server_error", message: "The answer failed." };
    yield event("failed", { response: { ...response, status: "failed", error: failure } });
  }
}

function toEvent(value: object): MadeEvent {
  return { data: JSON.stringify(value) };
}

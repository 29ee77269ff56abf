import type { Answer, AnswerEvent, Citation } from "../../contracts/answer.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { toHitJson } from "../../search/hit-json.ts";
import type {
  UIAnswerMetadata,
  UIGrounded,
  UIHit,
  UIMessageChunk,
  UISourceChunk,
  UITextCitation,
} from "./ui-message-chunk.ts";

/**
 * Options of a stream for AI SDK clients. All have defaults.
 *
 * @experimental
 */
export interface UIMessageStreamOptions {
  /** Default: the client makes one. */
  readonly messageId?: string | undefined;
  /** Whether to send the hits as a `data-hits` part. Default true. */
  readonly hits?: boolean | undefined;
  /** The message that the client gets for a failure. Default: a general sentence without internals. A place to log the error. */
  readonly onError?: ((error: unknown) => string) | undefined;
}

/**
 * Options of a stream, and of the response that carries it.
 *
 * @experimental
 */
export interface UIMessageStreamResponseOptions extends UIMessageStreamOptions {
  /** Default 200. */
  readonly status?: number | undefined;
  /** Headers beside those of the protocol. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const streamOptions = { messageId: true, hits: true, onError: true } as const;

/**
 * Makes the AI SDK's UI message stream of an answer, which `useChat` and `readUIMessageStream` show as it comes.
 *
 * - text as it is written, with the markers in it;
 * - for each citation a `data-citation` part under its marker, after a `source-url` or `source-document` part for a document that was not cited before;
 * - `data-hits` first, `data-grounded` last; the message's metadata has `kind`, `grounded`, `model`, `usage` and `ms`.
 *
 * **Shape** parts of the protocol's version 1. A failure is an `error` part, an aborted run an `abort` part; the stream itself does not fail.
 * The model is asked when the client starts to read, and no faster than it reads. Cancelling the stream stops the model.
 * **Errors** `invalid-argument` for an unknown option. **Source** AI SDK UI message stream protocol v1; `ai` itself is not needed.
 *
 * @experimental
 */
export function toUIMessageStream(
  run: AsyncIterable<AnswerEvent>,
  options: UIMessageStreamOptions = {},
): ReadableStream<UIMessageChunk> {
  checkGiven("toUIMessageStream", "run", run, "stream");
  checkOptions("toUIMessageStream", options, streamOptions);
  return streamOf(toChunks(run, options), (chunk) => chunk);
}

/**
 * Makes the same stream as a web-standard response, which a route handler returns to `useChat`.
 *
 * **Shape** server-sent events, one `data:` line of JSON a part, `[DONE]` at the end. **Errors** as {@link toUIMessageStream}.
 *
 * @experimental
 */
export function toUIMessageStreamResponse(
  run: AsyncIterable<AnswerEvent>,
  options: UIMessageStreamResponseOptions = {},
): Response {
  checkGiven("toUIMessageStreamResponse", "run", run, "stream");
  checkOptions("toUIMessageStreamResponse", options, { ...streamOptions, status: true, headers: true });
  const { status = 200, headers = {}, ...rest } = options;
  const encoder = new TextEncoder();
  const toLine = (data: string): Uint8Array<ArrayBuffer> => encoder.encode(`data: ${data}\n\n`);
  const body = streamOf(toChunks(run, rest), (chunk) => toLine(JSON.stringify(chunk)), toLine("[DONE]"));
  return new Response(body, { status, headers: { ...uiMessageStreamHeaders, ...headers } });
}

/** **Source** AI SDK UI message stream protocol v1; the last header keeps nginx from collecting the stream. */
export const uiMessageStreamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

/** Each pull gives one item, so unread items are never made. */
function streamOf<Item, Sent>(
  items: AsyncGenerator<Item, void>,
  send: (item: Item) => Sent,
  last?: Sent,
): ReadableStream<Sent> {
  return new ReadableStream<Sent>(
    {
      async pull(controller) {
        const { done, value } = await items.next();
        if (done !== true) return controller.enqueue(send(value));
        if (last !== undefined) controller.enqueue(last);
        controller.close();
      },
      async cancel() {
        await items.return();
      },
    },
    { highWaterMark: 0 },
  );
}

const textId = "answer";

/** The iterator has its own `return`, which reaches the run at once, also while `next` waits. */
function toChunks(
  run: AsyncIterable<AnswerEvent>,
  { messageId, hits: showHits = true, onError = sayNothing }: UIMessageStreamOptions,
): AsyncGenerator<UIMessageChunk, void> {
  const events = run[Symbol.asyncIterator]();
  const chunks = walk();
  return Object.assign(chunks, {
    async return() {
      // A generator that waits takes no `return` until its promise settles.
      await events.return?.().catch(() => {});
      return { done: true as const, value: undefined };
    },
  });

  async function* walk(): AsyncGenerator<UIMessageChunk, void> {
    yield { type: "start", ...(messageId !== undefined && { messageId }) };
    yield { type: "start-step" };
    const sources = new Map<string, UISourceChunk>();
    let isOpen = false;
    try {
      for (;;) {
        const { done, value: event } = await events.next();
        if (done === true) return;
        if (event.type === "hits" && showHits) yield { type: "data-hits", id: "hits", data: event.hits.map(toUIHit) };
        if (event.type === "text") {
          if (!isOpen) yield { type: "text-start", id: textId };
          isOpen = true;
          yield { type: "text-delta", id: textId, delta: event.delta };
        }
        if (event.type === "citation") {
          const { citation } = event;
          const sourceId = citation.documentId;
          const source = toSource(citation, sourceId);
          if (!sources.has(sourceId)) yield source;
          sources.set(sourceId, source);
          yield { type: "data-citation", id: citation.marker, data: { ...citation, sourceId } };
        }
        if (event.type === "answer") {
          const { answer } = event;
          if (isOpen) yield { type: "text-end", id: textId, ...textCitations(answer) };
          isOpen = false;
          yield { type: "data-grounded", id: "grounded", data: toUIGrounded(answer) };
          yield { type: "finish-step" };
          yield { type: "finish", finishReason: answer.incomplete ?? "stop", messageMetadata: toMetadata(answer) };
        }
      }
    } catch (error) {
      if (isOpen) yield { type: "text-end", id: textId };
      if (IbidError.isInstance(error, "aborted")) yield { type: "abort", reason: "The answer was stopped." };
      else yield { type: "error", errorText: onError(error) };
    }
  }
}

function sayNothing(): string {
  return "Something went wrong while this was answered.";
}

function toUIHit(hit: Hit): UIHit {
  const { rank, score, chunkId, documentId, source, snippet } = toHitJson(hit);
  const { uri, title, headings, start, end } = source;
  return { rank, score, chunkId, documentId, uri, title, headings, start, end, snippet };
}

/** Offers only web addresses as links, because a document may have been ingested under any uri. */
function toSource({ uri, title }: Citation, sourceId: string): UISourceChunk {
  if (/^https?:\/\//iu.test(uri)) return { type: "source-url", sourceId, url: uri, title: title || uri };
  // A citation quotes the canonical text, so the type is text, whatever the file was.
  return { type: "source-document", sourceId, mediaType: "text/plain", title: title || uri, filename: uri };
}

function textCitations({ citations }: Answer): { readonly citations?: readonly UITextCitation[] } {
  if (citations.length === 0) return {};
  return {
    citations: citations.map((citation) => {
      const source = toSource(citation, citation.documentId);
      const id = citation.documentId;
      return {
        citedText: citation.quote,
        source:
          source.type === "source-url"
            ? { type: "source", sourceType: "url", id, url: source.url, title: source.title }
            : {
                type: "source",
                sourceType: "document",
                id,
                mediaType: source.mediaType,
                title: source.title,
                filename: source.filename,
              },
      };
    }),
  };
}

function toUIGrounded(answer: Answer): UIGrounded {
  const { kind, grounded, verbatim, support, relevance, refusal, sentences, withheld, nearest } = answer;
  const { removedMarkers, removedQuotes, removedAddresses, searchedFor, context } = answer;
  return {
    kind,
    ...(grounded !== undefined && { grounded }),
    ...(verbatim && { verbatim }),
    ...(support && { support }),
    ...(relevance && { relevance }),
    ...(refusal && { refusal }),
    sentences,
    withheld,
    nearest,
    removedMarkers,
    removedQuotes,
    removedAddresses,
    ...(context && { context }),
    ...(searchedFor !== undefined && { searchedFor }),
  };
}

function toMetadata({ kind, grounded, model, usage, ms }: Answer): UIAnswerMetadata {
  const { inputTokens, outputTokens } = usage ?? {};
  const total =
    inputTokens === undefined || outputTokens === undefined ? undefined : { totalTokens: inputTokens + outputTokens };
  return {
    kind,
    ...(grounded !== undefined && { grounded }),
    model,
    ...(usage && { usage: { ...usage, ...total } }),
    ms,
  };
}

import { sha256 } from "../runtime/hash.ts";
import { createEventResponse, type ServerSentEvent } from "./event-response.ts";
import { errorJson, Refusal, toRefusal } from "./refusal.ts";
import { bytesResponse, type Call, type Caller } from "./route.ts";
import { anySignal, untilAborted } from "../runtime/abort.ts";
import type { Answer, AnswerEvent } from "../contracts/answer.ts";
import type { Run } from "../contracts/run.ts";

/** Bounds of the streams that are kept. */
export interface StreamLimits {
  /** How long a stream waits for a client that left, and is kept after its end. **Units** milliseconds. */
  readonly resumeMs: number;
  /** How long an answer under an Idempotency-Key is kept after its end. **Units** milliseconds. */
  readonly repeatMs: number;
  /** Bytes of events that are kept for clients that may come back. */
  readonly streamBytes: number;
}

/**
 * Answers that outlive the connection of their client, so that a client that comes back does not ask again.
 *
 * **Shape** a request with the Idempotency-Key of an earlier one joins its run, or gets its answer. **Errors** 422 for a key that came with another request. A run that failed is
 * made again.
 */
export interface AnswerStreams {
  /** Streams what a run gives, or what is left of it after `Last-Event-ID`. **Errors** those before the first event; those of `resume`. */
  start(call: Call, make: MakeEvents, options?: StreamOptions): Promise<Response>;
  /** The data of a run's last event, as JSON. **Errors** a failure of the run. */
  whole(call: Call, make: MakeEvents): Promise<Response>;
  /** The rest of a stream after an event. **Errors** 404 for a stream that is not kept, or was begun by another caller or with other rights. 400 for an event that was never sent. */
  resume(call: Call, id: string, after: number): Response;
  /** Whether an event is the last one of a stream that is over. **Errors** 404 as `resume`. */
  isLast(caller: Caller, id: string, number: number): boolean;
  /** The stream of a chat that its client has not seen to the end, or with `isAny` the latest one. */
  ofChat(caller: Caller, chat: string, isAny?: boolean): string | undefined;
  /** Ends a run. **Errors** as `resume`. */
  stop(caller: Caller, id: string): void;
  /** Drops answers that rest on documents that were purged. */
  forget(documentIds: readonly string[]): void;
  /** Ends runs without a client. */
  close(): void;
}

/** Stands for a caller with just these rights: a stream holds words that these rights may read. */
function ownerOf({ name, access }: Caller): string {
  const { userId = 0, teamId = 0, teams = [] } = access === "operator" ? {} : access;
  return sha256(JSON.stringify(["stream", name, access === "operator", userId, teamId, teams.toSorted()]));
}

/** An event as a run makes it. */
export interface MadeEvent extends Omit<ServerSentEvent, "id"> {
  /** Documents that the answer rests on, beside those in `data`. */
  readonly documentIds?: readonly string[];
}

/** Makes the events of a run, until the signal fires. An event of `error` and a last one are for a failure and for the end. */
export type MakeEvents = (signal: AbortSignal) => AsyncIterable<MadeEvent>;

/** A run whose last event is a body, for `whole`. Its documents are known before the model writes. */
export async function* toWhole(
  run: Run<AnswerEvent, Answer>,
  toBody: (answer: Answer) => object | Promise<object>,
): AsyncGenerator<MadeEvent> {
  for await (const event of run) if (event.type === "hits") yield { data: "", documentIds: documentsOf(event) };
  yield { data: JSON.stringify(await toBody(await run)) };
}

/** Documents of the hits that an event brings. */
export function documentsOf(event: AnswerEvent | undefined): readonly string[] {
  return event?.type === "hits" ? event.hits.map(({ documentId }) => documentId) : [];
}

/** Options of one stream. */
export interface StreamOptions {
  /** Chat by which the stream is found again. */
  readonly chat?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The Idempotency-Key of a request, and what the request asks. */
interface Repeatable {
  readonly key: string;
  readonly asked: string;
}

/** The longest Idempotency-Key. **Source** Stripe's API reference, idempotent requests. */
const longestKey = 255;

/** **Source** draft-ietf-httpapi-idempotency-key-header-07; the key is any text here. **Errors** 400 for a key that is too long. */
function readKey({ request, body }: Call, form: "events" | "whole"): Repeatable | undefined {
  const key = request.headers.get("idempotency-key") ?? "";
  if (key === "") return undefined;
  if (key.length <= longestKey)
    return { key, asked: sha256(JSON.stringify([new URL(request.url).pathname, form, body])) };
  throw new Refusal(
    400,
    "invalid-argument",
    `Idempotency-Key has ${key.length} characters; it may have ${longestKey}.`,
    { hint: "Send a UUID of its own with each new request." },
  );
}

/** A run that is kept. */
interface Kept {
  readonly id: string;
  readonly owner: string;
  readonly chat: string | undefined;
  readonly repeatable: Repeatable | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly stop: AbortController;
  readonly release: () => void;
  readonly events: ServerSentEvent[];
  readonly documents: Set<string>;
  readonly ended: PromiseWithResolvers<void>;
  /** Number of the first event that is still kept. */
  first: number;
  bytes: number;
  isOver: boolean;
  error?: unknown;
  isSeen: boolean;
  readonly readers: Set<Reader>;
  timer?: ReturnType<typeof setTimeout>;
}

/** A client of a stream. */
interface Reader {
  /** Number of the next event. */
  next: number;
  wake: () => void;
}

/** The stream and the number in an event's id. **Shape** `undefined` without `Last-Event-ID`. **Errors** 400 for an id that no stream gives. */
export function readLastEventId(request: Request): { readonly id: string; readonly after: number } | undefined {
  const last = request.headers.get("last-event-id") ?? "";
  if (last === "") return undefined;
  const [, id, after] = /^([\w-]{1,64})\.(\d{1,9})$/u.exec(last) ?? [];
  if (id !== undefined) return { id, after: Number(after) };
  throw new Refusal(400, "invalid-argument", "Last-Event-ID is no id of an event of this service.", {
    hint: "Send the id of the last event as it came, or leave it out.",
  });
}

/**
 * **Cost** events stay in memory until `resumeMs` after the end of their stream, those under an Idempotency-Key until `repeatMs`, `streamBytes` of all streams together. Those that
 * a client has not read yet may add to them.
 */
export function createAnswerStreams({ resumeMs, repeatMs, streamBytes }: StreamLimits): AnswerStreams {
  const streams = new Map<string, Kept>();
  let total = 0;
  let isClosing = false;

  const forget = (stream: Kept): void => {
    clearTimeout(stream.timer);
    if (streams.delete(stream.id)) total -= stream.bytes;
    stream.bytes = 0;
  };

  /** Removes events that nobody waits for, oldest streams first, until the rest has room. */
  const makeRoom = (): void => {
    for (const stream of streams.values()) {
      if (total <= streamBytes) return;
      if (stream.isOver && stream.readers.size === 0) {
        forget(stream);
        continue;
      }
      const needed = Math.min(...[...stream.readers].map(({ next }) => next));
      while (total > streamBytes && stream.first < needed && stream.events.length > 0) {
        const bytes = sizeOf(stream.events.shift()!);
        stream.first += 1;
        stream.bytes -= bytes;
        total -= bytes;
      }
    }
  };

  const add = (stream: Kept, { documentIds = [], ...event }: MadeEvent): void => {
    for (const id of documentIds) stream.documents.add(id);
    const numbered = { ...event, id: `${stream.id}.${stream.first + stream.events.length}` };
    stream.events.push(numbered);
    if (streams.has(stream.id)) {
      const bytes = sizeOf(numbered);
      stream.bytes += bytes;
      total += bytes;
      makeRoom();
    }
    for (const { wake } of stream.readers) wake();
  };

  /** Gives a stream without a client some time; then its run ends, or the stream is forgotten. */
  const rest = (stream: Kept): void => {
    if (stream.readers.size > 0) return;
    if (stream.isOver) stream.release();
    clearTimeout(stream.timer);
    const waitMs = stream.isOver && stream.repeatable !== undefined ? repeatMs : resumeMs;
    const isAwaited = waitMs > 0 && !isClosing;
    const end = (): void => (stream.isOver ? forget(stream) : stream.stop.abort());
    if (!isAwaited) return end();
    stream.timer = setTimeout(end, waitMs);
    (stream.timer as { unref?: () => void }).unref?.();
  };

  /** Ends a run. A failure is an event for those who read events. */
  const end = (stream: Kept, { requestId }: Call, failure?: unknown): void => {
    const { reason } = stream.stop.signal as { readonly reason?: unknown };
    // A model may write on after its answer was dropped.
    stream.error = reason instanceof Refusal ? reason : failure;
    if (stream.error !== undefined)
      add(stream, { event: "error", data: JSON.stringify(errorJson(toRefusal(stream.error), requestId)) });
    stream.isOver = true;
    if (stream.error === undefined) stream.ended.resolve();
    else stream.ended.reject(stream.error);
    for (const { wake } of stream.readers) wake();
  };

  const begin = (
    call: Call,
    make: MakeEvents,
    { chat, headers = {}, repeatable }: StreamOptions & { readonly repeatable: Repeatable | undefined },
  ): { readonly stream: Kept; readonly events: AsyncIterator<MadeEvent> } => {
    const { signal, release } = call.detach();
    const stop = new AbortController();
    const stream: Kept = {
      id: crypto.randomUUID(),
      owner: ownerOf(call.caller!),
      chat,
      repeatable,
      headers,
      stop,
      release,
      events: [],
      documents: new Set(),
      ended: Promise.withResolvers(),
      first: 1,
      bytes: 0,
      isOver: false,
      isSeen: false,
      readers: new Set(),
    };
    stream.ended.promise.catch(() => {});
    // A client with a key may come back before the first event; any other cannot.
    if (repeatable !== undefined) streams.set(stream.id, stream);
    return { stream, events: make(anySignal([signal, stop.signal]))[Symbol.asyncIterator]() };
  };

  /** The run of an earlier request with the same key. **Errors** 422 where that one asked something else. */
  const again = (caller: Caller, repeatable: Repeatable | undefined): Kept | undefined => {
    if (repeatable === undefined) return undefined;
    const owner = ownerOf(caller);
    const stream = [...streams.values()].findLast(
      (one) => one.repeatable?.key === repeatable.key && one.owner === owner && one.error === undefined,
    );
    if (stream !== undefined && stream.repeatable?.asked !== repeatable.asked)
      throw new Refusal(422, "invalid-argument", "This Idempotency-Key came with another request.", {
        hint: "Send a new key with each new request, and a key again with its own request alone.",
      });
    // A stream without its beginning is no answer, nor is one that ends because nobody waits for it.
    return stream?.first === 1 && !stream.stop.signal.aborted ? stream : undefined;
  };

  async function produce(
    stream: Kept,
    events: AsyncIterator<MadeEvent>,
    first: IteratorResult<MadeEvent>,
    call: Call,
  ): Promise<void> {
    try {
      for (let step = first; step.done !== true; step = await events.next()) add(stream, step.value);
      end(stream, call);
    } catch (error) {
      call.fail(error);
      end(stream, call, error);
    }
    rest(stream);
  }

  /** Makes a whole answer, which others may wait for. */
  async function produceWhole(stream: Kept, events: AsyncIterator<MadeEvent>, call: Call): Promise<void> {
    try {
      for (let step = await events.next(); step.done !== true; step = await events.next()) add(stream, step.value);
      end(stream, call);
    } catch (error) {
      forget(stream);
      end(stream, call, error);
    }
    rest(stream);
  }

  /** Waits for a whole answer. A client that leaves no longer counts; the slot of the first one is held to the end. */
  async function readWhole(stream: Kept, { signal }: Call, isFirst: boolean): Promise<Response> {
    const reader: Reader = { next: 1, wake: () => {} };
    clearTimeout(stream.timer);
    stream.readers.add(reader);
    const leave = (): void => {
      if (stream.readers.delete(reader)) rest(stream);
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    try {
      await untilAborted(stream.ended.promise, isFirst ? undefined : signal, "The request");
      return wholeResponse(stream.events.at(-1)?.data);
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
  }

  function read(stream: Kept, after: number): Response {
    const reader: Reader = { next: after + 1, wake: () => {} };
    clearTimeout(stream.timer);
    stream.readers.add(reader);
    const leave = (): void => {
      if (stream.readers.delete(reader)) rest(stream);
      reader.wake();
    };
    async function* events(): AsyncGenerator<ServerSentEvent, void> {
      try {
        while (stream.readers.has(reader)) {
          const event = stream.events[reader.next - stream.first];
          if (event !== undefined) {
            reader.next += 1;
            yield event;
          } else if (stream.isOver) {
            stream.isSeen = true;
            return;
          } else await new Promise<void>((resolve) => (reader.wake = resolve));
        }
      } finally {
        leave();
      }
    }
    return createEventResponse(events(), stream.headers, leave);
  }

  const find = (caller: Caller, id: string): Kept => {
    const stream = streams.get(id);
    if (stream !== undefined && stream.owner === ownerOf(caller)) return stream;
    throw new Refusal(404, "not-found", "There is no stream of yours with this id.", {
      hint: "It ended some time ago. Ask again without Last-Event-ID.",
    });
  };

  const resume = (call: Call, id: string, after: number): Response => {
    const stream = find(call.caller!, id);
    if (after >= stream.first + stream.events.length)
      throw new Refusal(400, "invalid-argument", `This stream has sent no event ${after}.`, {
        hint: "Send the id of the last event as it came, or leave it out.",
      });
    if (after + 1 >= stream.first) return read(stream, after);
    throw new Refusal(404, "not-found", "The events after this one are not kept any more.", {
      hint: "Ask again without Last-Event-ID.",
    });
  };

  return {
    async start(call, make, options = {}) {
      const last = readLastEventId(call.request);
      if (last !== undefined) return resume(call, last.id, last.after);
      const repeatable = readKey(call, "events");
      const before = again(call.caller!, repeatable);
      if (before !== undefined) return read(before, 0);
      const { stream, events } = begin(call, make, { ...options, repeatable });
      const leave = (): void => (repeatable === undefined ? stream.stop.abort() : rest(stream));
      call.request.signal.addEventListener("abort", leave, { once: true });
      let first: IteratorResult<MadeEvent>;
      try {
        first = await events.next();
      } catch (error) {
        forget(stream);
        end(stream, call, error);
        stream.release();
        throw stream.error;
      } finally {
        call.request.signal.removeEventListener("abort", leave);
      }
      streams.set(stream.id, stream);
      const response = read(stream, 0);
      void produce(stream, events, first, call);
      return response;
    },
    async whole(call, make) {
      const repeatable = readKey(call, "whole");
      const before = again(call.caller!, repeatable);
      if (before !== undefined) return readWhole(before, call, false);
      if (repeatable === undefined) {
        let body: string | undefined;
        for await (const { data } of make(call.signal)) body = data;
        return wholeResponse(body);
      }
      const { stream, events } = begin(call, make, { repeatable });
      void produceWhole(stream, events, call);
      return readWhole(stream, call, true);
    },
    resume,
    isLast(caller, id, number) {
      const { isOver, first, events } = find(caller, id);
      return isOver && number === first + events.length - 1;
    },
    ofChat(caller, chat, isAny = false) {
      const own = [...streams.values()].filter((one) => one.chat === chat && one.owner === ownerOf(caller));
      const last = own.at(-1);
      return last === undefined || (last.isSeen && !isAny) ? undefined : last.id;
    },
    stop(caller, id) {
      find(caller, id).stop.abort();
    },
    forget(documentIds) {
      for (const stream of streams.values()) {
        const rests = (id: string): boolean =>
          stream.documents.has(id) || stream.events.some(({ data }) => data.includes(id));
        if (!documentIds.some(rests)) continue;
        forget(stream);
        stream.stop.abort(erased());
      }
    },
    close() {
      isClosing = true;
      for (const stream of streams.values()) rest(stream);
    },
  };
}

function wholeResponse(body = ""): Response {
  return bytesResponse(new TextEncoder().encode(body));
}

/** The reason of a run that ends because one of its documents was erased. */
function erased(): Refusal {
  return new Refusal(503, "busy", "A document of this answer was erased while it was made.", {
    hint: "Ask again: the answer is made without it.",
    headers: { "retry-after": "1" },
  });
}

/** **Units** bytes, about: two for each UTF-16 unit. */
function sizeOf({ data }: ServerSentEvent): number {
  return 2 * data.length + 100;
}

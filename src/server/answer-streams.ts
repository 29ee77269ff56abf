import { sha256 } from "../runtime/hash.ts";
import { createEventResponse, type ServerSentEvent } from "./event-response.ts";
import { errorJson, Refusal, toRefusal } from "./refusal.ts";
import type { Call, Caller } from "./route.ts";
import { anySignal } from "../runtime/abort.ts";

/** Bounds of the streams that are kept. */
export interface StreamLimits {
  /** How long a stream waits for a client that left, and is kept after its end. **Units** milliseconds. */
  readonly resumeMs: number;
  /** Bytes of events that are kept for clients that may come back. */
  readonly streamBytes: number;
}

/** Streams of answers that outlive the connection of their client, so that a client that comes back does not ask again. */
export interface AnswerStreams {
  /** Streams what a run gives. **Errors** those before the first event. */
  start(call: Call, make: MakeEvents, options?: StreamOptions): Promise<Response>;
  /** The rest of a stream after an event. **Errors** 404 for a stream that is not kept, or was begun by another caller or with other rights. 400 for an event that was never sent. */
  resume(call: Call, id: string, after: number): Response;
  /** Whether an event is the last one of a stream that is over. **Errors** 404 as `resume`. */
  isLast(caller: Caller, id: string, number: number): boolean;
  /** The stream of a chat that its client has not seen to the end, or with `isAny` the latest one. */
  ofChat(caller: Caller, chat: string, isAny?: boolean): string | undefined;
  /** The stream of a key, from its beginning; `undefined` where none is kept. */
  again(call: Call, key: string): Response | undefined;
  /** Ends a run. **Errors** as `resume`. */
  stop(caller: Caller, id: string): void;
  /** Drops streams whose events name documents that were purged. */
  forget(documentIds: readonly string[]): void;
  /** Ends runs without a client. */
  close(): void;
}

/** Stands for a caller with just these rights: a stream holds words that these rights may read. */
function ownerOf({ name, access }: Caller): string {
  const { userId = 0, teamId = 0, teams = [] } = access === "operator" ? {} : access;
  return sha256(JSON.stringify(["stream", name, access === "operator", userId, teamId, teams.toSorted()]));
}

/** Makes the events of a run, until the signal fires. An event of `error` and a last one are for a failure and for the end. */
export type MakeEvents = (signal: AbortSignal) => AsyncIterable<Omit<ServerSentEvent, "id">>;

/** Options of one stream. */
export interface StreamOptions {
  /** Chat by which the stream is found again. */
  readonly chat?: string | undefined;
  /** Key by which a client that sends its request again gets the same stream, also when it left before the first event. */
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A stream that is kept. */
interface Kept {
  readonly id: string;
  readonly owner: string;
  readonly chat: string | undefined;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly stop: AbortController;
  readonly release: () => void;
  readonly events: ServerSentEvent[];
  /** Number of the first event that is still kept. */
  first: number;
  bytes: number;
  isOver: boolean;
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

/** **Cost** events stay in memory until `resumeMs` after the end of their stream, `streamBytes` of all streams together. Those that a client has not read yet may add to them. */
export function createAnswerStreams({ resumeMs, streamBytes }: StreamLimits): AnswerStreams {
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

  const add = (stream: Kept, event: Omit<ServerSentEvent, "id">): void => {
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
    const isAwaited = resumeMs > 0 && !isClosing;
    const end = (): void => (stream.isOver ? forget(stream) : stream.stop.abort());
    if (!isAwaited) return end();
    stream.timer = setTimeout(end, resumeMs);
    (stream.timer as { unref?: () => void }).unref?.();
  };

  /** Ends a stream, with an event for a failure. */
  const end = (stream: Kept, error?: unknown, call?: Call): void => {
    if (call !== undefined)
      add(stream, { event: "error", data: JSON.stringify(errorJson(toRefusal(error), call.requestId)) });
    stream.isOver = true;
    for (const { wake } of stream.readers) wake();
  };

  async function produce(
    stream: Kept,
    events: AsyncIterator<Omit<ServerSentEvent, "id">>,
    first: IteratorResult<Omit<ServerSentEvent, "id">>,
    call: Call,
  ): Promise<void> {
    try {
      for (let step = first; step.done !== true; step = await events.next()) add(stream, step.value);
    } catch (error) {
      call.fail(error);
      end(stream, error, call);
      return rest(stream);
    }
    end(stream);
    rest(stream);
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

  return {
    async start(call, make, { chat, key, headers = {} } = {}) {
      const { signal, release } = call.detach();
      const stop = new AbortController();
      const events = make(anySignal([signal, stop.signal]))[Symbol.asyncIterator]();
      const stream: Kept = {
        id: crypto.randomUUID(),
        owner: ownerOf(call.caller!),
        chat,
        key,
        headers,
        stop,
        release,
        events: [],
        first: 1,
        bytes: 0,
        isOver: false,
        isSeen: false,
        readers: new Set(),
      };
      // A client with a key may come back before the first event; any other cannot.
      if (key !== undefined) streams.set(stream.id, stream);
      const leave = (): void => (key === undefined ? stop.abort() : rest(stream));
      call.request.signal.addEventListener("abort", leave, { once: true });
      let first: IteratorResult<Omit<ServerSentEvent, "id">>;
      try {
        first = await events.next();
      } catch (error) {
        forget(stream);
        end(stream, error, call);
        release();
        throw error;
      } finally {
        call.request.signal.removeEventListener("abort", leave);
      }
      streams.set(stream.id, stream);
      const response = read(stream, 0);
      void produce(stream, events, first, call);
      return response;
    },
    again(call, key) {
      const owner = ownerOf(call.caller!);
      const stream = [...streams.values()].findLast((one) => one.key === key && one.owner === owner);
      return stream === undefined ? undefined : read(stream, 0);
    },
    resume(call, id, after) {
      const stream = find(call.caller!, id);
      if (after >= stream.first + stream.events.length)
        throw new Refusal(400, "invalid-argument", `This stream has sent no event ${after}.`, {
          hint: "Send the id of the last event as it came, or leave it out.",
        });
      if (after + 1 >= stream.first) return read(stream, after);
      throw new Refusal(404, "not-found", "The events after this one are not kept any more.", {
        hint: "Ask again without Last-Event-ID.",
      });
    },
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
        if (!stream.events.some(({ data }) => documentIds.some((id) => data.includes(id)))) continue;
        forget(stream);
        stream.stop.abort();
      }
    },
    close() {
      isClosing = true;
      for (const stream of streams.values()) rest(stream);
    },
  };
}

/** **Units** bytes, about: two for each UTF-16 unit. */
function sizeOf({ data }: ServerSentEvent): number {
  return 2 * data.length + 100;
}

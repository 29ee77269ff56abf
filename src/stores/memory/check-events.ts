import type { Complete } from "../../contracts/complete.ts";
import type { EventFilter, EventName, EventRetention, KnowledgeEvent } from "../../contracts/event-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";

const names: Readonly<Record<EventName, true>> = {
  KnowledgeRetrieved: true,
  KnowledgeRetrievalMiss: true,
  KnowledgeQueryTooLarge: true,
  KnowledgeChunkIndexed: true,
  KnowledgeChunkFailed: true,
  KnowledgeChunkReembedded: true,
  KnowledgeChunkReembedFailed: true,
  KnowledgeEmbedded: true,
  KnowledgeFlushed: true,
  KnowledgeVacuumCompleted: true,
  KnowledgeQueued: true,
};

/** Every name that an event can have. */
const eventNames = Object.keys(names) as readonly EventName[];

/** Default retention: a week, and 100,000 events. */
const defaultRetention: Complete<EventRetention> = { maxAgeMs: 7 * 24 * 3600 * 1000, maxEvents: 100_000 };

/** **Errors** `invalid-argument` for a name that there is not, or a time that is none. */
export function checkEvents(events: readonly Pick<KnowledgeEvent, "name" | "at">[]): void {
  for (const { name, at } of events) {
    if (!Object.hasOwn(names, name)) throw wrong(`There is no event "${name}".`);
    if (!Number.isFinite(at)) throw wrong(`An event of ${name} is at ${String(at)}.`);
  }
}

/** **Errors** `invalid-argument` for an unknown key, or a name that there is not: nothing would ever match it. */
export function checkEventFilter(filter: EventFilter): void {
  checkOptions("read", filter, { names: true, stream: true, from: true, to: true, scope: true });
  if (filter.stream !== undefined && filter.stream !== "_platform.retrieval")
    throw wrong(`There is no stream "${String(filter.stream)}"; the one is _platform.retrieval.`);
  for (const name of filter.names ?? []) {
    if (!Object.hasOwn(names, name)) throw wrong(`There is no event "${name}".`);
  }
}

const retrievals: readonly EventName[] = ["KnowledgeRetrieved", "KnowledgeRetrievalMiss", "KnowledgeQueryTooLarge"];

/** Names that a filter selects, by name and by stream; `undefined` for all. */
export function selectNames({ names: chosen, stream }: EventFilter): readonly EventName[] | undefined {
  if (stream === undefined) return chosen;
  return chosen === undefined ? retrievals : retrievals.filter((name) => chosen.includes(name));
}

/** **Errors** `invalid-argument` for less than nothing. */
export function decideRetention({
  maxAgeMs = defaultRetention.maxAgeMs,
  maxEvents = defaultRetention.maxEvents,
}: EventRetention): Complete<EventRetention> {
  if (!(maxAgeMs >= 0)) throw wrong(`maxAgeMs is ${String(maxAgeMs)}.`);
  if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) throw wrong(`maxEvents is ${String(maxEvents)}.`);
  return { maxAgeMs, maxEvents };
}

function wrong(message: string): IbidError {
  return new IbidError("invalid-argument", message, { hint: `Names are ${eventNames.join(", ")}; times are numbers.` });
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { IbidError, type KnowledgeBase, openKnowledgeBase } from "ibid";
import { createMemoryStore } from "ibid/stores";
import { createFixedEmbeddingModel } from "ibid/testing";
import type { ChunkEntry } from "../../src/contracts/document-store.ts";
import type { Store } from "../../src/contracts/store.ts";
import { read, write } from "../stores/build.ts";

const start = Date.parse("2026-01-01T00:00:00.000Z");
const hour = 3_600_000;

const words = ["lantern", "harbour", "oven", "comet", "violin", "anchor"] as const;
const scopes = ["deployment", "team:north"] as const;
type Place = (typeof scopes)[number];

/** One thing that happens to one document. */
export interface Event {
  readonly what:
    | "write"
    | "label"
    | "delete"
    | "restore"
    | "return"
    | "purge"
    | "move"
    | "delete chunk"
    | "purge chunk"
    | "vacuum"
    | "reset"
    | "settle";
  readonly document: number;
  readonly scope: 0 | 1;
  /** Words of each chunk. */
  readonly chunks: readonly (readonly number[])[];
  /** Hours since the event before; 0 for the same millisecond. */
  readonly after: number;
  /** Hours before a return of the version that it returns to. */
  readonly back: number;
}

export interface History {
  readonly events: readonly Event[];
  /** Times of the questions, as shares of the whole. */
  readonly asked: readonly number[];
  readonly query: readonly [number, number];
}

const anyEvent: fc.Arbitrary<Event> = fc.record({
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constant("write" as const) },
    { weight: 3, arbitrary: fc.constantFrom("delete" as const, "restore" as const, "label" as const) },
    { weight: 4, arbitrary: fc.constant("return" as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom("move" as const, "purge" as const, "delete chunk" as const, "purge chunk" as const),
    },
    { weight: 1, arbitrary: fc.constantFrom("vacuum" as const, "settle" as const, "reset" as const) },
  ),
  document: fc.constantFrom(0, 0, 0, 1, 2, 3),
  scope: fc.constantFrom(0 as const, 0 as const, 1 as const),
  chunks: fc.array(fc.array(fc.nat(words.length - 1), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  after: fc.constantFrom(0, 1, 1, 2, 5),
  back: fc.constantFrom(0.5, 1, 2, 3, 6),
});

export const anyHistory: fc.Arbitrary<History> = fc.record({
  events: fc.array(anyEvent, { minLength: 4, maxLength: 18 }),
  asked: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 3 }),
  query: fc.tuple(fc.nat(words.length - 1), fc.nat(words.length - 1)),
});

/** A vector that every text has for itself. */
function vectorOf(text: string): number[] {
  const sums = [1, 1, 1];
  for (const [i, char] of Array.from(text).entries()) sums[i % 3]! += char.charCodeAt(0) % 17;
  return sums;
}

interface World {
  readonly kb: KnowledgeBase;
  /** The store behind a base in memory. */
  readonly store: Store | undefined;
  readonly clock: { now: number };
  readonly close: () => Promise<void>;
}

async function open(where: "memory" | "folder" | "replay", history: boolean): Promise<World> {
  const clock = { now: start };
  const options = {
    models: { embedding: createFixedEmbeddingModel({}, { dimensions: 3, otherwise: vectorOf }) },
    operations: { now: () => clock.now, events: false },
    ...(history && { history }),
  };
  const folder = where === "folder" ? mkdtempSync(join(tmpdir(), "ibid-past-")) : undefined;
  const store = where === "replay" ? createMemoryStore({ now: () => clock.now }) : undefined;
  const kb = await openKnowledgeBase(folder && join(folder, "kb"), { ...options, ...(store && { store }) });
  return {
    kb,
    store,
    clock,
    async close() {
      await kb.close();
      if (folder !== undefined) rmSync(folder, { recursive: true });
    },
  };
}

const uriOf = ({ document }: Pick<Event, "document">): string => `guide-${document}.md`;

/** An event as it happened: its time, and the chunks that it named. */
interface Happened {
  readonly event: Event;
  readonly at: number;
  readonly ids: readonly string[];
  /** Time whose version a return wrote again; absent where there was none. */
  readonly returnedTo?: number | undefined;
}

async function act(kb: KnowledgeBase, { event, ids }: Pick<Happened, "event" | "ids">): Promise<void> {
  const { what } = event;
  const uri = uriOf(event);
  const scope = scopes[event.scope];
  const put = (into: Place, label: string) =>
    kb.ingest(
      {
        uri,
        title: uri,
        metadata: { label },
        chunks: event.chunks.map((each) => ({
          text: each.map((i) => words[i]).join(" "),
          metadata: { first: words[each[0]!] },
        })),
      },
      { scope: into },
    );
  if (what === "write") await put(scope, "plain");
  else if (what === "label") await put(scope, "labelled");
  else if (what === "delete" || what === "purge") await kb.delete(uri, { scope, purge: what === "purge" });
  else if (what === "restore") await kb.restore(uri, { scope });
  else if (what === "return") throw new Error("A return needs the times of its history.");
  else if (what === "move") {
    await kb.delete(uri, { scope });
    await put(scopes[1 - event.scope] as Place, "moved");
  } else if (what === "delete chunk" || what === "purge chunk") {
    if (ids.length > 0) await kb.delete({ chunks: ids }, { scope, purge: what === "purge chunk" });
  } else if (what === "vacuum") await kb.vacuum({ olderThanMs: retention });
  else if (what === "reset") await kb.reset(scope);
  else await kb.ingest([], { settle: true });
}

/** Returns to the version of some hours ago. **Shape** the time, where a version stood then. */
async function goBack(kb: KnowledgeBase, { event, at }: Happened): Promise<number | undefined> {
  const time = at - event.back * hour;
  try {
    const asOf = new Date(time).toISOString();
    const restored = await kb.restore(uriOf(event), { scope: scopes[event.scope], asOf });
    return restored.length === 0 ? undefined : time;
  } catch (error) {
    if (IbidError.isInstance(error, "not-found")) return undefined;
    throw error;
  }
}

const retention = 3 * hour;

async function chunkIds(kb: KnowledgeBase, event: Event): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { chunk } of kb.chunks({ uri: uriOf(event), scope: scopes[event.scope] })) ids.push(chunk.id);
  return ids.slice(0, 1);
}

/** Everything that a reader sees of a moment: hits of each mode, a search by a given vector, the documents and their texts. */
async function see(kb: KnowledgeBase, { query }: History, asOf?: string): Promise<unknown> {
  const at = asOf === undefined ? {} : { asOf };
  const question = `${words[query[0]]} ${words[query[1]]}`;
  const modes = ["lexical", "dense", "hybrid"] as const;
  const hits = [];
  for (const mode of modes) hits.push(await kb.search(question, { topK: "all", mode, ...at }));
  hits.push(await kb.search(question, { topK: 2, filter: { first: words[query[0]] }, explain: true, ...at }));
  hits.push(await kb.search(words[query[1]]!, { mode: "regex", ...at }));
  const near = await kb.searchVector(vectorOf(question), { topK: "all", ...at });
  const documents = [];
  for await (const { checkedAt: _, ...summary } of kb.list(at)) {
    const found = await kb.document(summary.uri, { scope: summary.scope, ...at });
    documents.push({ summary, text: found?.text, metadata: found?.metadata });
  }
  return { hits, near, documents };
}

/** The views whose readings are compared: the operator's, and that of somebody who may not read the other team. */
const viewsOf = (kb: KnowledgeBase): readonly KnowledgeBase[] => [
  kb,
  kb.as({ userId: "ada", teamId: "north" }),
  kb.as({ userId: "eve", teamId: "south" }),
];

/** Events that a later purge has erased: of a document, all that came before; of a scope, all of it. */
function outlives(happened: readonly Happened[], place: number): boolean {
  const { event } = happened[place]!;
  return !happened.slice(place + 1).some(({ event: later }) => {
    const isSameScope = later.scope === event.scope;
    return isSameScope && (later.what === "reset" || (later.what === "purge" && later.document === event.document));
  });
}

/** Writes a document as a replay up to a time has it, with the vectors that it has there. */
async function copyFromReplay(into: Store, happened: readonly Happened[], time: number, event: Event): Promise<void> {
  const { store, kb, close } = await replayTo(happened, time);
  const scope = scopes[event.scope];
  const { id } = (await kb.document(uriOf(event), { scope }))!;
  const { summary, document } = (await store!.document(read(scope), id))!;
  const entries: ChunkEntry[] = [];
  for await (const { chunk, embeddings = [] } of store!.chunks(read(scope), {
    documentId: id,
    includeEmbeddings: true,
  }))
    entries.push({ chunk, embeddings });
  // A version that comes back is written now.
  const { ingestedAt: _ingested, checkedAt: _checked, ...facts } = summary;
  await into.replace(write(scope), { ...facts, document, chunks: entries });
  await close();
}

/** The base as a replay makes it: the events up to a time, without what was purged since. */
async function replayTo(happened: readonly Happened[], time: number): Promise<World> {
  const world = await open("replay", false);
  const { kb, clock } = world;
  for (const [place, one] of happened.entries()) {
    if (one.at > time) break;
    clock.now = one.at;
    if (one.event.what === "move") {
      // A purge may have erased one half of a move.
      const from = outlives(happened, place);
      const into = outlives(
        happened.map((each, i) =>
          i === place ? { ...each, event: { ...each.event, scope: (1 - each.event.scope) as 0 | 1 } } : each,
        ),
        place,
      );
      if (from) await act(kb, { event: { ...one.event, what: "delete" }, ids: [] });
      if (into) await act(kb, { event: { ...one.event, what: "move", scope: one.event.scope }, ids: [] });
    } else if (one.event.what === "return") {
      if (one.returnedTo !== undefined && outlives(happened, place))
        await copyFromReplay(world.store!, happened, one.returnedTo, one.event);
    } else if (outlives(happened, place)) await act(kb, one);
  }
  for (const { event, at, ids } of happened) {
    if (at > time && event.what === "purge chunk") await act(kb, { event, ids });
  }
  return world;
}

async function replay(happened: readonly Happened[], time: number, history: History): Promise<readonly unknown[]> {
  const { kb, close } = await replayTo(happened, time);
  const seen = [];
  for (const view of viewsOf(kb)) seen.push(await see(view, history));
  await close();
  return seen;
}

/** One comparison: what was seen as of a time, and what a replay shows. */
export interface Comparison {
  readonly asOf: string;
  readonly past: readonly unknown[];
  readonly replayed: readonly unknown[];
}

/**
 * Lives through a history, asks as of some of its times, and replays it up to each.
 *
 * **Shape** a time before the end of what a vacuum removed is left out: it must be refused, and no other.
 */
export async function compareWithReplay(where: "memory" | "folder", history: History): Promise<readonly Comparison[]> {
  const { kb, clock, close } = await open(where, true);
  try {
    const happened: Happened[] = [];
    for (const event of history.events) {
      clock.now += event.after * hour;
      const ids = event.what.endsWith("chunk") ? await chunkIds(kb, event) : [];
      const one: Happened = { event, at: clock.now, ids };
      if (event.what === "return") happened.push({ ...one, returnedTo: await goBack(kb, one) });
      else {
        await act(kb, one);
        happened.push(one);
      }
    }
    const vacuums = happened.filter(({ event }) => event.what === "vacuum").map(({ at }) => at - retention);
    const cut = Math.max(-Infinity, ...vacuums);
    const compared: Comparison[] = [];
    for (const share of history.asked) {
      const time = start + Math.floor((share * (clock.now - start)) / (hour / 2)) * (hour / 2);
      const asOf = new Date(time).toISOString();
      const past: unknown[] = [];
      try {
        for (const view of viewsOf(kb)) past.push(await see(view, history, asOf));
      } catch (error) {
        if (!IbidError.isInstance(error, "not-found") || time >= cut) throw error;
        continue;
      }
      compared.push({ asOf, past, replayed: await replay(happened, time, history) });
    }
    return compared;
  } finally {
    await close();
  }
}

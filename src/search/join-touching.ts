import { narrowProof } from "../access/gate.ts";
import type { ChunkStructure } from "../contracts/chunk.ts";
import type { Origin, PlaceLabels } from "../contracts/document.ts";
import type { Hit, HitPart } from "../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import { placeLabels } from "../text/place-labels.ts";
import { joinHits } from "./around/join-hits.ts";
import { joinEvidence, numberHits } from "./around/rank-hits.ts";

/** Chunks of one hit. **Source** measured on annual reports and on documentation; decision 0123 has the figures. */
const mostParts = 3;

/** How many hits can become `topK` joined ones, and one more: it tells that the last one is complete. */
export function hitsToJoin(topK: number | "all"): number | "all" {
  return topK === "all" ? "all" : mostParts * topK + 1;
}

/** Where a chunk stands among those of its document. */
export interface Standing {
  readonly scope: Scope;
  readonly documentId: string;
  readonly origin: Origin;
  readonly structure?: Pick<ChunkStructure, "chunkIndex"> | undefined;
  readonly source: Pick<PlaceLabels, "part" | "sheet">;
}

/** Groups of chunks that touch. */
export interface TouchingGroups<Item> {
  /** Takes the next chunk of a ranking. **Shape** false for one that would begin one group too many: it is left out, and the ranking ends there. */
  take(item: Item): boolean;
  /** Chunks that can be taken before one is refused, at least. It counts that one. */
  room(): number;
  /** In the order of the best chunk of each, best first. */
  groups(): readonly (readonly Item[])[];
}

/**
 * Groups the chunks of a ranking, best first, as long as they make at most `most` groups.
 *
 * Two chunks touch when one follows the other in its document, within one sheet, attachment or chapter. A group has three chunks at most. A chunk between two
 * groups makes them one where three chunks result, and otherwise joins the better one that has room.
 */
export function groupTouching<Item extends Standing>(most: number | "all"): TouchingGroups<Item> {
  const groups = new Set<Item[]>();
  const byPlace = new Map<string, Item[]>();
  const placeOf = ({ scope, documentId, origin, structure, source }: Item, step: -1 | 0 | 1): string =>
    structure === undefined
      ? ""
      : JSON.stringify([scope, documentId, origin, source.part, source.sheet, structure.chunkIndex + step]);
  const limit = most === "all" ? Infinity : most;

  /** The groups on both sides, the better first. */
  const touchedBy = (item: Item): readonly Item[][] => {
    if (item.structure === undefined || byPlace.has(placeOf(item, 0))) return [];
    const beside = new Set([byPlace.get(placeOf(item, -1)), byPlace.get(placeOf(item, 1))]);
    return [...groups].filter((group) => beside.has(group));
  };

  return {
    take(item) {
      const [first, second] = touchedBy(item);
      let group = [first, second].find((one) => one !== undefined && one.length < mostParts);
      if (first !== undefined && second !== undefined && first.length + second.length < mostParts) {
        groups.delete(second);
        first.push(...second);
        for (const one of second) byPlace.set(placeOf(one, 0), first);
      }
      if (group === undefined) {
        if (groups.size >= limit) return false;
        groups.add((group = []));
      }
      group.push(item);
      if (item.structure !== undefined && !byPlace.has(placeOf(item, 0))) byPlace.set(placeOf(item, 0), group);
      return true;
    },
    room: () => limit - groups.size + 1,
    groups: () => [...groups],
  };
}

/** Reads a slice of the document of a hit; `undefined` where that is gone, or cannot be read. */
export type ReadHitText = (hit: Hit, start: number, end: number) => Promise<string | undefined>;

/** Reads with the proof of a search. */
export function hitTextReader(store: Partial<Pick<Store, "readText">>, scopes: AuthorizedScopes): ReadHitText {
  return async ({ scope, documentId }, start, end) =>
    store.readText?.(narrowProof(scopes, [scope]), documentId, start, end);
}

/**
 * Joins hits that touch: the first hits of a ranking, as long as they make at most `topK`.
 *
 * **Shape** in the order of the best chunk of each, with ranks from 1. The text of a joined hit is the document's own from the beginning of its first chunk to
 * the end of its last; `parts` has the chunks. Headings are those that all parts stand under. Its place and its language are the first one's, and its other facts
 * are the best one's. It is evidence where a part is. It has no vector.
 * Hits whose document changed since they were found stay apart.
 * **Cost** one slice of text for each joined hit whose chunks do not overlap.
 */
export async function joinTouching(
  hits: readonly Hit[],
  topK: number | "all",
  read: ReadHitText,
): Promise<readonly Hit[]> {
  const touching = groupTouching<Hit>(topK);
  for (const hit of hits) if (!touching.take(hit)) break;
  const joined = await Promise.all(
    touching.groups().map(async (group): Promise<readonly Hit[]> => {
      if (group.length === 1) return group;
      const inOrder = group.toSorted((a, b) => a.source.start - b.source.start || a.source.end - b.source.end);
      const text = await textOf(inOrder, read);
      return text === undefined ? group : [joinParts(group, inOrder, text)];
    }),
  );
  const shown = joined.flat().sort((a, b) => a.rank - b.rank);
  return numberHits(topK === "all" ? shown : shown.slice(0, topK));
}

/** The text from the first to the last of some chunks; `undefined` where they are not of one version of their document. */
async function textOf(inOrder: readonly Hit[], read: ReadHitText): Promise<string | undefined> {
  const [first, ...others] = inOrder as readonly [Hit, ...Hit[]];
  const { start } = first.source;
  let text = first.text;
  for (const { source, text: next } of others) {
    const shared = start + text.length - source.start;
    if (shared < 0) {
      const whole = await read(first, start, Math.max(...inOrder.map((hit) => hit.source.end)));
      return whole !== undefined && inOrder.every((hit) => standsIn(whole, start, hit)) ? whole : undefined;
    }
    if (!text.endsWith(next.slice(0, shared)) && !standsIn(text, start, { source, text: next })) return undefined;
    text += next.slice(shared);
  }
  return text;
}

function standsIn(text: string, start: number, hit: Pick<Hit, "source" | "text">): boolean {
  return text.slice(hit.source.start - start, hit.source.end - start) === hit.text;
}

function joinParts(group: readonly Hit[], inOrder: readonly Hit[], text: string): Hit {
  const { embedding: _, ...best } = group[0]!;
  const { matches } = joinHits(group).hit;
  const evidence = joinEvidence(group);
  const first = inOrder[0]!.source;
  const { uri, rootLabel, path, title, language } = first;
  const headings = first.headings.filter((_, at) =>
    group.every(({ source }) => first.headings.slice(0, at + 1).every((name, i) => source.headings[i] === name)),
  );
  return {
    ...best,
    text,
    source: {
      uri,
      ...(rootLabel !== undefined && path !== undefined && { rootLabel, path }),
      title,
      headings,
      start: first.start,
      end: first.start + text.length,
      ...placeLabels(first),
      ...joinPages(first, inOrder.at(-1)!.source),
      ...joinTimes(inOrder.map(({ source }) => source)),
      ...joinCells(inOrder.map(({ source }) => source)),
      ...(language !== undefined && { language }),
    },
    ...(evidence !== undefined && { evidence }),
    ...(matches && { matches }),
    parts: inOrder.map(partOf),
  };
}

/** The pages from the first of some places to the last. */
function joinPages({ page }: PlaceLabels, last: PlaceLabels): Pick<PlaceLabels, "lastPage"> {
  const lastPage = last.lastPage ?? last.page;
  return page === undefined || lastPage === undefined || lastPage === page ? {} : { lastPage };
}

function partOf({ rank, score, scope, documentId, chunkId, source, evidence, copies, explain }: Hit): HitPart {
  const { uri, headings, start, end } = source;
  return {
    rank,
    score,
    scope,
    documentId,
    chunkId,
    uri,
    headings,
    start,
    end,
    ...placeLabels(source),
    ...(evidence !== undefined && { evidence }),
    ...(copies && { copies }),
    ...(explain && { explain }),
  };
}

/** The time from the first to the last moment of some places. */
function joinTimes(places: readonly PlaceLabels[]): PlaceLabels {
  const times = places.flatMap(({ time }) => time ?? []);
  if (times.length === 0) return {};
  const [start, end] = [Math.min(...times.map((one) => one.start)), Math.max(...times.map((one) => one.end))];
  return { time: { start, end } };
}

/** `A2:D9` and `A8:D14` of one sheet are `A2:D14`. */
function joinCells(places: readonly PlaceLabels[]): PlaceLabels {
  const [first, last] = [places[0]!, places.at(-1)!];
  if (first.cells === undefined || last.cells === undefined || first.sheet !== last.sheet) return {};
  return { cells: `${first.cells.split(":")[0]}:${last.cells.split(":").at(-1)}` };
}

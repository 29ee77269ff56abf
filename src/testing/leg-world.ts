import type { ChunkEntry } from "../contracts/document-store.ts";
import type { Origin } from "../contracts/document.ts";
import type { Filter } from "../contracts/filter.ts";
import type {
  ChunkRef,
  Leg,
  LegCapabilities,
  LegMatch,
  LegResult,
  MatchCount,
  Query,
  Receipt,
  Restriction,
  Within,
} from "../contracts/leg.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Scope } from "../contracts/scope.ts";
import type { StoreParts } from "../contracts/store.ts";
import { check, close, equal } from "./assert.ts";
import { deployment, entryOf, north, plane, south, writeChunks } from "./store-fixtures.ts";

/**
 * Parts of a store around the tested leg.
 *
 * @experimental
 */
export interface LegSubject {
  /** As in {@link Leg.name}. */
  readonly name: string;
  /** Parts of a query that the leg reads. A query of the pack has these parts and no others. */
  readonly reads: readonly ("words" | "embedding" | "pattern")[];
  /**
   * Makes the parts that `composeStore` gets: a document store that holds nothing, and its legs. Each case makes its own.
   *
   * **Shape** the pack writes chunks with `documents.replace`, each with one vector of two dimensions.
   */
  create(): Promise<StoreParts>;
  /** Resolves when the leg finds every write. Required for a leg whose `visibility` is `"later"`. */
  settle?(parts: StoreParts): Promise<void>;
  /** Removes what `create` made, after `documents.close`. */
  destroy?(parts: StoreParts): Promise<void>;
}

/** The parts of one case, and the ways in which a case uses them. */
export interface World {
  readonly subject: LegSubject;
  readonly parts: StoreParts;
  readonly leg: Leg;
  write(scope: Scope, entries: readonly ChunkEntry[]): Promise<void>;
  delete(scope: Scope, ids: readonly string[]): Promise<void>;
  search(within?: Asked): Promise<LegResult>;
}

export interface Asked extends Partial<Omit<Within, "moment">> {
  /** Default `"all"`. */
  readonly k?: MatchCount;
  /** Default: a query for {@link word}. */
  readonly query?: Query;
}

/** The word that every query looks for. */
export const word = "lantern";

/** Words of a chunk: the more of them are {@link word}, the better the chunk answers. */
export const fullLevel = 8;

export function openWorld(subject: LegSubject, parts: StoreParts): World {
  const { documents, legs } = parts;
  const leg = legs.find(({ name }) => name === subject.name);
  check(leg !== undefined, `there is a leg "${subject.name}"`);
  const receipts: Receipt[] = [];
  const wrote = async (receipt: Receipt): Promise<void> => {
    receipts.push(receipt);
    if (leg.capabilities.visibility !== "later") return;
    check(subject.settle !== undefined, "the subject of a leg that sees writes later has settle");
    await subject.settle(parts);
  };
  return {
    subject,
    parts,
    leg,
    write: async (scope, entries) => wrote((await writeChunks(documents, scope, entries))!),
    delete: async (scope, ids) => wrote((await documents.delete(scope, { ids })).receipt),
    async search({ k = "all", query, scopes = [deployment], ...within } = {}) {
      const after = receipts.filter(({ scope }) => scopes.includes(scope));
      const moment = await documents.moment(scopes, after);
      return leg.search(query ?? queryOf(subject, scopes), k, { ...within, scopes, moment });
    },
  };
}

export function queryOf({ reads }: Pick<LegSubject, "reads">, scopes: readonly Scope[], source = word): Query {
  const text = reads.includes("words") ? word : "";
  const embeddings = reads.includes("embedding") ? [{ embedding: [1, 0], version: plane, scopes }] : [];
  const pattern = reads.includes("pattern") ? { source, ignoreCase: false } : undefined;
  return { question: word, text, syntax: "literal", embeddings, pattern };
}

/** A chunk of eight words, `level` of which are the word of the query. */
export function leveled(
  id: string,
  level: number,
  metadata: Metadata = {},
  origin: Origin = "user-content",
): ChunkEntry {
  const words = Array.from({ length: fullLevel }, (_, i) => (i < level ? word : "quay"));
  const documentId = documentOf(id);
  return entryOf(id, [level, fullLevel - level], { text: words.join(" "), metadata, origin, documentId });
}

/** Ids that tie, with their documents: the order of documents by code point differs from that by code unit, and from that of the ids. */
const tied: ReadonlyMap<string, string> = new Map([
  ["a", "of d"],
  ["b", "of c"],
  ["x", "of \u{1f512}"],
  ["y", "of \u{ff5e}"],
]);

function documentOf(id: string): string {
  return tied.get(id) ?? `of ${id}`;
}

/** Writes chunks of every level, four that tie, and chunks of the same ids in other scopes. */
export async function fill(world: World): Promise<void> {
  const levels = Array.from({ length: fullLevel + 1 }, (_, level) => leveled(`n${level}`, level));
  await world.write(deployment, [...levels, ...Array.from(tied.keys(), (id) => leveled(id, 4)).toReversed()]);
  await world.write(north, [leveled("b", 4), leveled("a", 4), leveled("n6", 6)]);
  await world.write(south, [leveled("n8", 8), leveled("s", 7)]);
}

export const refOf = ({ scope, id }: ChunkRef): string => `${scope} ${id}`;
export const refsOf = (matches: readonly ChunkRef[]): readonly string[] => matches.map(refOf);

/** **Errors** a violation unless matches are in the promised order, each chunk once, with numbers as scores. */
export function checkOrder(matches: readonly LegMatch[], what: string): void {
  equal(new Set(refsOf(matches)).size, matches.length, `${what}: different chunks`);
  for (const [i, { score, id, scope }] of matches.entries()) {
    check(typeof score === "number" && !Number.isNaN(score), `${what}: the score of ${id} is a number`, score);
    const next = matches[i + 1];
    if (next === undefined) continue;
    const order =
      next.score - score ||
      compareCodePoints(documentOf(id), documentOf(next.id)) ||
      compareCodePoints(scope, next.scope) ||
      compareCodePoints(id, next.id);
    check(
      order < 0,
      `${what}: best first, equal scores by uri, then scope, by code point`,
      refsOf([matches[i]!, next]),
    );
  }
}

function compareCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const i = left.findIndex((char, place) => char !== right[place]);
  if (i < 0) return left.length - right.length;
  return (left[i]?.codePointAt(0) ?? -1) - (right[i]?.codePointAt(0) ?? -1);
}

/** **Errors** a violation unless two lists have the same chunks in the same order, with the same scores. */
export function same(actual: readonly LegMatch[], expected: readonly LegMatch[], what: string): void {
  equal(refsOf(actual), refsOf(expected), what);
  for (const [i, { id, score }] of expected.entries()) {
    if (actual[i]!.score !== score) close(actual[i]!.score, score, `${what}: the score of ${id}`);
  }
}

/**
 * Compares a narrowed result with the part of a whole one that it should be.
 *
 * **Errors** a violation. A result that may lack candidates must be a part of `expected`; any other equals it.
 */
export function narrowed(
  { leg }: World,
  { matches, complete }: LegResult,
  whole: LegResult,
  expected: LegMatch[],
  what: string,
): void {
  if (leg.capabilities.exact || (complete && whole.complete)) return same(matches, expected, what);
  const found = new Set(refsOf(matches));
  same(
    matches,
    expected.filter((match) => found.has(refOf(match))),
    what,
  );
}

export function restrict(
  filter: Filter | undefined,
  origins: readonly Origin[] | undefined,
  admits: (metadata: Metadata) => boolean,
): Restriction {
  return {
    key: JSON.stringify([filter, origins]),
    filter,
    origins,
    admits: ({ metadata, origin }) => admits(metadata) && (origins?.includes(origin) ?? true),
  };
}

/** Whether a leg evaluates a filter by itself. */
export function evaluates({ filters }: LegCapabilities, filter: Filter): boolean {
  const has = (one: Filter): boolean => {
    const inner = "filters" in one ? one.filters : "filter" in one ? [one.filter] : [];
    return filters.includes(one.op) && inner.every(has);
  };
  return filters === "all" || (filters !== "none" && has(filter));
}

export function checkWhy(
  { id, score, why }: LegMatch,
  { start, end }: { readonly start: number; readonly end: number },
): void {
  if (why.kind === "terms") {
    const { terms, name, document = 0, heading } = why;
    const sum = terms.reduce((total, term) => total + term.score, 0);
    const parts = (name?.value ?? 0) + document + (heading?.value ?? 0);
    close(sum + parts, score, `${id}: the scores of the terms and the parts add up to the score`);
  } else if (why.kind === "vector") {
    check(Number.isFinite(why.rawScore), `${id}: the metric's own value is finite`, why.rawScore);
  } else if (why.kind === "ranges") {
    let last = start;
    for (const range of why.ranges) {
      check(range.start >= last && range.end >= range.start && range.end <= end, `${id}: ranges ascend, apart`, why);
      last = range.end;
    }
  }
}

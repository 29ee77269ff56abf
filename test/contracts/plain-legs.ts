import { IbidError } from "../../src/contracts/errors.ts";
import type { Leg, LegCapabilities, LegMatch, Within } from "../../src/contracts/leg.ts";
import type { StoredChunk, StoreParts } from "../../src/contracts/store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { compareCodePoints } from "../../src/runtime/compare-text.ts";
import { collect } from "../../src/testing/assert.ts";
import type { LegSubject } from "../../src/testing/leg-world.ts";

/** Faults of a leg, each with the case that notices it. */
export const legFaults = {
  "another leg has its name": "named-once",
  "visibility has another word": "capabilities-declared",
  "every query is accepted": "accepts-what-it-reads",
  "its own query is not accepted": "accepts-what-it-reads",
  "infinite calibration": "calibration-is-finite",
  "half of 0": "calibration-is-finite",
  "worst first": "best-first",
  "ties by code unit": "best-first",
  "ties by scope first": "best-first",
  "a chunk comes twice": "best-first",
  "NaN for a short chunk": "never-nan",
  "one match too few": "as-many-as-asked",
  "always complete": "as-many-as-asked",
  "all is not complete": "as-many-as-asked",
  "exact is denied": "as-many-as-asked",
  "scores depend on k": "as-many-as-asked",
  "the threshold is exclusive": "threshold-is-inclusive",
  "the threshold is ignored": "threshold-is-inclusive",
  "a match carries its chunk": "explained-without-text",
  "a match quotes the text": "explained-without-text",
  "ranges count from the middle": "explained-without-text",
  "scopes in their order": "same-query-same-matches",
  "every scope is searched": "scopes-never-widened",
  "no scope means every scope": "scopes-never-widened",
  "given chunks are ignored": "given-chunks-scored",
  "no given chunks means all": "given-chunks-scored",
  "given chunks among the best alone": "given-chunks-scored",
  "filtered after ranking": "restricted-before-ranking",
  "origins are ignored": "restricted-before-ranking",
  "a negation is ignored": "filters-as-declared",
  "writes are found one search later": "writes-found",
  "deleted chunks are found": "writes-found",
  "a constant revision": "revision-of-the-chunk",
  "a revision of its own": "revision-of-the-chunk",
  "the signal is ignored": "stops-when-aborted",
  "a broken pattern finds nothing": "bad-pattern-refused",
} as const;

export type LegFault = keyof typeof legFaults;

interface PlainLegs {
  readonly fault?: LegFault | undefined;
  readonly capabilities?: Partial<LegCapabilities> | undefined;
}

export function plainSubject(fault?: LegFault): LegSubject {
  return createPlainLegs({ fault });
}

/** A store with one leg, which runs a regular expression over every chunk. */
export function createPlainLegs({ fault, capabilities }: PlainLegs): LegSubject {
  const seen = new WeakMap<StoreParts, () => Promise<void>>();
  return {
    name: "plain",
    reads: ["pattern"],
    async create() {
      const { documents } = createSegmentStore(createMemoryDirectory(), {
        ...decideStoreOptions({}),
        embeddings: ["dense"],
        secret: createSecret(),
      });
      const { leg, catchUp } = createPlainLeg(documents, fault, capabilities);
      const parts = { documents, legs: fault === "another leg has its name" ? [leg, { ...leg }] : [leg] };
      seen.set(parts, catchUp);
      return parts;
    },
    settle: async (parts) => seen.get(parts)!(),
  };
}

/** Every scope in which the pack writes. */
const everyScope = ["deployment", "team:north", "team:south", "user:ada"] as const;

function createPlainLeg(
  documents: StoreParts["documents"],
  fault: LegFault | undefined,
  declared: Partial<LegCapabilities> = {},
): { readonly leg: Leg; readonly catchUp: () => Promise<void> } {
  const broken = (name: LegFault): boolean => fault === name;
  let rows: readonly (StoredChunk & { readonly revision: number })[] = [];
  const catchUp = async (): Promise<void> => {
    const held = await collect(documents.chunks(everyScope));
    const read = await documents.readChunks(
      held.map(({ scope, chunk: { id } }) => ({ scope, id })),
      {},
    );
    const fresh = held.map((row, i) => ({ ...row, revision: read[i]!.revision }));
    const gone = rows.filter(({ chunk }) => !fresh.some((row) => row.chunk.id === chunk.id));
    rows = broken("deleted chunks are found") ? [...fresh, ...gone] : fresh;
  };
  const capabilities: LegCapabilities = {
    exact: true,
    filters: "all",
    visibility: broken("visibility has another word") ? ("soon" as "later") : "commit",
    scoresGivenChunks: true,
    ...declared,
  };

  const searched = ({ scopes }: Within) =>
    rows.filter(
      ({ scope }) =>
        scopes.includes(scope) ||
        broken("every scope is searched") ||
        (scopes.length === 0 && broken("no scope means every scope")),
    );
  const admitted = ({ restriction, only }: Within, { scope, chunk }: StoredChunk): boolean => {
    const { metadata } = chunk;
    const origin = broken("origins are ignored") ? (restriction?.origins?.[0] ?? chunk.origin) : chunk.origin;
    const negated = restriction?.filter?.op === "not" && broken("a negation is ignored");
    if (capabilities.filters !== "none" && restriction?.admits({ metadata, origin }) === negated) return false;
    if (only === undefined || !capabilities.scoresGivenChunks || broken("given chunks are ignored")) return true;
    if (only.length === 0 && broken("no given chunks means all")) return true;
    return only.some((ref) => ref.scope === scope && ref.id === chunk.id);
  };
  type Ranked = LegMatch & { readonly row: StoredChunk };
  const compare = (a: Ranked, b: Ranked): number => {
    if (a.score !== b.score) return broken("worst first") ? a.score - b.score : b.score - a.score;
    const [one, other] = [a.row.chunk, b.row.chunk];
    const compareUris = broken("ties by code unit")
      ? (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0)
      : compareCodePoints;
    const places = compareUris(one.uri, other.uri) || one.start - other.start;
    const scopes = compareCodePoints(a.scope, b.scope);
    return (broken("ties by scope first") ? scopes || places : places || scopes) || compareCodePoints(a.id, b.id);
  };

  const leg: Leg = {
    name: "plain",
    capabilities,
    accepts: ({ pattern }) =>
      broken("every query is accepted") || (pattern !== undefined && !broken("its own query is not accepted")),
    async search({ pattern }, k, within) {
      if (within.signal?.aborted === true && !broken("the signal is ignored"))
        throw new IbidError("aborted", "The search was aborted.");
      const late = broken("writes are found one search later");
      if (capabilities.visibility !== "later" && !late) await catchUp();
      const regex = compile(pattern?.source ?? "", broken("a broken pattern finds nothing"));
      const most = k === "all" ? Infinity : broken("one match too few") ? k - 1 : k;
      let found = searched(within).flatMap(({ scope, chunk, revision }): Ranked[] => {
        const ranges = Array.from(chunk.urtext.matchAll(regex), ({ index, 0: { length } }) => {
          const start = chunk.start + index + (broken("ranges count from the middle") ? chunk.urtext.length >> 1 : 0);
          return { start, end: start + length };
        });
        if (ranges.length === 0) return [];
        const shown = broken("NaN for a short chunk") && chunk.text.length < 10 ? NaN : ranges.length;
        const score =
          shown *
          (broken("scores depend on k") && k !== "all" ? 2 : 1) *
          (broken("scopes in their order") ? 1 + within.scopes.indexOf(scope) : 1);
        const own = { "a constant revision": 1, "a revision of its own": Math.random() }[fault as string] ?? revision;
        const why: LegMatch["why"] = broken("a match quotes the text")
          ? { kind: "other", details: { passage: chunk.text } }
          : { kind: "ranges", ranges };
        return [{ scope, id: chunk.id, score, revision: own, why, row: { scope, chunk } }];
      });
      if (late) await catchUp();
      found.sort(compare);
      if (broken("a chunk comes twice")) found = found.flatMap((match, i) => (i === 0 ? [match, match] : [match]));
      if (broken("filtered after ranking")) found = found.slice(0, most);
      if (broken("given chunks among the best alone")) found = found.slice(0, most);
      const { minScore = -Infinity } = within;
      const matches = found
        .filter(({ row }) => admitted(within, row))
        .filter(({ score }) => broken("the threshold is ignored") || !(score < minScore))
        .filter(({ score }) => !broken("the threshold is exclusive") || score > minScore);
      const complete = matches.length <= most;
      return {
        matches: matches
          .slice(0, most)
          .map(({ row, ...match }) => (broken("a match carries its chunk") ? { ...match, chunk: row.chunk } : match)),
        complete: broken("always complete") || (complete && !(broken("all is not complete") && k === "all")),
        exact: !broken("exact is denied"),
        calibration: {
          weight: broken("infinite calibration") ? Infinity : 1,
          scale: 1,
          half: broken("half of 0") ? 0 : undefined,
        },
      };
    },
  };
  return { leg, catchUp };
}

function compile(source: string, isLenient: boolean): RegExp {
  try {
    return new RegExp(source, "gu");
  } catch (cause) {
    if (isLenient) return /(?!)/gu;
    throw new IbidError("invalid-regex", `The pattern ${source} does not parse.`, { cause });
  }
}

import { describe, expect, it } from "vitest";
import type {
  Calibration,
  FoundRef,
  LegCapabilities,
  LegMatch,
  LegResult,
  MatchCount,
  Query,
  Within,
} from "../../src/contracts/leg.ts";
import type { FusionName, FusionWeights } from "../../src/contracts/retriever.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { fuse, type FuseResult } from "../../src/search/fuse.ts";
import { runWaits } from "../../src/runtime/waits.ts";
import { createFusion } from "../../src/search/fusions.ts";
import { createRandom } from "../../src/testing/random.ts";

interface Row {
  readonly scope: Scope;
  readonly id: string;
  readonly score: number;
}

/** A leg as a whole. */
interface WorldLeg {
  readonly name: string;
  readonly calibration: Calibration;
  readonly minScore: number | undefined;
  /** Every match, best first. */
  readonly ranking: readonly Row[];
  /** Matches beyond those asked for. */
  readonly surplus: number | "all";
  /** Whether a search that gives the last match says so. */
  readonly tells: boolean;
  /** Kept matches for each one that is asked for; 0 for a leg that keeps none. */
  readonly keeps: number;
  /** How far the bounds of given chunks lie above their scores; `undefined` for a leg that has none. */
  readonly looseness?: number | undefined;
}

interface World {
  readonly legs: readonly WorldLeg[];
  readonly fusion: FusionName;
  readonly weights: FusionWeights | undefined;
  readonly half: number | undefined;
  /** Whether an embedding model sees meaning. */
  readonly meaning: boolean;
  readonly wanted: MatchCount;
  readonly minFusedScore: number | undefined;
}

interface Ranked {
  readonly scope: Scope;
  readonly id: string;
  readonly score: number;
  readonly parts: readonly number[];
}

const names = ["lexical", "dense", "pattern", "engine"] as const;
const scopes: readonly Scope[] = ["user:ada", "team:south"];
const query: Query = { question: "heron", text: "heron", syntax: "literal", embeddings: [] };

function createWorld(seed: number): World {
  const random = createRandom(seed);
  const next = () => random.next();
  const pick = <Item>(items: readonly Item[]): Item => random.pick(items);
  const size = pick([3, 20, 60, 60, 150, 220]);
  // Legs alike in scores and calibration: many sums are equal, however they are made up.
  const alike = next() < 0.2;
  const fusion = pick(["best", "best", "absolute", "weighted", "halves", "rrf"] as const);
  const legs = names
    .map((name) => ({ name, order: next() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, pick([2, 2, 3, 4]))
    .map(({ name }): WorldLeg => {
      const share = pick([0, 0.1, 0.5, 0.9, 1]);
      // From "everything ties" to "nearly nothing does".
      const steps = alike ? pick([2, 3, 4, 6]) : pick([1, 3, 12, 1000]);
      const nearly = !alike && next() < 0.2;
      const [lowest, highest] = alike ? [0, 1] : rangeOf(name, next());
      const scored: Row[] = [];
      for (let i = 0; i < size; i++) {
        if (next() >= share) continue;
        const score = lowest + (Math.ceil(next() * steps) / steps) * (highest - lowest);
        // Scores a few units in the last place apart, too: rounding must not decide who is looked at.
        const near = nearly ? score * (1 - Math.floor(next() * 4) * Number.EPSILON) : score;
        // An id may be in both scopes.
        const place = Math.floor(i / 2);
        scored.push({ scope: scopes[i % 2]!, id: `c${(place * 37) % 151}`, score: near });
      }
      const minScore = pick([undefined, undefined, 0, 0.4]);
      return {
        name,
        calibration: alike
          ? { weight: 1, scale: 1 }
          : {
              weight: pick([0.2, 0.75, 1]),
              scale: pick([1, 1, 3.7, 0]),
              half: name === "lexical" ? 3 : undefined,
              aloneAbove: pick([undefined, undefined, 0.25, 0.7, highest]),
            },
        minScore,
        ranking: scored.filter(({ score }) => score >= (minScore ?? -Infinity)).toSorted(byScore),
        surplus: pick([0, 0, 5, "all"] as const),
        tells: next() < 0.5,
        keeps: pick([0, 1.1, 1.5, 4]),
        looseness: pick([undefined, 0, 0, 0.1, 3]),
      };
    });
  return {
    legs,
    fusion,
    weights: pick([undefined, undefined, { lexical: 0.1, dense: 2, pattern: 0 }]),
    half: fusion === "halves" ? pick([undefined, 20]) : undefined,
    meaning: next() < 0.5,
    wanted: pick([1, 2, 5, 5, 9, 20, size, "all"] as const),
    minFusedScore: pick([undefined, undefined, 0, 0.02, 0.3, 0.8]),
  };
}

function rangeOf(name: string, random: number): readonly [number, number] {
  if (name === "lexical") return [0, 8];
  if (name !== "dense") return [0, 1];
  // Cosines; in some worlds hardly one is above 0.
  return random < 0.5 ? [-0.5, 1] : [-1, 0.1];
}

const keyOf = ({ scope, id }: Pick<Row, "scope" | "id">): string => `${scope} ${id}`;

function byScore(a: Row, b: Row): number {
  const [one, other] = [placeOf(a.id), placeOf(b.id)];
  return (
    b.score - a.score ||
    compare(one.uri, other.uri) ||
    one.start - other.start ||
    compare(a.scope, b.scope) ||
    compare(a.id, b.id)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Chunks lie in a few documents, some at the same offset. */
function placeOf(id: string): { readonly uri: string; readonly start: number } {
  const number = Number(id.slice(1));
  return { uri: `d${(number * 5) % 7}`, start: (number * 11) % 13 };
}

/** How many of a leg's best a fusion by rank counts. */
function depthByRank(wanted: MatchCount): number {
  return wanted === "all" ? Infinity : Math.max(4 * wanted, 128);
}

/** The formulas of the fusions, each leg's part by itself. */
function partOf({ name, calibration, ranking }: WorldLeg, world: World, score: number, rank: number): number {
  const { fusion, weights = {}, meaning } = world;
  const given = weights[name];
  const { weight, scale } = calibration;
  const half = calibration.half === undefined ? undefined : (world.half ?? calibration.half);
  const brought = half === undefined ? score : score / (score + half);
  if (fusion === "rrf") return (given ?? 1) * (1 / (60 + rank));
  if (fusion === "halves") return (given ?? 0.5) * brought;
  if (fusion === "weighted") return (given ?? (name === "dense" ? 0.7 : 0.3)) * brought;
  if (fusion === "absolute") return (given ?? weight) * (scale === 0 ? 0 : Math.max(0, score) / scale);
  const best = Math.max(...ranking.map((row) => row.score));
  const share = meaning ? 0.5 : name === "lexical" ? 0.95 : name === "dense" ? 0.4 : 0.5;
  return (given ?? share) * (best > 0 ? Math.max(0, score) / best : 0);
}

/** Scores every chunk of every leg, and sorts. */
function rankPlainly(world: World): readonly Ranked[] {
  const { legs, fusion, meaning, wanted, minFusedScore = -Infinity } = world;
  const rankings = legs.map(({ ranking }) => (fusion === "rrf" ? ranking.slice(0, depthByRank(wanted)) : ranking));
  const chunks = new Map(rankings.flat().map((row) => [keyOf(row), row]));
  const places = rankings.map((ranking) => new Map(ranking.map((row, i) => [keyOf(row), { row, rank: i + 1 }])));
  const ranked: Ranked[] = [];
  for (const [key, { scope, id }] of chunks) {
    const found = places.map((place) => place.get(key));
    const finders = found.flatMap((one, i) => (one === undefined ? [] : [{ score: one.row.score, leg: legs[i]! }]));
    if (finders.length === 1) {
      const [{ score, leg }] = finders as [{ score: number; leg: WorldLeg }];
      if (score < (leg.calibration.aloneAbove ?? -Infinity)) continue;
    }
    const parts = found.map((one, i) => (one === undefined ? 0 : partOf(legs[i]!, world, one.row.score, one.rank)));
    const score = parts.reduce((sum, part) => sum + part, 0);
    if (score < minFusedScore || ((fusion === "absolute" || (fusion === "best" && !meaning)) && score <= 0)) continue;
    ranked.push({ scope, id, score, parts });
  }
  return ranked.toSorted(byScore);
}

/** Searches as a store's leg does: at least `k` of the best, or the scores of given chunks. */
function openLeg(
  leg: WorldLeg,
  onSearch: (given: number) => void,
  others: readonly WorldLeg[] = [],
  { rows, isAfar }: Rows = {},
) {
  const scores = new Map(
    others.map(({ name, ranking }) => [name, new Map(ranking.map((row) => [keyOf(row), row.score]))]),
  );
  let kept: readonly LegMatch[] = [];
  const ranking = leg.ranking.map(({ scope, id, score }, i): LegMatch => ({
    scope,
    id,
    score,
    revision: rows === undefined ? i : rowOf({ scope, id }),
    why: { kind: "other", details: i },
  }));
  return {
    name: leg.name,
    capabilities: { rows, isAfar },
    async search(_: Query, k: MatchCount, within: LegWithin = {}): Promise<LegResult> {
      const result = await find(k, within);
      const unnamed = within.unnamed === true && within.naming === undefined;
      return unnamed ? { ...result, matches: result.matches.map((match) => ({ ...match, id: "" })) } : result;
    },
  };

  async function find(k: MatchCount, within: LegWithin): Promise<LegResult> {
    const { calibration } = leg;
    const { together, naming } = within;
    if (naming !== undefined) {
      const matches = naming.map((revision): LegMatch => ({
        ...refAt(revision),
        score: 0,
        revision,
        why: { kind: "other", details: 0 },
      }));
      return { matches, complete: false, exact: true, calibration };
    }
    if (together !== undefined) {
      const { least, leastScore, part } = together;
      const most = (match: LegMatch): number =>
        together.others.reduce(
          (sum, { leg: other, most: unknown }) => {
            const known = scores.get(other);
            const score = known?.get(keyOf(match));
            return sum + (known === undefined ? unknown : score === undefined ? 0 : Math.max(0, part(other, score)));
          },
          Math.max(0, part(leg.name, match.score)),
        );
      const matches = kept.filter(
        (match) => match.score >= leastScore && most(match) * (1 + Number.EPSILON * 8) >= least,
      );
      onSearch(matches.length);
      return { matches, complete: false, exact: true, calibration, kept: kept.at(-1)?.score };
    }
    const only = within.only && new Set(within.only.map(keyOfFound));
    const { minScore = -Infinity } = within;
    const from = ranking.filter((match) => (only?.has(keyOf(match)) ?? true) && match.score >= minScore);
    const matches = k === "all" || leg.surplus === "all" ? from : from.slice(0, k + leg.surplus);
    onSearch(matches.length);
    const complete = leg.tells && matches.length === from.length;
    const bounds = within.keep === true ? boundsOf(leg) : undefined;
    if (within.keep !== true || k === "all" || leg.keeps === 0)
      return { matches, complete, exact: true, calibration, bounds };
    kept = from.slice(0, Math.ceil(k * leg.keeps));
    // Some chunks with the last score may be left out.
    const last = kept.at(-1)?.score;
    if (kept.length < from.length) kept = from.filter(({ score }) => score >= last!);
    return { matches, complete, exact: true, calibration, kept: last, bounds };
  }
}

function boundsOf({ looseness, ranking, minScore }: WorldLeg): LegResult["bounds"] {
  if (looseness === undefined) return undefined;
  const scores = new Map(ranking.map((row) => [keyOf(row), row.score]));
  const upper = (row: Pick<Row, "scope" | "id">): number => {
    const score = scores.get(keyOf(row));
    if (score !== undefined) return score + looseness;
    // Such a chunk scores below the threshold, or the leg does not know it.
    return minScore !== undefined ? minScore + looseness : looseness === 3 ? Infinity : -Infinity;
  };
  const lower = (row: Pick<Row, "scope" | "id">): number => {
    const score = scores.get(keyOf(row));
    // The least says nothing of a chunk that may not match.
    if (score !== undefined) return looseness === 3 ? -Infinity : score - looseness;
    return minScore !== undefined ? minScore - 0.01 : -Infinity;
  };
  return (chunks) => {
    const named = chunks.map((chunk) => (chunk.id === "" ? refAt(chunk.revision!) : chunk));
    return looseness === 0.1 && named.length % 7 === 0
      ? undefined
      : { most: named.map(upper), least: named.map(lower) };
  };
}

type LegWithin = Pick<Within, "only" | "unnamed" | "naming" | "minScore" | "keep" | "together">;

/** Row of a chunk of a world, and the chunk of a row. */
const rowOf = ({ scope, id }: Pick<Row, "scope" | "id">): number => Number(id.slice(1)) * 2 + scopes.indexOf(scope);
const refAt = (row: number): Pick<Row, "scope" | "id"> => ({ scope: scopes[row % 2]!, id: `c${row >> 1}` });
const keyOfFound = ({ scope, id, revision }: FoundRef): string =>
  keyOf(id === "" && revision !== undefined ? refAt(revision) : { scope, id });

type Rows = Pick<LegCapabilities, "rows" | "isAfar">;

/** **Shape** with `rows` the legs tell chunks apart by their rows. Behind the first that are wanted, ids are those of the rows. */
async function fuseWorld(
  world: World,
  rows: Rows = {},
): Promise<{ readonly candidates: readonly Ranked[]; readonly given: number }> {
  let given = 0;
  const { candidates } = await runWaits(
    fuse({
      ...world,
      fusion: createFusion({ name: world.fusion, weights: world.weights, half: world.half }, world.meaning),
      readPlaces: async (refs) => refs.map(({ id }) => ({ chunk: placeOf(id) })),
      legs: world.legs.map((leg) => ({
        leg: openLeg(
          leg,
          (more) => (given += more),
          // A leg knows the scores of some of the others.
          world.legs.filter((each, i) => each !== leg && i % 2 === 0),
          rows,
        ),
        query,
        within: { minScore: leg.minScore },
      })),
    }),
  );
  const ranked = candidates.map(({ scope, id, revision, score, parts }, i) => ({
    scope,
    id: id === "" && world.wanted !== "all" && i >= world.wanted ? refAt(revision).id : id,
    score,
    parts: parts.map(({ value }) => value),
  }));
  return { candidates: ranked, given };
}

/** Fuses two legs of 400 with `best`; b keeps four times its pool. One chunk is in both, where its scores say. */
async function fuseKept(inA: number, inB: number) {
  const asked: string[] = [];
  const legOf = (name: string, score: number, keeps: number): WorldLeg => ({
    name,
    calibration: { weight: 1, scale: 1 },
    minScore: undefined,
    surplus: 0,
    tells: false,
    keeps,
    ranking: [
      ...Array.from({ length: 400 }, (_, i): Row => ({ scope: "user:ada", id: `${name}${i}`, score: 1 - i / 1000 })),
      { scope: "user:ada" as const, id: "both", score },
    ].toSorted(byScore),
  });
  const legs = [legOf("a", inA, 0), legOf("b", inB, 4)].map((leg) => {
    const opened = openLeg(leg, () => {});
    const search: typeof opened.search = async (given, k, within) => {
      const { only, together, minScore } = within ?? {};
      const how = only !== undefined ? "given" : together !== undefined ? "kept" : minScore === undefined ? k : "on";
      asked.push(`${leg.name} ${how}`);
      const forget = leg.keeps === 0 || how !== k ? undefined : () => void asked.push(`${leg.name} forgets`);
      return { ...(await opened.search(given, k, within)), forget };
    };
    return { leg: { ...opened, search }, query, within: {} };
  });
  const fusion = createFusion({ name: "best", weights: undefined, half: undefined }, true);
  const readPlaces = async () => [];
  const { candidates } = await runWaits(fuse({ legs, fusion, wanted: 1, readPlaces }));
  return { asked, best: candidates[0] };
}

/** A leg whose scores are its parts, and that keeps nothing. */
function plainLeg(name: string, ranking: readonly Row[]): WorldLeg {
  const calibration = { weight: 1, scale: 1 };
  return { name, calibration, minScore: undefined, ranking, surplus: 0, tells: false, keeps: 0 };
}

/** A leg that notes what it is asked for. */
function notingLeg(name: string, rows: number, score: (i: number) => number) {
  const searched: string[] = [];
  const ranking = Array.from({ length: rows }, (_, i): Row => ({
    scope: "user:ada",
    id: `${name}${i}`,
    score: score(i),
  }));
  const opened = openLeg(plainLeg(name, ranking), () => {});
  return {
    searched,
    leg: {
      ...opened,
      search(asked: Query, k: MatchCount, within: Pick<Within, "only" | "minScore">) {
        searched.push(within.only === undefined ? `${k} from ${within.minScore?.toFixed(3)}` : "given");
        return opened.search(asked, k, within);
      },
    },
  };
}

type NotingLeg = ReturnType<typeof notingLeg>;

const fuseNoting = (...legs: readonly NotingLeg[]): ReturnType<typeof runWaits<FuseResult>> =>
  runWaits(
    fuse({
      legs: legs.map((one) => ({ leg: one.leg, query, within: {} })),
      fusion: createFusion({ name: "absolute", weights: undefined, half: undefined }, false),
      wanted: 1,
      readPlaces: async (refs) => refs.map(({ id }) => ({ chunk: placeOf(id) })),
    }),
  );

const worlds = 3000;

describe("fusing pools of legs", () => {
  it(`equals scoring and sorting every leg whole, to the bit, in ${worlds} worlds [T24 T28 L5]`, async () => {
    let lessThanWhole = 0;
    for (let seed = 1; seed <= worlds; seed++) {
      const world = createWorld(seed);
      const rows = ([{}, { rows: "rows" }, { rows: "rows", isAfar: true }] as const)[seed % 3];
      const { candidates, given } = await fuseWorld(world, rows);
      const expected = rankPlainly(world);
      const wanted = world.wanted === "all" ? expected.length : world.wanted;
      const label = `world ${seed}: ${world.fusion}, ${world.wanted} of ${expected.length}`;
      const all = new Set(expected.map(show));
      const shown = candidates.map(show);
      const best = [...all].slice(0, wanted).join("\n");
      expect(`${label}\n${shown.slice(0, wanted).join("\n")}`).toBe(`${label}\n${best}`);
      // The surplus is scored just as exactly.
      expect([label, ...shown.filter((one) => !all.has(one))]).toEqual([label]);
      if (given < world.legs.reduce((sum, leg) => sum + leg.ranking.length, 0)) lessThanWhole++;
    }
    // Otherwise the worlds would be too small to prove anything of pools.
    expect(lessThanWhole).toBeGreaterThan(worlds / 10);
  });

  it("looks beyond the pools for a chunk that ties with the last one and wins by its id [T28 L5]", async () => {
    const ties = (letter: string): readonly Row[] =>
      Array.from({ length: 32 }, (_, i) => ({ scope: "user:ada", id: `${letter}${i}`, score: 0.5 }));
    const legOf = (name: string, ...others: readonly Row[]): WorldLeg =>
      plainLeg(name, [...ties(name), ...others].toSorted(byScore));
    const outside: Row = { scope: "user:ada", id: "y", score: 0.5 };
    const world: World = {
      legs: [legOf("a", outside, { scope: "user:ada", id: "z", score: 1 }), legOf("b", outside)],
      fusion: "absolute",
      weights: undefined,
      half: undefined,
      meaning: false,
      wanted: 1,
      minFusedScore: undefined,
    };
    const { candidates } = await fuseWorld(world);
    expect(candidates.slice(0, 2).map(({ id, score }) => [id, score])).toEqual([
      ["y", 1],
      ["z", 1],
    ]);
  });

  it("finds a chunk outside all pools among those that a leg kept, and searches no leg again", async () => {
    // Outside the pool of a and below what b kept, a chunk has at most .5 · .969 + .5 · .873.
    const { asked, best } = await fuseKept(0.9505, 0.9505);
    expect(best).toMatchObject({ id: "both", score: 0.9505 });
    expect(asked).toEqual(["a 32", "b 32", "a given", "b given", "b kept", "a given", "b forgets"]);
  });

  it("searches on where a chunk below what a leg kept could still be the best", async () => {
    const { asked, best } = await fuseKept(0.9605, 0.8005);
    expect(best?.id).toBe("both");
    expect(asked).toContain("a on");
  });

  it("forgets what its legs kept where another step fails, also of a leg that answers after that", async () => {
    const forgotten: string[] = [];
    const kept = (name: string): LegResult => ({
      matches: [{ scope: "user:ada", id: name, score: 1, revision: 1, why: { kind: "other", details: null } }],
      complete: false,
      exact: true,
      calibration: { weight: 1, scale: 1 },
      kept: 0,
      forget: () => void forgotten.push(name),
    });
    const later = Promise.withResolvers<LegResult>();
    const failing = (name: string, search: (within: Within) => LegResult | Promise<LegResult>) => ({
      leg: { name, search: (_: Query, __: MatchCount, within: object = {}) => search(within as Within) as LegResult },
      query,
      within: {},
    });
    const fusion = createFusion({ name: "best", weights: undefined, half: undefined }, true);
    const run = (...legs: readonly ReturnType<typeof failing>[]) =>
      runWaits(fuse({ legs, fusion, wanted: 1, readPlaces: () => [] }));

    const fails = (): never => {
      throw new Error("stopped");
    };
    const full = (name: string): LegResult => ({ ...kept(name), matches: Array(32).fill(kept(name).matches[0]) });
    const givenFails = failing("a", (within) => (within.only === undefined ? full("a") : fails()));
    await expect(
      run(
        givenFails,
        failing("b", () => full("b")),
      ),
    ).rejects.toThrow("stopped");
    expect(forgotten.splice(0)).toEqual(["a", "b"]);

    await expect(
      run(
        failing("a", () => kept("a")),
        failing("b", fails),
      ),
    ).rejects.toThrow("stopped");
    expect(forgotten.splice(0)).toEqual(["a"]);

    const waits = failing("a", () => later.promise);
    await expect(
      run(
        waits,
        failing("b", async () => fails()),
      ),
    ).rejects.toThrow("stopped");
    expect(forgotten).toEqual([]);
    later.resolve(kept("a"));
    await later.promise;
    expect(forgotten).toEqual(["a"]);
  });

  it("looks up those candidates alone that may be among the wanted by the bounds that legs kept [T28]", async () => {
    const given: string[] = [];
    // Each leg has 300 of its own. Those that both have score little in a, and their bounds in it say so.
    const both = Array.from({ length: 5 }, (_, i): Row => ({
      scope: "user:ada",
      id: `both${i}`,
      score: 0.9 - i / 100,
    }));
    const rows = (name: string): readonly Row[] =>
      Array.from({ length: 300 }, (_, i): Row => ({ scope: "user:ada", id: `${name}${i}`, score: 0.5 - i / 1000 }));
    const search = async (looseness: number | undefined) => {
      given.length = 0;
      const legs = ["a", "b"].map((name) => {
        const ranking = [...both, ...rows(name)].toSorted(byScore);
        const opened = openLeg({ ...plainLeg(name, ranking), keeps: 4, looseness }, () => {});
        const leg: typeof opened = {
          ...opened,
          search(asked, k, within) {
            if (within?.only !== undefined) given.push(`${name} ${within.only.length}`);
            return opened.search(asked, k, within);
          },
        };
        return { leg, query, within: {} };
      });
      const fusion = createFusion({ name: "best", weights: undefined, half: undefined }, true);
      return runWaits(fuse({ legs, fusion, wanted: 5, readPlaces: () => [] }));
    };
    const loose = await search(undefined);
    expect(given).toEqual(["a 27", "b 27"]);
    const bounded = await search(0.01);
    expect(given).toEqual([]);
    expect(bounded.candidates.slice(0, 5)).toEqual(loose.candidates.slice(0, 5));
    expect(bounded.candidates.map(({ id }) => id)).toEqual(both.map(({ id }) => id));
  });

  it("searches one leg alone for all that may reach the last place, where that is enough", async () => {
    // The best has 1.2. Outside its pool b gives .44969 at most, so that a chunk outside both needs .75031 of a.
    const a = notingLeg("a", 400, (i) => (i < 38 ? 1.2 - i / 1000 : 0.8 - i / 1000));
    const b = notingLeg("b", 400, (i) => 0.45 - i / 100_000);
    const { candidates } = await fuseNoting(a, b);
    expect(candidates[0]).toMatchObject({ id: "a0", score: 1.2 });
    expect([a.searched, b.searched]).toEqual([
      ["32 from undefined", "given", "512 from 0.750"],
      ["32 from undefined", "given", "given"],
    ]);
  });

  it("searches another leg alone where the first has too many, before pools grow", async () => {
    // The best has 1. Outside their pools a gives .938 at most and b .54969: a has 700 above the rest of 1, b has 200.
    const a = notingLeg("a", 700, (i) => (i < 32 ? 1 - i / 500 : 0.9 - i / 10_000));
    const b = notingLeg("b", 700, (i) => (i < 200 ? 0.55 - i / 100_000 : 0.05 - i / 100_000));
    const { candidates } = await fuseNoting(a, b);
    expect(candidates[0]).toMatchObject({ id: "a0", score: 1 });
    expect([a.searched, b.searched]).toEqual([
      ["32 from undefined", "given", "512 from 0.450", "given"],
      ["32 from undefined", "given", "512 from 0.062"],
    ]);
  });
});

/** Shortest digits that name the number, so that -0 is apart from 0. */
const exactly = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
const show = ({ scope, id, score, parts }: Ranked): string =>
  `${scope} ${id} ${exactly(score)} = ${parts.map(exactly).join(" + ")}`;

import type { LexicalMatch } from "../contracts/lexical-index.ts";
import type { RegexMatch } from "../contracts/regex-search.ts";
import type { VectorMatch } from "../contracts/vector-store.ts";
import type { FusionName } from "../contracts/retriever.ts";
import { type Candidate, candidateKey, compareCandidates, sumParts } from "./candidate.ts";
import { createFusion } from "./fusion.ts";
import type { DenseLeg, LexicalLeg } from "./legs.ts";

/** How many candidates each leg gives to begin with, for so many wanted. **Source** ToolUp. */
export function poolSize(wanted: number | "all"): number | "all" {
  return wanted === "all" ? "all" : Math.max(4 * wanted, 32);
}

/** A fusion by rank looks this deep into each leg at least, so that asking for more hits does not reorder the first. */
const rankDepth = 128;
/** A pool that was too small to be sure grows by this factor. */
const growth = 4;

export interface FuseInput {
  readonly dense: DenseLeg;
  readonly lexical: LexicalLeg;
  /** All that a pattern matches, best first; absent when no pattern was given. */
  readonly regex?: readonly RegexMatch[] | undefined;
  readonly fusion: FusionName;
  readonly wanted: number | "all";
  /** Inclusive floor on the fused score. */
  readonly minFusedScore?: number | undefined;
  /** Whether closeness alone makes a match; otherwise it must be more than chance ({@link DenseLeg.chance}). */
  readonly denseProves?: boolean;
}

/**
 * Stage 5: the legs as one ranking.
 *
 * By score, the first `wanted` are exactly those of fusing the whole of every leg, whatever the size of the pools: every candidate of one leg is
 * looked up in the others, and the pools grow until no chunk outside them can reach the last place (the threshold algorithm). By rank (`rrf`), a leg's
 * candidates are its best `max(4 · wanted, 128)`; a chunk further down gets nothing from that leg.
 *
 * **Shape** at least `wanted` candidates when there are so many, best first, all at or above the floor; the surplus is what the pools happened to hold.
 * **Cost** two searches and up to two look-ups a round; in the worst case (everything ties) the legs whole.
 * **Source** Fagin, Lotem and Naor, Optimal Aggregation Algorithms for Middleware (2001), with stores that are exact.
 */
export async function fuseLegs(input: FuseInput): Promise<readonly Candidate[]> {
  for (let pool = poolSize(input.wanted); ; pool = pool === "all" ? pool : pool * growth) {
    const round = await fuseRound(input, pool);
    if (round.certain) return round.candidates;
  }
}

async function fuseRound(
  input: FuseInput,
  pool: number | "all",
): Promise<{ candidates: Candidate[]; certain: boolean }> {
  const { minFusedScore = Number.NEGATIVE_INFINITY, wanted } = input;
  const depth = input.fusion === "rrf" && pool !== "all" ? Math.max(pool, rankDepth) : pool;
  const [dense, lexical] = await Promise.all([input.dense.search(depth), input.lexical.search(depth)]);
  const chance = input.denseProves === true ? undefined : input.dense.chance();
  const minDenseAlone = chance ?? Number.NEGATIVE_INFINITY;
  const regex = (input.regex ?? []).slice(0, depth === "all" ? undefined : depth);
  const fusion = createFusion(input.fusion, {
    terms: input.lexical.terms(),
    denseWeight: input.dense.weight(),
    withPattern: input.regex !== undefined,
  });
  const whole = {
    dense: depth === "all" || dense.length < depth,
    lexical: depth === "all" || lexical.length < depth,
    regex: regex.length === (input.regex ?? []).length,
  };

  const merged = mergeLegs(dense, lexical, regex);
  if (fusion.bound) {
    await lookUpMissing(merged, input, whole);
    if (!whole.regex) addRegexToKnown(merged, input.regex ?? []);
  }

  const candidates: Candidate[] = [];
  for (const entry of merged.values()) {
    const alone = entry.lexical === undefined && entry.regex === undefined;
    if (alone && (entry.dense?.score ?? 0) < minDenseAlone) continue;
    const parts = fusion.parts(entry);
    const score = sumParts(parts);
    if (score >= minFusedScore && (fusion.above === undefined || score > fusion.above)) {
      candidates.push({ ...entry, parts, score });
    }
  }
  candidates.sort(compareCandidates);

  if (!fusion.bound || (whole.dense && whole.lexical && whole.regex)) return { candidates, certain: true };
  const bound = fusion.bound(
    whole.dense ? undefined : dense.at(-1)?.score,
    whole.lexical ? undefined : lexical.at(-1)?.score,
    whole.regex ? undefined : regex.at(-1)?.score,
  );
  const last = wanted === "all" ? undefined : candidates[wanted - 1];
  // A chunk outside that reached exactly the last score could still win by its id, so equality is not enough.
  const nothingLeft = whole.lexical && whole.regex && (dense.at(-1)?.score ?? minDenseAlone) < minDenseAlone;
  const certain =
    nothingLeft ||
    (last !== undefined && last.score > bound) ||
    bound < minFusedScore ||
    (fusion.above !== undefined && bound <= fusion.above);
  return { candidates, certain };
}

type Entry = Omit<Candidate, "parts" | "score">;

function mergeLegs(
  dense: readonly VectorMatch[],
  lexical: readonly LexicalMatch[],
  regex: readonly RegexMatch[],
): Map<string, Entry> {
  const merged = new Map<string, Entry>();
  addDense(merged, dense);
  addLexical(merged, lexical);
  for (const [index, match] of regex.entries()) {
    const key = candidateKey(match.scope, match.chunk.id);
    const entry = merged.get(key) ?? { scope: match.scope, chunk: match.chunk };
    merged.set(key, { ...entry, regex: { score: match.score, rank: index + 1, matches: match.matches } });
  }
  return merged;
}

/** All that the pattern matches is at hand, so what it says of a candidate need not be asked. */
function addRegexToKnown(merged: Map<string, Entry>, regex: readonly RegexMatch[]): void {
  for (const [index, { scope, chunk, score, matches }] of regex.entries()) {
    const key = candidateKey(scope, chunk.id);
    const entry = merged.get(key);
    if (entry !== undefined) merged.set(key, { ...entry, regex: { score, rank: index + 1, matches } });
  }
}

/** Ranks count on: what is looked up stands behind everything that the leg found by itself. */
function addDense(merged: Map<string, Entry>, matches: readonly VectorMatch[], before = 0): void {
  for (const [index, match] of matches.entries()) {
    const key = candidateKey(match.scope, match.chunk.id);
    merged.set(key, {
      ...(merged.get(key) ?? { scope: match.scope, chunk: match.chunk }),
      dense: { score: match.score, rank: before + index + 1 },
      ...(match.embedding && { embedding: match.embedding }),
    });
  }
}

function addLexical(merged: Map<string, Entry>, matches: readonly LexicalMatch[], before = 0): void {
  for (const [index, match] of matches.entries()) {
    const key = candidateKey(match.scope, match.chunk.id);
    merged.set(key, {
      ...(merged.get(key) ?? { scope: match.scope, chunk: match.chunk }),
      lexical: { score: match.score, rank: before + index + 1, terms: match.terms },
      ...(match.language !== undefined && { language: match.language }),
    });
  }
}

/** Asks each leg for its exact score of what only another leg found; a leg that gave everything has nothing to add. */
async function lookUpMissing(
  merged: Map<string, Entry>,
  legs: Pick<FuseInput, "dense" | "lexical">,
  whole: { readonly dense: boolean; readonly lexical: boolean },
): Promise<void> {
  const missing = (leg: "dense" | "lexical"): string[] => {
    if (whole[leg]) return [];
    return [
      ...new Set([...merged.values()].filter((entry) => entry[leg] === undefined).map((entry) => entry.chunk.id)),
    ];
  };
  const fresh = <Match extends Pick<Entry, "scope" | "chunk">>(
    matches: readonly Match[],
    leg: "dense" | "lexical",
  ): Match[] =>
    // An id may exist in several scopes, one of them already found with its proper rank and one not asked for at all.
    matches.filter((match) => {
      const entry = merged.get(candidateKey(match.scope, match.chunk.id));
      return entry !== undefined && entry[leg] === undefined;
    });
  const count = (leg: "dense" | "lexical"): number => [...merged.values()].filter((entry) => entry[leg]).length;

  const [denseIds, lexicalIds] = [missing("dense"), missing("lexical")];
  const [denseFound, lexicalFound] = await Promise.all([
    denseIds.length > 0 ? legs.dense.search("all", denseIds) : [],
    lexicalIds.length > 0 ? legs.lexical.search("all", lexicalIds) : [],
  ]);
  addDense(merged, fresh(denseFound, "dense"), count("dense"));
  addLexical(merged, fresh(lexicalFound, "lexical"), count("lexical"));
}

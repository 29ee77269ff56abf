import { mixHash } from "../../text/mix-hash.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/** A chunk as the sampler sees it. */
export interface SampledChunk {
  readonly id: string;
  /** **Shape** `undefined` is a language of its own. */
  readonly language?: string | undefined;
}

/** Sample size from which a fit is as good as on the whole corpus. **Source** measured: a quarter of a corpus fits as well as all of it. */
export const sampleSize = 20_000;

/**
 * Chooses the chunks to fit a model on: all if there are at most `size`, else a choice by the ids alone.
 *
 * A language's share follows the square root of its number of chunks, so a small language is not lost beside a large
 * one. A share that a language cannot fill goes to the others. Within a language the smallest hashes of ids win, so
 * that a growing corpus keeps most of its sample.
 *
 * **Shape** ids, ascending; order of input and repetition do not matter. **Cost** n · log n.
 * **Source** the exponent of one half, from multilingual training: one gives proportional shares, zero equal ones
 * (Conneau et al., ACL 2020, use .3 to .7).
 */
export function sampleForFit(chunks: Iterable<SampledChunk>, size: number = sampleSize): readonly string[] {
  const byLanguage = new Map<string, Set<string>>();
  for (const { id, language } of chunks) {
    const ids = byLanguage.get(language ?? "");
    if (ids === undefined) byLanguage.set(language ?? "", new Set([id]));
    else ids.add(id);
  }
  const strata = [...byLanguage].map(([language, ids]) => ({ language, ids: [...ids], root: Math.sqrt(ids.size) }));
  // The one that can fill least of its share comes first, so that what it leaves is known to the others.
  strata.sort((a, b) => a.ids.length - b.ids.length || compareCodePoints(a.language, b.language));

  const sample: string[] = [];
  let places = size;
  let roots = 0;
  for (const { root } of strata) roots += root;
  for (const { ids, root } of strata) {
    const share = Math.min(ids.length, Math.round((places * root) / roots));
    for (const id of share < ids.length ? smallestByHash(ids, share) : ids) sample.push(id);
    places -= share;
    roots -= root;
  }
  return sample.sort(compareCodePoints);
}

function smallestByHash(ids: readonly string[], count: number): readonly string[] {
  return ids
    .map((id) => ({ id, hash: hashId(id) }))
    .sort((a, b) => a.hash - b.hash || compareCodePoints(a.id, b.id))
    .slice(0, count)
    .map(({ id }) => id);
}

/** **Source** FNV-1a over UTF-16 code units, with MurmurHash3's finaliser, because ids may differ in their last letters only. */
function hashId(id: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return mixHash(hash);
}

import { checkContext } from "../../answers/prompts/fit-context.ts";
import type { ContextOptions } from "../../contracts/answer.ts";
import type { Hit, RetrieveOptions } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { Store, StoredChunk } from "../../contracts/store.ts";
import { isUnder } from "../../engine/filters/create-restriction.ts";
import { planSearch } from "../../search/search-plan.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { placeLabels } from "../../text/place-labels.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/** Overlapping chunks hold their documents more than once; more than twice is no corpus that fits. */
const mostOverlap = 2;
/** A marker has three digits: what stands behind could not be cited. */
const mostSources = 999;

/**
 * Everything that the asker may read, and `filter` and `origins` let through, as hits that cover each text once; `undefined` when it is more than the budget.
 *
 * **Shape** by uri, then scope, document and place: the same corpus gives the same hits. Their score is 0: nothing was ranked. A chunk that overlaps the one
 * before it begins where that ends.
 * **Cost** reads chunks until the budget is used up twice over, whatever the size of the corpus.
 */
export async function readWholeCorpus(
  store: Pick<Store, "chunks">,
  scopes: AuthorizedScopes,
  context: ContextOptions,
  search: Pick<RetrieveOptions, "filter" | "origins" | "under" | "uris" | "signal">,
): Promise<readonly Hit[] | undefined> {
  const { maxTokens, count } = checkContext(context);
  const { filter, origins, under } = planSearch({
    ...(search.filter !== undefined && { filter: search.filter }),
    ...(search.origins !== undefined && { origins: search.origins }),
    ...(search.under !== undefined && { under: search.under }),
    ...(search.uris !== undefined && { uris: search.uris }),
  });
  const found: StoredChunk[] = [];
  let tokens = 0;
  for await (const stored of store.chunks(scopes, filter === undefined ? {} : { filter })) {
    throwIfAborted(search.signal, "The answer");
    if (origins !== undefined && !origins.includes(stored.chunk.origin)) continue;
    if (!isUnder(stored.chunk.uri, under)) continue;
    tokens += count(stored.chunk.urtext);
    if (tokens > mostOverlap * maxTokens) return undefined;
    found.push(stored);
  }
  const hits = toHits(found.toSorted(byPlace));
  if (hits.length > mostSources) return undefined;
  return hits.reduce((sum, hit) => sum + count(hit.text), 0) > maxTokens ? undefined : hits;
}

function byPlace(a: StoredChunk, b: StoredChunk): number {
  return (
    compareCodePoints(a.chunk.uri, b.chunk.uri) ||
    compareCodePoints(a.scope, b.scope) ||
    compareCodePoints(a.chunk.documentId, b.chunk.documentId) ||
    a.chunk.start - b.chunk.start ||
    b.chunk.end - a.chunk.end ||
    compareCodePoints(a.chunk.id, b.chunk.id)
  );
}

function toHits(sorted: readonly StoredChunk[]): readonly Hit[] {
  const hits: Hit[] = [];
  let covered = 0;
  let document = "";
  for (const { scope, chunk } of sorted) {
    const key = JSON.stringify([scope, chunk.documentId]);
    if (key !== document) covered = 0;
    document = key;
    const start = Math.max(chunk.start, covered);
    if (start >= chunk.end) continue;
    covered = chunk.end;
    hits.push({
      rank: hits.length + 1,
      score: 0,
      chunkId: chunk.id,
      documentId: chunk.documentId,
      scope,
      text: chunk.urtext.slice(start - chunk.start),
      snippet: "",
      source: {
        uri: chunk.uri,
        title: chunk.title,
        headings: chunk.headings,
        start,
        end: chunk.end,
        ...placeLabels(chunk),
        ...(chunk.language !== undefined && { language: chunk.language }),
      },
      metadata: chunk.metadata,
      origin: chunk.origin,
    });
  }
  return hits;
}

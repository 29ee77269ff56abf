import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Hit, Retriever, RetrieverParts } from "../../contracts/retriever.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { explainJoin, joinHits } from "./join-hits.ts";
import { createHitDocuments, createMover, type HitDocument } from "./move-hit.ts";
import { rankHits } from "./rank-hits.ts";
import { readRequest } from "./read-request.ts";
import { checkCount } from "./write-queries.ts";

/**
 * Options for the merge of neighbours.
 *
 * @experimental
 */
export interface MergeAdjacentOptions {
  readonly documents: RetrieverParts["documents"];
  /** A merged text grows no longer than that; a single hit may be. **Units** UTF-16 code units. Default 25,000. */
  readonly maxLength?: number;
  /** Marks the words of snippets. Default: the core's; give the knowledge base's own. */
  readonly analyzer?: Analyzer;
}

/** **Source** Embabel's longest excerpt. */
const defaultMaxLength = 25_000;

/**
 * Merges hits that overlap or follow one another in a document, so that their words are read once and in order.
 *
 * **Shape** at most `topK` hits, and fewer where some were merged: nothing is fetched in their place. The text of a merged hit is the document's own, from the beginning of the first
 * to the end of the last. Its score is the highest of theirs, its id and metadata the best one's; `explain.steps` names the others. Hits follow one another when nothing
 * but white space stands between them. Hits of different origins, and of documents that are not stored, stay apart.
 * **Errors** errors of the retriever within and of `documents`.
 * **Cost** reads each document that has two hits or more.
 * **Source** Embabel's chunk merge, which joins texts with a space; here they are a slice.
 *
 * @experimental
 */
export function mergeAdjacent(retriever: Retriever, options: MergeAdjacentOptions): Retriever {
  checkOptions("mergeAdjacent", options, { documents: true, maxLength: true, analyzer: true });
  checkCount("mergeAdjacent", "maxLength", options.maxLength);
  const { documents, maxLength = defaultMaxLength, analyzer = defaultAnalyzer } = options;
  return {
    async retrieve(scopes, query, search = {}) {
      const plan = readRequest(scopes, query, search);
      const hits = await retriever.retrieve(scopes, query, search);
      const read = createHitDocuments(documents, scopes);
      const move = createMover(query, plan, analyzer);
      const merged: Hit[] = [];
      for (const group of groupByDocument(hits)) {
        const found = group.length > 1 ? await Promise.all(group.map(read)) : [];
        const known = found.find((each) => each !== undefined);
        merged.push(...group.filter((_, index) => found[index] === undefined));
        if (known === undefined) continue;
        const standing = group.filter((_, index) => found[index] !== undefined);
        for (const run of runsOf(standing, known, maxLength)) {
          const joined = joinHits(run);
          const span = { start: run[0]!.source.start, end: Math.max(...run.map(({ source }) => source.end)) };
          merged.push(run.length === 1 ? run[0]! : explainJoin(move(joined.hit, known, span), joined, "mergeAdjacent"));
        }
      }
      return rankHits(merged, plan.topK);
    },
  };
}

/** Hits that could become one. */
function groupByDocument(hits: readonly Hit[]): readonly (readonly Hit[])[] {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const key = JSON.stringify([hit.scope, hit.documentId, hit.origin]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [hit]);
    else known.push(hit);
  }
  return [...groups.values()];
}

/** In order of their place, as long as each touches what comes before it. */
function runsOf(hits: readonly Hit[], { document }: HitDocument, maxLength: number): readonly (readonly Hit[])[] {
  const inOrder = hits.toSorted((a, b) => a.source.start - b.source.start || a.source.end - b.source.end);
  const runs: Hit[][] = [];
  let end = 0;
  for (const hit of inOrder) {
    const run = runs.at(-1);
    const { source } = hit;
    const touches = run !== undefined && (source.start <= end || isBlank(document.text.slice(end, source.start)));
    const isInside = run !== undefined && source.end <= end;
    if (touches && (isInside || source.end - run[0]!.source.start <= maxLength)) run.push(hit);
    else {
      runs.push([hit]);
      end = 0;
    }
    end = Math.max(end, source.end);
  }
  return runs;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

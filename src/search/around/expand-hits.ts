import { narrowProof } from "../../access/gate.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit, Retriever, RetrieverParts } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import type { Span } from "../../text/sentences.ts";
import { findSectionPath } from "../../text/walk-sections.ts";
import { containerOf, cutAround } from "../../text/widen-span.ts";
import { explainJoin, joinHits } from "./join-hits.ts";
import { createHitDocuments, createMover, type HitDocument } from "./move-hit.ts";
import { rankHits } from "./rank-hits.ts";
import { readRequest } from "./read-request.ts";
import { checkCount } from "./write-queries.ts";

/**
 * In which direction hits are widened, in the words of `expand`, and how far.
 *
 * @experimental
 */
export type ExpandHitsOptions = {
  readonly documents: RetrieverParts["documents"];
  /** Limit for one hit's text; a longer hit stays as it is. **Units** UTF-16 code units. Default 4,000: about a thousand tokens. */
  readonly maxLength?: number | undefined;
  /** Limit for all hits together, the best first; hits beyond it stay as they were found. **Units** as above. Default: none. */
  readonly maxTotalLength?: number | undefined;
  /** Marks the words of snippets. Default: the core's; give the knowledge base's own. */
  readonly analyzer?: Analyzer | undefined;
} & (
  | {
      /** How many chunks before it and after it, within the section that contains it. */
      readonly neighbours: number;
    }
  | {
      /** How many sections up: 1 is the section that it stands in. */
      readonly zoomOut: number;
    }
);

const known = {
  documents: true,
  maxLength: true,
  maxTotalLength: true,
  analyzer: true,
  neighbours: true,
  zoomOut: true,
} as const;
const defaultMaxLength = 4000;

/**
 * Finds by small chunks and shows large ones: each hit becomes its neighbourhood or its section.
 *
 * **Shape** scores and order of the retriever within. `start` and `end` widen with the text, which is the document's own, so that citations of any word in it resolve.
 * A section that is too long is cut to a stretch around the hit, surplus neighbours are left out, and a hit is never shortened. Hits with
 * the same stretch become one, the best; `explain.steps` names the others with their places. So there are at most `topK` hits. Stretches that only overlap
 * stay apart: `merge` of a knowledge base joins them. A hit whose document is not stored stays as it is.
 * **Errors** errors of the retriever within and of `documents`; `invalid-argument` for anything but one direction.
 * **Cost** reads the document of each hit, and for neighbours its list of chunks.
 * **Source** Embabel's ResultExpander; known as small-to-big, or parent-document retrieval.
 *
 * @experimental
 */
export function expandHits(retriever: Retriever, options: ExpandHitsOptions): Retriever {
  checkGiven("expandHits", "options", options, "object");
  checkOptions("expandHits", options, known);
  checkDirection(options);
  const { documents, maxLength = defaultMaxLength, maxTotalLength = Infinity, analyzer = defaultAnalyzer } = options;
  return {
    async retrieve(scopes, query, search = {}) {
      const plan = readRequest(scopes, query, search);
      const hits = await retriever.retrieve(scopes, query, search);
      const read = createHitDocuments(documents, scopes);
      const placesOf = createPlaces(documents, scopes);
      const move = createMover(query, plan, analyzer);

      const widened = await Promise.all(
        hits.map(async (hit): Promise<Widened> => {
          const found = await read(hit);
          if (found === undefined) return { hit, span: hit.source };
          const span =
            "zoomOut" in options
              ? sectionAround(hit, found, options.zoomOut, maxLength)
              : neighboursOf(hit, found, await placesOf(hit), options.neighbours, maxLength);
          return { hit, found, span };
        }),
      );
      const shown: Hit[] = [];
      let total = 0;
      for (const group of groupBySpan(widened)) {
        const { found, span } = group[0]!;
        const length = span.end - span.start;
        if (found === undefined || total + length > maxTotalLength) {
          shown.push(...group.map(({ hit }) => hit));
          total += group.reduce((sum, { hit }) => sum + hit.text.length, 0);
          continue;
        }
        total += length;
        const joined = joinHits(group.map(({ hit }) => hit));
        const { hit } = joined;
        const isSame = group.length === 1 && span.start === hit.source.start && span.end === hit.source.end;
        shown.push(isSame ? hit : explainJoin(move(hit, found, span), joined, "expandHits"));
      }
      return rankHits(shown, plan.topK);
    },
  };
}

interface Widened {
  readonly hit: Hit;
  /** Absent for what cannot be widened. */
  readonly found?: HitDocument;
  readonly span: Span;
}

/** Those that stand for the same stretch, in the order of the best of each. */
function groupBySpan(widened: readonly Widened[]): readonly (readonly Widened[])[] {
  const groups = new Map<string, Widened[]>();
  for (const [index, each] of widened.entries()) {
    const { hit, found, span } = each;
    const key = found ? JSON.stringify([hit.scope, hit.documentId, hit.origin, span.start, span.end]) : String(index);
    const same = groups.get(key);
    if (same === undefined) groups.set(key, [each]);
    else same.push(each);
  }
  return [...groups.values()];
}

function sectionAround({ source }: Hit, { document, locate }: HitDocument, up: number, maxLength: number): Span {
  const path = findSectionPath(document.root, locate(source.start, source.end).sectionId) ?? [document.root];
  const section = path[Math.max(0, path.length - up)]!;
  const span = cutAround(document.text, section, Math.max(maxLength, source.end - source.start), source);
  // A chunk may begin before the section that holds its end, and nothing of it may go.
  return { start: Math.min(span.start, source.start), end: Math.max(span.end, source.end) };
}

function neighboursOf(
  { source }: Hit,
  { document, locate }: HitDocument,
  places: readonly Span[],
  count: number,
  maxLength: number,
): Span {
  const path = findSectionPath(document.root, locate(source.start, source.end).sectionId) ?? [document.root];
  const container = containerOf(path);
  const beside = places.filter(({ start, end }) => container.start <= start && end <= container.end);
  // Overlapping neighbours count too: before and after is where a chunk begins and ends.
  const before = beside.filter(({ start, end }) => start < source.start && end < source.end).slice(-count);
  const after = beside.filter(({ start, end }) => start > source.start && end > source.end).slice(0, count);
  let span: Span = { start: source.start, end: source.end };
  // Turn by turn, the nearer first, as long as they fit.
  for (let i = 0; i < count; i++) {
    for (const next of [before.at(-1 - i), after[i]]) {
      if (next === undefined) continue;
      const wider = { start: Math.min(span.start, next.start), end: Math.max(span.end, next.end) };
      if (wider.end - wider.start > maxLength) return span;
      span = wider;
    }
  }
  return span;
}

/** Where the chunks of a hit's document stand, in order; each document's are listed once. */
function createPlaces(documents: RetrieverParts["documents"], scopes: AuthorizedScopes) {
  const listed = new Map<string, Promise<readonly Span[]>>();
  const list = async ({ scope, documentId }: Hit): Promise<readonly Span[]> => {
    const places: Span[] = [];
    for await (const { chunk } of documents.chunks(narrowProof(scopes, [scope]), { documentId }))
      places.push({ start: chunk.start, end: chunk.end });
    return places.sort((a, b) => a.start - b.start || a.end - b.end);
  };
  return (hit: Hit): Promise<readonly Span[]> => {
    const key = JSON.stringify([hit.scope, hit.documentId]);
    const known = listed.get(key) ?? list(hit);
    listed.set(key, known);
    return known;
  };
}

function checkDirection(options: ExpandHitsOptions): void {
  const ways = (["neighbours", "zoomOut"] as const).filter((way) => way in options);
  if (ways.length !== 1) {
    throw new IbidError("invalid-argument", "expandHits: a hit is widened in one way at a time.", {
      hint: "Give neighbours, for chunks before and after it, or zoomOut, for the sections around it.",
    });
  }
  checkCount("expandHits", ways[0]!, "zoomOut" in options ? options.zoomOut : options.neighbours);
  checkCount("expandHits", "maxLength", options.maxLength);
  checkCount("expandHits", "maxTotalLength", options.maxTotalLength);
}

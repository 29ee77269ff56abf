import { narrowProof } from "../../access/gate.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { TextDocument } from "../../contracts/document.ts";
import type { Hit, RetrieverParts } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import { createLocator, type Locator } from "../../text/locate.ts";
import { placeLabels } from "../../text/place-labels.ts";
import type { Span } from "../../text/sentences.ts";
import { cutSnippet } from "../../text/snippet.ts";
import { findSubject } from "../find-subject.ts";
import type { SearchPlan } from "../search-plan.ts";

/** A document that hits stand in, and how its places are called. */
export interface HitDocument {
  readonly document: TextDocument;
  readonly locate: Locator;
}

/** Reads the documents of hits, each once. */
export type ReadHitDocument = (hit: Hit) => Promise<HitDocument | undefined>;

/**
 * Documents in the hit's own scope, with the proof that the search came with.
 *
 * **Shape** `undefined` for a document that is not kept, may not be read, or has changed since the search. The hit then stays as it is.
 */
export function createHitDocuments(documents: RetrieverParts["documents"], scopes: AuthorizedScopes): ReadHitDocument {
  const read = new Map<string, Promise<HitDocument | undefined>>();
  return async (hit) => {
    const key = JSON.stringify([hit.scope, hit.documentId]);
    let known = read.get(key);
    if (known === undefined) {
      known = documents
        .document(narrowProof(scopes, [hit.scope]), hit.documentId)
        .then((stored) => stored && { document: stored.document, locate: createLocator(stored.document) });
      read.set(key, known);
    }
    const found = await known;
    const { start, end } = hit.source;
    return found?.document.text.slice(start, end) === hit.text ? found : undefined;
  };
}

/** Hits at other places of their documents. */
export type MoveHit = (hit: Hit, { document, locate }: HitDocument, span: Span) => Hit;

/**
 * **Shape** a hit whose text is the document's own from `span.start` to `span.end`, with labels, headings, snippet and matches of that place. The vector of a chunk is none of
 * another stretch, and goes.
 */
export function createMover(query: string, plan: SearchPlan, analyzer: Analyzer): MoveHit {
  const subject = plan.mode === "regex" ? "" : findSubject(query, analyzer).text;
  return (hit, { document, locate }, { start, end }) => {
    const { embedding: _, ...kept } = hit;
    const { uri, rootLabel, path, title, language } = hit.source;
    const text = document.text.slice(start, end);
    const place = locate(start, end);
    const matches = hit.matches?.filter((match) => start <= match.start && match.end <= end);
    const [first] = matches ?? [];
    const shown = subject === "" && first ? document.text.slice(first.start, first.end) : subject;
    const terms = new Set(analyzer.analyze(shown, language));
    return {
      ...kept,
      text,
      snippet: plan.snippetLength === 0 ? "" : cutSnippet(text, terms, analyzer, plan.snippetLength, language),
      source: {
        uri,
        ...(rootLabel !== undefined && path !== undefined && { rootLabel, path }),
        title,
        headings: place.headings,
        start,
        end,
        ...placeLabels(place),
        ...(language !== undefined && { language }),
      },
      ...(matches && { matches }),
    };
  };
}

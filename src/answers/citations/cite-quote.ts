import type { Citation } from "../../contracts/answer.ts";
import type { Hit } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Quote } from "./find-quote.ts";

/**
 * Reads a document's canonical text in the asker's own scopes; `undefined` for what is not there or may not be read. Documents that came with ids of their
 * own may share one across scopes: `scope` is the hit's.
 */
export type DocumentText = (documentId: string, scope: Scope) => Promise<string | undefined>;

/** Numbers the citations of one answer, each checked against its document before it is given. */
export interface Citer {
  /** Every citation so far, in order of its number. */
  readonly citations: readonly Citation[];
  /** A document's text, read once however often it is cited. */
  read(hit: Pick<Hit, "documentId" | "scope">): Promise<string | undefined>;
  /**
   * The citation of a quote, with the number it has or gets. `undefined` when the document does not hold those very words in that place.
   */
  cite(hit: Hit, quote: Quote): Promise<{ readonly citation: Citation; readonly fresh: boolean } | undefined>;
}

/**
 * **Shape** a marker names one quote: `[n]` is `citations[n - 1]`, numbered in the order in which they first stand in the text.
 */
export function createCiter(documentText: DocumentText): Citer {
  const citations: Citation[] = [];
  const texts = new Map<string, Promise<string | undefined>>();
  const read: Citer["read"] = ({ documentId, scope }) => {
    const key = JSON.stringify([scope, documentId]);
    const known = texts.get(key);
    if (known) return known;
    const text = documentText(documentId, scope);
    texts.set(key, text);
    return text;
  };

  return {
    citations,
    read,
    async cite(hit, quote) {
      const start = hit.source.start + quote.start;
      const end = hit.source.start + quote.end;
      const words = hit.text.slice(quote.start, quote.end);
      const known = citations.find(
        (citation) =>
          citation.chunkId === hit.chunkId &&
          citation.documentId === hit.documentId &&
          citation.start === start &&
          citation.end === end,
      );
      if (known) return { citation: known, fresh: false };
      const text = await read(hit);
      if (words === "" || text === undefined || text.slice(start, end) !== words) return undefined;
      const citation: Citation = {
        marker: `[${citations.length + 1}]`,
        uri: hit.source.uri,
        title: hit.source.title,
        documentId: hit.documentId,
        chunkId: hit.chunkId,
        start,
        end,
        quote: words,
      };
      citations.push(citation);
      return { citation, fresh: true };
    },
  };
}

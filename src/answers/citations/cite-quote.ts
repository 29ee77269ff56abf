import type { Citation, Quotation } from "../../contracts/answer.ts";
import type { PlaceLabels, Section, TextMark } from "../../contracts/document.ts";
import type { Hit } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { findTableHeader } from "../../text/find-table-header.ts";
import { tableAt, type TableSource } from "./hit-tables.ts";
import { placeLabels } from "../../text/place-labels.ts";
import type { Quote } from "./find-quote.ts";

/** Where a stretch of a document stands: page, line, slide and cells, and the headings around it. */
export type QuotePlace = PlaceLabels & { readonly headings: readonly string[] };

/**
 * Reads documents in slices, in the asker's own scopes. Documents that came with ids of their own may share one across scopes: `scope` is the hit's.
 *
 * **Units** UTF-16 code units of the canonical text.
 */
export interface DocumentSlices extends TableSource {
  /** Start of the innermost section around a position. Absent: 0, which costs reading all text before the position. */
  sectionStart?(documentId: string, scope: Scope, position: number): Promise<number>;
  /** Root of the document's sections. Absent, or `undefined` for a document that is not there: only the texts of hits are known. */
  sections?(documentId: string, scope: Scope): Promise<Section | undefined>;
  /** Front matter and tables of contents of the document, as its reader marked them. Absent: none are known. */
  marks?(documentId: string, scope: Scope): Promise<readonly TextMark[]>;
  /** Place of a stretch of a hit's document. Absent: the place of the whole hit. */
  locate?(hit: Hit, start: number, end: number): Promise<QuotePlace | undefined>;
}

/** Checks the quotations of one answer against their documents, and numbers those that it cites. */
export interface Citer {
  /** Every citation so far, in order of its number. */
  readonly citations: readonly Citation[];
  /** The quotation. `undefined` when the document does not hold those very words in that place. */
  quote(hit: Hit, quote: Quote): Promise<Quotation | undefined>;
  /** The quotation of words that stand in a hit's document, in the document's own positions; within the hit's text or not. */
  quoteAt(hit: Hit, place: Quote, words: string): Promise<Quotation | undefined>;
  /** The citation of a quotation that {@link quote} gave, with the number that it has or gets. */
  cite(quotation: Quotation): CitedQuote;
}

/** A citation, and whether it is cited for the first time. */
export interface CitedQuote {
  readonly citation: Citation;
  readonly fresh: boolean;
}

/**
 * **Shape** a marker names one quote: `[n]` is `citations[n - 1]`, numbered in the order in which they first stand in the text.
 */
export function createCiter(documents: DocumentSlices): Citer {
  const citations: Citation[] = [];
  return {
    citations,
    quote: (hit, { start, end }) =>
      quoteAt(hit, { start: hit.source.start + start, end: hit.source.start + end }, hit.text.slice(start, end)),
    quoteAt,
    cite(quotation) {
      const { chunkId, documentId, start, end } = quotation;
      const known = citations.find(
        (one) => one.chunkId === chunkId && one.documentId === documentId && one.start === start && one.end === end,
      );
      if (known) return { citation: known, fresh: false };
      const citation: Citation = { marker: `[${citations.length + 1}]`, ...quotation };
      citations.push(citation);
      return { citation, fresh: true };
    },
  };

  async function quoteAt(hit: Hit, { start, end }: Quote, words: string): Promise<Quotation | undefined> {
    const { documentId, chunkId, source } = hit;
    if (words === "" || (await documents.read(documentId, hit.scope, start, end)) !== words) return undefined;
    const isInHit = start >= source.start && end <= source.end;
    const place = (await documents.locate?.(hit, start, end)) ?? (isInHit ? source : { headings: [] });
    const { uri, title } = source;
    const labels = placeLabels(place);
    const header = await findHeader(hit, start, words);
    const facts = { ...labels, documentId, chunkId, start, end, quote: words, ...(header && { header }) };
    return { uri, title, headings: place.headings, ...facts, ...(hit.replaced && { replaced: hit.replaced }) };
  }

  /** A row is understood by the names of its columns. */
  async function findHeader(hit: Hit, start: number, words: string): Promise<Quotation["header"]> {
    const read = async (from: number, to: number): Promise<string> =>
      (await documents.read(hit.documentId, hit.scope, from, to)) ?? "";
    const { delimited, tables = [] } = (await documents.tables?.(hit.documentId, hit.scope)) ?? {};
    const names = delimited?.header ?? tableAt(tables, start)?.header;
    if (names !== undefined)
      return start < names.end ? undefined : { ...names, quote: await read(names.start, names.end) };
    const [line = ""] = words.split("\n", 1);
    if (!line.includes("|")) return undefined;
    const found = await findTableHeader(read, start);
    return found && { start: found.start, end: found.end, quote: found.text };
  }
}

import type { Quotation } from "../../contracts/answer.ts";
import type { LengthFunction } from "../../contracts/chunker.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { toHitJson } from "../../search/hit-json.ts";
import { neutraliseSource } from "../../text/untrusted/neutralise-source.ts";

/** One result for a model: chunk, uri, score and text. */
export interface ResultItem {
  readonly chunkId: string;
  readonly uri: string;
  readonly text: string;
  /** Absent for an opened chunk. */
  readonly score?: number;
  /** As in {@link Hit.replaced}. */
  readonly replaced?: Hit["replaced"];
}

/** Bounds of a list of results. */
export interface FormatOptions {
  /** Tokens of the whole text. Results that do not fit are counted, not shown. Default: no bound. */
  readonly maxTokens?: number | undefined;
  readonly countTokens: LengthFunction;
  /** Results that the header counts: all that were found, or those that are shown. Default `"all"`; Embabel's is `"shown"`. */
  readonly counts?: "all" | "shown" | undefined;
  /** Text when nothing was found. Default `"0 results"`. */
  readonly nothing?: string | undefined;
}

/**
 * Formats results as text for a model.
 *
 * **Shape** a line `N results:`, then the items, divided by lines of `---`. An item is a line `chunkId: … url: …` and a line with score and text.
 * A text cannot end its item and begin another: see {@link asData}.
 * **Source** Embabel's result formatters, with the token budget of one of them.
 */
export function formatResults(
  items: readonly ResultItem[],
  { maxTokens, countTokens, counts = "all", nothing = "0 results" }: FormatOptions,
): string {
  if (items.length === 0) return nothing;
  const all = (shown: readonly string[]): number => (counts === "all" ? items.length : shown.length);
  const shown: string[] = [];
  for (const item of items) {
    const next = [...shown, formatItem(item)];
    if (maxTokens !== undefined && countTokens(join(next, all(next))) > maxTokens) break;
    shown.push(next.at(-1)!);
  }
  return join(shown, all(shown));
}

/** Hits as items. */
export function hitItems(hits: readonly Hit[]): readonly ResultItem[] {
  return hits.map(toHitJson).map(({ chunkId, source, score, text, replaced }) => ({
    chunkId,
    uri: source.uri,
    score,
    text,
    ...(replaced && { replaced }),
  }));
}

function join(items: readonly string[], all: number): string {
  const results = all === 1 ? "1 result" : `${all} results`;
  const header = items.length < all ? `${results}, the first ${items.length} shown:` : `${results}:`;
  return [all === 0 ? "0 results" : header, items.join("\n---\n")].filter((part) => part !== "").join("\n");
}

/** Formats one item. */
export function formatItem({ chunkId, uri, score, text, replaced }: ResultItem): string {
  const shown = score === undefined ? "" : `${score.toFixed(2)} - `;
  const end = replaced === undefined ? "" : ` REPLACED at ${replaced.at}: it holds no longer`;
  return `chunkId: ${chunkId} url: ${showAddress(uri)}${end}\n${shown}${asData(text)}`;
}

/** Characters that would end the line of an address, hide, or look like a marker or a delimiter. */
const unsafeInAddress = /["<>[\]【】［］〔〕❲❳｜|\p{C}\p{Z}\p{Variation_Selector}]/gu;

/**
 * Shows a uri to a model on one line, whatever characters it contains. {@link readShownAddress} reverses it.
 *
 * **Shape** unchanged, or percent-encoded if a character is unsafe.
 */
export function showAddress(uri: string): string {
  const safe = (text: string): string => encodeURIComponent(text.toWellFormed());
  return uri.search(unsafeInAddress) < 0 ? uri : uri.replaceAll("%", "%25").replaceAll(unsafeInAddress, safe);
}

/** Reverses {@link showAddress}; `undefined` for a text that it never makes. */
export function readShownAddress(shown: string): string | undefined {
  if (!shown.includes("%")) return undefined;
  try {
    return decodeURIComponent(shown);
  } catch {
    return undefined;
  }
}

/** Line breaks, as models read them. */
const lineBreak = String.raw`[\n\r\v\f\u0085\u2028\u2029]`;
const ourLine = String.raw`-{3,}[\t ]*(?:$|${lineBreak})|chunkId\s*:|\[TRUNCATED`;

/**
 * Shows a document's text to a model as quoted data.
 *
 * A line that looks like one of ibid's own (`---`, `chunkId:`, `[TRUNCATED`) gets `>` in front. {@link neutraliseSource} does the rest.
 */
export function asData(text: string): string {
  return quoteLines(neutraliseSource(text), ourLine);
}

/** The same for a title, on one line. */
export function asTitle(text: string): string {
  return asData(text.replaceAll(/[\p{Cc}\p{Z}]+/gu, " ").trim());
}

/** Shows a quotation to a model: its words as data, its names on one line. */
export function showQuotation<Shown extends Quotation>(quotation: Shown): object {
  const { uri, title, headings, quote, header } = quotation;
  return {
    ...quotation,
    uri: showAddress(uri),
    title: asTitle(title),
    headings: headings.map(asTitle),
    quote: asData(quote),
    ...(header && { header: { ...header, quote: asData(header.quote) } }),
  };
}

/** Puts `>` before each line that begins as the pattern says. */
export function quoteLines(text: string, begins: string): string {
  const line = new RegExp(String.raw`(^|${lineBreak})(?=[\t \u00a0\u200b-\u200f\u2060\ufeff]*(?:${begins}))`, "giu");
  return text.replaceAll(line, "$1> ");
}

import type { LengthFunction } from "../../contracts/chunker.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { toHitJson } from "../../search/hit-json.ts";
import { neutraliseSource } from "../../text/untrusted/neutralise-source.ts";

/** What a model reads of one result: which chunk, from where, how good, and its text. */
export interface ResultItem {
  readonly chunkId: string;
  readonly uri: string;
  readonly text: string;
  /** Absent for what was opened, not found. */
  readonly score?: number;
}

/** How many results a model is shown. */
export interface FormatOptions {
  /** Of the whole text. What does not fit is left out and counted. Default: no bound. */
  readonly maxTokens?: number | undefined;
  readonly countTokens: LengthFunction;
}

/**
 * Results as a model reads them.
 *
 * **Shape** a line `N results:`, then the items, each `chunkId: … url: …`, a line with score and text, divided by lines of `---`. A text cannot end its own item
 * and begin another (law 12): see {@link asData}.
 * **Source** Embabel's result formatters, the one with a token budget included (E54).
 */
export function formatResults(items: readonly ResultItem[], { maxTokens, countTokens }: FormatOptions): string {
  const shown: string[] = [];
  for (const item of items) {
    const next = [...shown, formatItem(item)];
    if (maxTokens !== undefined && countTokens(join(next, items.length)) > maxTokens) break;
    shown.push(next.at(-1)!);
  }
  return join(shown, items.length);
}

/** What a search found, as items. */
export function hitItems(hits: readonly Hit[]): readonly ResultItem[] {
  return hits.map(toHitJson).map(({ chunkId, source, score, text }) => ({ chunkId, uri: source.uri, score, text }));
}

function join(items: readonly string[], all: number): string {
  const results = all === 1 ? "1 result" : `${all} results`;
  const header = items.length < all ? `${results}, the first ${items.length} shown:` : `${results}:`;
  return [all === 0 ? "0 results" : header, items.join("\n---\n")].filter((part) => part !== "").join("\n");
}

/** One of them. */
export function formatItem({ chunkId, uri, score, text }: ResultItem): string {
  const shown = score === undefined ? "" : `${score.toFixed(2)} - `;
  return `chunkId: ${chunkId} url: ${showAddress(uri)}\n${shown}${asData(text)}`;
}

/** What an address cannot hold without ending its line, hiding, or looking like a marker or a delimiter. */
const unsafeInAddress = /["<>[\]【】［］〔〕❲❳｜|\p{C}\p{Z}\p{Variation_Selector}]/gu;

/**
 * An address as a model reads it: on its line, and nothing but an address, whatever the document calls itself (law 12). {@link readShownAddress} takes it back.
 *
 * **Shape** as it is, or percent-encoded where something in it is unsafe.
 */
export function showAddress(uri: string): string {
  const safe = (text: string): string => encodeURIComponent(text.toWellFormed());
  return uri.search(unsafeInAddress) < 0 ? uri : uri.replaceAll("%", "%25").replaceAll(unsafeInAddress, safe);
}

/** What {@link showAddress} may have shown so; `undefined` for what it never shows. */
export function readShownAddress(shown: string): string | undefined {
  if (!shown.includes("%")) return undefined;
  try {
    return decodeURIComponent(shown);
  } catch {
    return undefined;
  }
}

/** A line break, as models read them. */
const lineBreak = String.raw`[\n\r\v\f\u0085\u2028\u2029]`;
const ourLine = String.raw`-{3,}[\t ]*(?:$|${lineBreak})|chunkId\s*:|\[TRUNCATED`;

/**
 * A text of a document as a model is shown it: {@link neutraliseSource}, and what looks like one of our own lines (`---`, `chunkId:`, `[TRUNCATED`) stands behind
 * `>`, as something quoted does.
 */
export function asData(text: string): string {
  return quoteLines(neutraliseSource(text), ourLine);
}

/** The same of a title, on one line. */
export function asTitle(text: string): string {
  return asData(text.replaceAll(/[\p{Cc}\p{Z}]+/gu, " ").trim());
}

/** Text in which each line that begins as the pattern says stands behind `>`. */
export function quoteLines(text: string, begins: string): string {
  const line = new RegExp(String.raw`(^|${lineBreak})(?=[\t \u00a0\u200b-\u200f\u2060\ufeff]*(?:${begins}))`, "giu");
  return text.replaceAll(line, "$1> ");
}

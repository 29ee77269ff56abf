import type { LengthFunction } from "../contracts/chunker.ts";
import type { Hit } from "../contracts/retriever.ts";

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
 * and begin another (law 12): in what it says, a line of `---` and one that begins like ours stand behind `>`.
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
  return hits.map(({ chunkId, source, score, text }) => ({ chunkId, uri: source.uri, score, text }));
}

function join(items: readonly string[], all: number): string {
  const results = all === 1 ? "1 result" : `${all} results`;
  const header = items.length < all ? `${results}, the first ${items.length} shown:` : `${results}:`;
  return [all === 0 ? "0 results" : header, items.join("\n---\n")].filter((part) => part !== "").join("\n");
}

function formatItem({ chunkId, uri, score, text }: ResultItem): string {
  const shown = score === undefined ? "" : `${score.toFixed(2)} - `;
  return `chunkId: ${chunkId} url: ${oneLine(uri)}\n${shown}${asData(text)}`;
}

/** An address is what a document says it is; it stays on its line. */
function oneLine(uri: string): string {
  return uri.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, "%20");
}

/** A line break, as models read them. */
const lineBreak = String.raw`[\n\r\v\f\u0085\u2028\u2029]`;
const ourLine = String.raw`-{3,}[\t ]*(?:$|${lineBreak})|chunkId\s*:|\[TRUNCATED`;

/** What looks like one of our own lines stands behind `>`, as something quoted does. */
export function asData(text: string): string {
  return quoteLines(text, ourLine);
}

/** Text in which each line that begins as the pattern says stands behind `>`. */
export function quoteLines(text: string, begins: string): string {
  const line = new RegExp(String.raw`(^|${lineBreak})(?=[\t \u00a0\u200b-\u200f\u2060\ufeff]*(?:${begins}))`, "giu");
  return text.replaceAll(line, "$1> ");
}

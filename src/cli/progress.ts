import type { IngestProgress } from "../contracts/knowledge-base.ts";
import type { Stream } from "./output.ts";
import { count, formatDuration, shorten } from "./text-layout.ts";

/** A line at the bottom of the terminal that shows the progress. Without a terminal it does nothing. */
export interface ProgressLine {
  readonly isShown: boolean;
  /** Sets the number of documents, if it is known. */
  expect(total: number): void;
  /** Shows the progress of an ingestion. */
  update(progress: IngestProgress): void;
  /** Shows any other text. */
  say(text: string): void;
  /** Removes the line, so that lasting output can take its place. */
  clear(): void;
  /** Shows the line again after `clear`. */
  restore(): void;
}

/** Frames a second; more would only cost time. */
const minIntervalMs = 80;

export function createProgressLine(
  stream: Stream,
  options: { readonly enabled: boolean; readonly now?: () => number },
): ProgressLine {
  if (!options.enabled || stream.isTTY !== true)
    return { isShown: false, expect: () => {}, update: () => {}, say: () => {}, clear: () => {}, restore: () => {} };
  const now = options.now ?? (() => performance.now());
  // The first update starts the clock: the time to open the knowledge base says nothing about documents.
  let first: { readonly at: number; readonly documents: number } | undefined;
  let expected = 0;
  let drawn = false;
  let shown: string | undefined;
  let last = -Infinity;

  const draw = (text: string): void => {
    last = now();
    drawn = true;
    shown = text;
    // Returns to the start, writes the text, and erases the rest of the old line.
    stream.write(`\r${shorten(text, (stream.columns ?? 80) - 1)}\u001B[K`);
  };

  return {
    isShown: true,
    expect(total) {
      expected = total;
    },
    update(progress) {
      first ??= { at: now(), documents: progress.documents };
      if (progress.fit !== undefined) {
        if (now() - last >= minIntervalMs) draw(describeFit(progress.fit));
        return;
      }
      if (now() - last < minIntervalMs) return;
      const seconds = (now() - first.at) / 1000;
      const rate = seconds > 0 ? (progress.documents - first.documents) / seconds : 0;
      const isCounted = !progress.complete && expected >= progress.found;
      const known = isCounted ? { ...progress, found: expected, complete: true } : progress;
      draw(describeProgress(known, rate, (stream.columns ?? 80) - 1));
    },
    say: draw,
    clear() {
      if (drawn) stream.write("\r\u001B[K");
      drawn = false;
      last = -Infinity;
    },
    restore() {
      if (shown !== undefined) draw(shown);
    },
  };
}

/** `Fitting … 40 %`. **Units** the finished share, from 0 to 1. */
export function describeFit(share: number): string {
  return `Fitting … ${Math.floor(share * 100)} %`;
}

/**
 * `123/447 documents · 1,204 chunks · 85/s · 4 s left`, with total and time left once the total is known.
 *
 * **Units** `rate` in documents a second, 0 if unknown; `columns` of the terminal. On a narrow one, chunks are left out first, then the rate.
 */
export function describeProgress(progress: IngestProgress, rate: number, columns = Infinity): string {
  const { documents, chunks, found, complete, pages } = progress;
  const page = pages === undefined ? "" : `page ${pages.done.toLocaleString("en")} of ${pages.of.toLocaleString("en")}`;
  const done = complete
    ? `${documents.toLocaleString("en")}/${count(found, "document")}`
    : count(documents, "document");
  const speed = rate > 0 ? `${rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en")}/s` : "";
  // Tenths of a second would only flicker.
  const left =
    complete && rate > 0 && found > documents
      ? `${formatDuration(Math.ceil((found - documents) / rate) * 1000).replace(".0", "")} left`
      : "";
  const lines = [
    [done, page, count(chunks, "chunk"), speed, left],
    [done, page, speed, left],
    [done, left],
  ].map((parts) => parts.filter((part) => part !== "").join(" · "));
  return lines.find((line) => line.length <= columns) ?? done;
}

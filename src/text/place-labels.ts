import type { PlaceLabels, TimeSpan } from "../contracts/document.ts";

const keys = [
  "page",
  "lastPage",
  "line",
  "slide",
  "time",
  "sheet",
  "cells",
  "part",
] as const satisfies readonly (keyof PlaceLabels)[];

/** Only what says where something is, of whatever says more. **Shape** a fresh object, without keys that are `undefined`. */
export function placeLabels(from: PlaceLabels): PlaceLabels {
  const labels: Record<string, PlaceLabels[keyof PlaceLabels]> = {};
  // Every hit passes here: no list is made.
  for (const key of keys) {
    const label = from[key];
    if (label !== undefined) labels[key] = label;
  }
  return labels;
}

/**
 * A place as a person would say it: `docs/keys.md:42`, `report.pdf, page 3`, `report.pdf, pages 3–4`, `deck.pptx, slide 2`, `talk.vtt, 00:01:05–00:01:12`, `costs.xlsx, Sheet1!A2:D9`, `mail.eml, notes.txt:3`.
 */
export function describePlaceLabels(
  uri: string,
  { page, lastPage, line, slide, time, sheet, cells, part }: PlaceLabels,
): string {
  let place = part === undefined ? uri : `${uri}, ${part}`;
  if (sheet !== undefined) place += `, ${sheet}${cells === undefined ? "" : `!${cells}`}`;
  else if (slide !== undefined) place += `, slide ${slide}`;
  if (page !== undefined) place += lastPage === undefined ? `, page ${page}` : `, pages ${page}–${lastPage}`;
  else if (time !== undefined) place += `, ${describeTime(time)}`;
  else if (line !== undefined) place += `:${line}`;
  return place;
}

/** `00:01:05–00:01:12`, or `00:01:05` for a stretch within one second. */
export function describeTime({ start, end }: TimeSpan): string {
  const [from, to] = [clock(start), clock(end)];
  return from === to ? from : `${from}–${to}`;
}

/** `00:01:05` for 65.2 seconds. */
export function clock(seconds: number): string {
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

/**
 * Title and headings of a place: `Key handbook › Keys › Rotation`.
 *
 * **Shape** a heading that repeats the title or the name before it is left out; capitals and white space do not count. `""` without names.
 */
export function describeNames({
  title,
  headings,
}: {
  readonly title: string;
  readonly headings: readonly string[];
}): string {
  const plain = (name: string): string => name.replaceAll(/\s+/gu, " ").trim().toLowerCase();
  const [whole, ...below] = [title, ...headings].map(plain);
  const kept = headings.filter((_, index) => below[index] !== whole && below[index] !== below[index - 1]);
  return [title, ...kept].filter((name) => name !== "").join(" › ");
}

import type { Breach } from "./find-breaches.ts";

/** Sentences that break a rule: by room, then by where they stand. */
export type ProseCounts = Readonly<Record<string, Readonly<Partial<Record<Breach["kind"], number>>>>>;

/** A count that is higher than the recorded one. */
export interface RisenCount {
  readonly room: string;
  readonly kind: Breach["kind"];
  readonly was: number;
  readonly is: number;
}

export function countBreaches(breaches: readonly Pick<Breach, "room" | "kind">[]): ProseCounts {
  const counts: Record<string, Partial<Record<Breach["kind"], number>>> = {};
  for (const { room, kind } of breaches.toSorted((a, b) => (a.room < b.room ? -1 : a.room > b.room ? 1 : 0))) {
    const inRoom = (counts[room] ??= {});
    inRoom[kind] = (inRoom[kind] ?? 0) + 1;
  }
  return counts;
}

/** Counts above the recorded ones. A room that is not recorded has 0 of each kind. */
export function compareCounts(recorded: ProseCounts, counts: ProseCounts): readonly RisenCount[] {
  return entriesOf(counts)
    .map(({ room, kind, count }) => ({ room, kind, was: recorded[room]?.[kind] ?? 0, is: count }))
    .filter(({ was, is }) => is > was);
}

/** The lower of both counts, room by room and kind by kind; none where either has none. */
export function lowerCounts(recorded: ProseCounts, counts: ProseCounts): ProseCounts {
  const lower: Record<string, Partial<Record<Breach["kind"], number>>> = {};
  for (const { room, kind, count } of entriesOf(counts)) {
    const least = Math.min(count, recorded[room]?.[kind] ?? 0);
    if (least > 0) (lower[room] ??= {})[kind] = least;
  }
  return lower;
}

const kinds = ["public", "comments", "errors", "markdown"] as const;

function entriesOf(counts: ProseCounts): readonly { room: string; kind: Breach["kind"]; count: number }[] {
  return Object.entries(counts).flatMap(([room, by]) => kinds.map((kind) => ({ room, kind, count: by[kind] ?? 0 })));
}

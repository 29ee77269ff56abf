import type { DocumentStore, StoreNow } from "../../contracts/store.ts";
import type { SegmentCore } from "./segment-core.ts";
import type { DirectoryReader } from "./segment-directory.ts";
import type { SegmentLeg } from "./segment-legs.ts";
import { takeMoment } from "./segment-moment.ts";
import { readChunks } from "./read-chunks.ts";

/** A verb inside a transaction. */
type Inside = (rows: DirectoryReader, ...given: never[]) => unknown;

/** Searches that are one transaction. Only the store's own verbs take part: one that somebody put around them is another function. */
export function searchAtOnce(
  { look, view }: Pick<SegmentCore, "look" | "view">,
  legs: readonly SegmentLeg[],
  reads: DocumentStore["readChunks"],
): NonNullable<DocumentStore["atOnce"]> {
  const inside = new Map<unknown, Inside>(legs.map(({ search, searchInside }) => [search, searchInside]));
  inside.set(reads, (rows, ...[refs, options]: Parameters<typeof reads>) => readChunks(rows, view, refs, options));
  return (scopes, work) =>
    look((rows) => {
      const call = (verb: unknown, ...given: unknown[]) => inside.get(verb)?.(rows, ...(given as never[]));
      return work({ moment: takeMoment(rows, view, scopes), call: call as StoreNow["call"] });
    });
}

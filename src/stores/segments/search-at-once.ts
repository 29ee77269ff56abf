import type { DocumentStore } from "../../contracts/store.ts";
import { readChunks } from "./read-chunks.ts";
import type { SegmentCore } from "./segment-core.ts";
import type { SegmentLeg } from "./segment-legs.ts";
import { takeMoment } from "./segment-moment.ts";

/** Searches that are one transaction. Only the store's own functions take part. A function that calls them is another. */
export function searchAtOnce(
  { look, view }: Pick<SegmentCore, "look" | "view">,
  legs: readonly SegmentLeg[],
  reads: Pick<DocumentStore, "readChunks">,
): NonNullable<DocumentStore["atOnce"]> {
  const functionOf = (owner: object, name: "search" | "readChunks"): unknown => Reflect.get(owner, name);
  const own = new Map(legs.map((leg) => [functionOf(leg, "search"), leg]));
  const ownReading = functionOf(reads, "readChunks");
  return (scopes, work) =>
    look((rows) =>
      work({
        moment: takeMoment(rows, view, scopes),
        search: (leg, ...given) => own.get(functionOf(leg, "search"))?.searchInside(rows, ...given),
        readChunks: (documents, ...given) =>
          functionOf(documents, "readChunks") === ownReading ? readChunks(rows, view, ...given) : undefined,
      }),
    );
}

import type { Filter } from "../../contracts/filter.ts";
import { noteKeys } from "./note.ts";

/** Admits the notes that had begun and whose authors had not ended them at a time. Timelines decide among the versions of one statement. */
export function holdsFilter(time: string): Filter {
  const ended: Filter = { op: "lte", key: noteKeys.validTo, value: time };
  return {
    op: "and",
    filters: [
      { op: "lte", key: noteKeys.validFrom, value: time },
      { op: "not", filter: ended },
    ],
  };
}

/** A time some milliseconds after another. */
export const laterThan = (time: string, ms = 1): string => new Date(Date.parse(time) + ms).toISOString();

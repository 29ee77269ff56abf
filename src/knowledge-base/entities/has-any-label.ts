import { IbidError } from "../../contracts/errors.ts";
import type { Filter } from "../../contracts/filter.ts";

/** The label that every entity has. **Source** Embabel. */
export const entityLabel = "__Entity__";

/**
 * A filter of entities with at least one of these labels. It serves `search`, `ask` and every other verb that takes filters, beside other conditions.
 *
 * **Shape** labels are case-sensitive; a document that is no entity never matches. **Errors** `invalid-argument` for no label and for a blank one.
 * **Source** Embabel's `EntityFilter.HasAnyLabel`.
 * @experimental
 */
export function hasAnyLabel(...labels: readonly string[]): Filter {
  // Records alone are marked so; a document's own metadata may speak of labels too.
  const isEntity: Filter[] = [{ op: "exists", key: "_collection" }, withLabel(entityLabel)];
  return { op: "and", filters: [...isEntity, anyOfLabels(labels)] };
}

/** The same among entities alone. */
export function anyOfLabels(labels: readonly string[]): Filter {
  return { op: "or", filters: checkLabels(labels).map(withLabel) };
}

/** **Errors** `invalid-argument` for anything but texts that say something, one at least. */
export function checkLabels(labels: readonly string[]): readonly string[] {
  const all: readonly unknown[] = Array.isArray(labels) ? labels : [];
  if (all.length > 0 && all.every((label) => typeof label === "string" && label.trim() !== "")) return labels;
  throw new IbidError("invalid-argument", "Labels are texts that are not blank, one at least.", {
    hint: 'Name some: "Project".',
  });
}

const withLabel = (value: string): Filter => ({ op: "hasElement", key: "labels", value });

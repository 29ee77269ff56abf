import { parseScope } from "../../access/scopes.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { Scope } from "../../contracts/scope.ts";
import { searchOptions } from "../../search/search-options.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { type FixedLimits, readShownPrefix } from "./fixed-view.ts";
import { type Field, optionField } from "./tool-input.ts";

/** How a call narrows a search within the limits of the application. */
export interface Narrowing {
  readonly filter?: FilterInput | undefined;
  readonly scope?: Scope | undefined;
  readonly under?: string | undefined;
  readonly topK?: number | undefined;
  readonly asOf?: string | undefined;
}

const filter: Field<FilterInput | undefined> = {
  required: false,
  schema: {
    type: "object",
    description:
      'Only where the metadata match: {"year": 2026}, {"year": {"gte": 2020}}, {"or": [{"team": "a"}, {"team": "b"}]}.',
  },
  wrong: (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "must be an object",
};

const scope: Field<Scope | undefined> = {
  required: false,
  schema: { type: "string", description: "Only this scope, such as team:acme. Default: all that may be read." },
  wrong(value) {
    try {
      parseScope(value as string);
      return undefined;
    } catch {
      return "must be platform, deployment, team:… or user:…";
    }
  },
};

/** Arguments by which a call narrows a search. */
export const narrowingFields = {
  filter,
  scope,
  under: optionField<string>(searchOptions.under, {
    description: "Only documents whose uri has this prefix, such as that of a folder.",
  }),
  topK: optionField<number>(searchOptions.topK, { description: "Number of results." }),
  asOf: optionField<string>(searchOptions.asOf, {
    description: "Time as of which to search, such as 2026-11-23. Default: the present.",
  }),
};

/**
 * Narrows the limits of the application by those of a call: both hold.
 *
 * **Errors** `not-found` for a scope beyond the limits, as for one that does not exist.
 */
export async function narrow(
  kb: Pick<KnowledgeBase, "list">,
  limits: FixedLimits,
  { filter: asked, scope: within, under, topK, asOf }: Narrowing,
): Promise<FixedLimits & { under?: string; topK?: number; asOf?: string }> {
  if (within !== undefined && limits.scopes !== undefined && !limits.scopes.includes(within)) {
    throw new IbidError("not-found", `There is no scope ${within} here.`, { hint: "Leave scope out." });
  }
  const filters = [limits.filter, asked].filter((one) => one !== undefined);
  return {
    ...(filters.length > 0 && { filter: filters.length === 1 ? filters[0] : { and: filters } }),
    ...(within !== undefined ? { scopes: [within] } : limits.scopes !== undefined && { scopes: limits.scopes }),
    ...(under !== undefined && { under: await readShownPrefix(kb, under) }),
    ...(topK !== undefined && { topK }),
    ...(asOf !== undefined && { asOf }),
  };
}

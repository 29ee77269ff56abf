import { IbidError } from "../contracts/errors.ts";
import type { Receipt } from "../contracts/leg.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { IngestStages } from "./stages.ts";

/** The later of two commits to one scope. */
export function laterOf(one: Receipt | undefined, other: Receipt | undefined): Receipt | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.life === other.life && one.stamp > other.stamp ? one : other;
}

/** A receipt that holds every commit of the run: the newest state of the scope. Where the store has gone away since, it is the last commit. */
export async function receiptOf(
  { store }: Pick<IngestStages, "store">,
  { scope, into }: { readonly scope: Scope; readonly into: AuthorizedScopes<"write"> },
  written: Receipt | undefined,
): Promise<Receipt> {
  try {
    const { stamps } = await store.moment(into);
    return { scope, ...(stamps.get(scope) ?? { life: "none", stamp: 0 }) };
  } catch (error) {
    if (written !== undefined && IbidError.isInstance(error, "store-failed")) return written;
    throw error;
  }
}

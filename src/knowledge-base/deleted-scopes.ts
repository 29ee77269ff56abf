import { operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { KeepingParts } from "./parts.ts";

/** The scopes whose deleted documents the caller may see: the named one, or all. `undefined` for none. */
export async function findDeletedScopes(
  {
    store,
    gate,
    caller,
    authority,
    readable,
  }: Pick<KeepingParts, "store" | "gate" | "caller" | "authority" | "readable">,
  scope?: Scope,
): Promise<AuthorizedScopes | undefined> {
  const named = scope === undefined ? undefined : [parseScope(scope)];
  // `readable` lists no scope of which everything was deleted, and the operator's are those that it lists.
  const asked = named ?? (caller === operator ? await store.trash?.scopes?.(authority) : undefined);
  const shared: readonly Scope[] = ["deployment", "platform"];
  const own = gate.writable(caller, (await readable(asked ?? [...(await readable()).scopes, ...shared])).scopes);
  return own.length === 0 ? undefined : readable(own);
}

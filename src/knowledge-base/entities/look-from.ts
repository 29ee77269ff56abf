import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../../contracts/scope.ts";

/** The entities that the readers of a scope can see. */
export interface Outlook {
  /** Whether they read entities of that scope too. */
  reads(scope: Scope): boolean;
  /** Whether an entity of that id is there for them. */
  sees(id: string): Promise<boolean>;
}

/**
 * The outlook of a scope: that scope, and the shared scopes that all its readers read. A caller who sees more writes there by this outlook alone.
 * Otherwise the readers of the scope would learn of entities hidden from them.
 */
export async function lookFrom(
  kb: Pick<KnowledgeBase, "as" | "collections">,
  scope: Scope,
  nodes: { readonly name: string; scopesOf(id: string): Promise<readonly Scope[]> },
): Promise<Outlook> {
  // A shared scope that is closed to callers is read by the operator alone, but as a whole.
  const read = new Set([scope]);
  for (const { name, scope: one } of await asReader(kb, scope).collections())
    if (name === nodes.name && isShared(one)) read.add(one);
  return {
    reads: (one) => read.has(one),
    sees: async (id) => (await nodes.scopesOf(id)).some((one) => read.has(one)),
  };
}

/** Whether it is nobody's in particular. */
export function isShared(scope: Scope): boolean {
  return scope === "deployment" || scope === "platform";
}

function asReader<View extends Pick<KnowledgeBase, "as">>(kb: View, scope: Scope): View | KnowledgeBase {
  try {
    return kb.as(readerOf(scope));
  } catch (error) {
    // `as` refuses a caller outside this view. The view itself then lists the shared scopes.
    if (IbidError.isInstance(error, "access-denied")) return kb;
    throw error;
  }
}

function readerOf(scope: Scope): AccessContext {
  if (scope === "deployment") return {};
  if (scope === "platform") return { userId: "anybody" };
  const id = scope.slice(scope.indexOf(":") + 1);
  return scope.startsWith("team:") ? { teams: [id] } : { userId: id };
}

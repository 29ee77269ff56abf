import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../../contracts/scope.ts";

/** What those who read a scope know of entities. */
export interface Outlook {
  /** Whether they read entities of that scope too. */
  reads(scope: Scope): boolean;
  /** Whether an entity of that id is there for them. */
  sees(id: string): Promise<boolean>;
}

/**
 * Looks from a scope: as whoever reads that scope and, beside it, what everybody reads who does. What is done there for somebody who sees more must not depend on
 * the rest: by it, the readers of the scope would learn of what is hidden from them.
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
    // Whoever is not the operator knows of the shared scopes what everybody like them knows.
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

import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Observer } from "../knowledge-base/operations/observer.ts";

/** Whom the services that work over a knowledge base tell of what they do: its own observer, without a verb for everybody. */
const tellers = new WeakMap<KnowledgeBase, Observer["tell"]>();

/** Names the observer of a knowledge base, as its maker knows it. */
export function rememberTeller(kb: KnowledgeBase, tell: Observer["tell"]): void {
  tellers.set(kb, tell);
}

/** **Shape** tells nobody for a knowledge base of somebody else's making. */
export function tellerOf(kb: KnowledgeBase): Observer["tell"] {
  return tellers.get(kb) ?? (() => {});
}

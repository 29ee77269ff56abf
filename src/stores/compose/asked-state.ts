import { narrowProof } from "../../access/gate.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import type { Store } from "../../contracts/store.ts";

/** Scopes whose state was asked for just now, as fresh as their call wants it, and the reads that count on it. */
const asked = new WeakMap<readonly Scope[], "next" | "all">();

/** The next read over these scopes asks for no newer state than their list, which it cannot miss. Later ones ask as ever. */
export function noteListed(proof: AuthorizedScopes): AuthorizedScopes {
  asked.set(proof.scopes, "next");
  return proof;
}

/** No read over this very proof, or over a part of it, asks for a newer state. The call that the proof is for has asked. */
export function noteAsked(proof: AuthorizedScopes): AuthorizedScopes {
  asked.set(proof.scopes, "all");
  return proof;
}

/** Asks once for the newest state, which all reads over this proof count on: for a call with several of them. */
export async function askOnce(store: Pick<Store, "moment">, proof: AuthorizedScopes): Promise<void> {
  if (!takeAsked(proof.scopes) && proof.scopes.length > 0) await store.moment(proof);
  noteAsked(proof);
}

/** The proof for some of its scopes; reads over it ask as those over the whole. */
export function narrowAsked(proof: AuthorizedScopes, scopes: readonly Scope[]): AuthorizedScopes {
  const narrowed = narrowProof(proof, scopes);
  return asked.get(proof.scopes) === "all" ? noteAsked(narrowed) : narrowed;
}

/** Whether the state of the scopes was asked for just now, so that the read which calls this need not ask. */
export function takeAsked(scopes: readonly Scope[]): boolean {
  const reads = asked.get(scopes);
  if (reads === "next") asked.delete(scopes);
  return reads !== undefined;
}

/** Older than any state: what was asked just now is fresh enough. **Units** milliseconds. */
export const anyAge = Number.MAX_SAFE_INTEGER;

import { assertAuthorized } from "../../access/gate.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { decideTopK, type EmbeddingPolicy } from "./check-entries.ts";
import type { RawChunkStore } from "../segments/raw-store.ts";

export interface GuardOptions {
  /** How many matches a search gives that does not say. Default 5. */
  readonly topK?: number | "all";
  /** What the store is called in messages. Default "This store". */
  readonly name?: string;
}

/** What every guarded operation asks before it does anything. */
export interface Guard {
  readonly policy: EmbeddingPolicy;
  readonly topK: number;
  /** Scopes that may be read. **Errors** `access-denied`, `store-closed`. */
  read(proof: AuthorizedScopes): readonly Scope[];
  /** The one scope that may be written. **Errors** `access-denied`, `store-closed`, `invalid-argument` for a proof of several. */
  write(proof: AuthorizedScopes<"write">): Scope;
  open(): void;
}

export function createGuard(raw: RawChunkStore, options: GuardOptions, isClosed: () => boolean): Guard {
  checkOptions("guard", options, ["topK", "name"]);
  const open = (): void => {
    if (isClosed()) throw new IbidError("store-closed", "The store is closed.", { hint: "Open it again." });
  };
  return {
    policy: { embeddings: raw.capabilities.embeddings, name: options.name ?? "This store" },
    topK: decideTopK(options.topK, 5),
    open,
    read(proof) {
      assertAuthorized(proof, "read");
      open();
      return proof.scopes;
    },
    write(proof) {
      assertAuthorized(proof, "write");
      open();
      const [scope, ...others] = proof.scopes;
      if (scope !== undefined && others.length === 0) return scope;
      throw new IbidError("invalid-argument", `A write goes to one scope, not to ${proof.scopes.length}.`);
    },
  };
}

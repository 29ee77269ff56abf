import { assertAuthorized, assertSystem } from "../../access/gate.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { AuthorizedScopes, Scope, SystemAuthority } from "../../contracts/scope.ts";
import type { StoreParts } from "../../contracts/store.ts";
import type { EmbeddingPolicy } from "./check-entries.ts";

/**
 * Options of {@link composeStore}. @experimental
 *
 * @experimental
 */
export interface ComposeOptions {
  /** The store's name in messages. Default "This store". */
  readonly name?: string | undefined;
}

/** The checks before every call of a part. */
export interface Guard {
  readonly policy: EmbeddingPolicy;
  /** Scopes that may be read. **Errors** `access-denied`, `store-closed`. */
  read(proof: AuthorizedScopes): readonly Scope[];
  /** The one scope that may be written. **Errors** `access-denied`, `store-closed`, `invalid-argument` for a proof of several. */
  write(proof: AuthorizedScopes<"write">): Scope;
  /** **Errors** `access-denied`, `store-closed`. */
  maintain(authority: SystemAuthority): void;
  /** **Errors** `store-closed`. */
  open(): void;
}

/** Makes the checks of one store. */
export function createGuard({ documents }: StoreParts, options: ComposeOptions, isClosed: () => boolean): Guard {
  const open = (): void => {
    if (isClosed()) throw new IbidError("store-closed", "The store is closed.", { hint: "Open it again." });
  };
  return {
    policy: { embeddings: documents.embeddings, name: options.name ?? "This store" },
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
      throw new IbidError("invalid-argument", `A write goes to one scope, not to ${proof.scopes.length}.`, {
        hint: "Ask the gate for one scope at a time.",
      });
    },
    maintain(authority) {
      assertSystem(authority);
      open();
    },
  };
}

/** Scopes of a proof of either right. A proof says its right itself; the guard checks it. */
export function scopesOf(proof: AuthorizedScopes<"read" | "write">, guard: Guard): readonly Scope[] {
  return isWrite(proof) ? [guard.write(proof)] : guard.read(proof as AuthorizedScopes);
}

function isWrite(proof: AuthorizedScopes<"read" | "write"> | null | undefined): proof is AuthorizedScopes<"write"> {
  return proof?.right === "write";
}

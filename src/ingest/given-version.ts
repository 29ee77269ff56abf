import { type EmbeddingVersion, setApart, type VersionName } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";

/** Name of vectors that a caller brings to a knowledge base without an embedding model, and names in no other way. */
export const unnamedVersion = "given";

/**
 * The version of a vector that a caller brings, by the caller's own name.
 *
 * **Shape** it stands apart from those that a scope is searched by: a re-embedding leaves it alone, and no search by words misses it.
 * **Errors** `invalid-argument` for a blank name and for an incomplete version.
 */
export function readVersionName(name: VersionName, dimensions: number, where: string): EmbeddingVersion {
  if (typeof name === "string") {
    if (name.trim() !== "") return { provider: "given", model: name, dimensions, fingerprint: setApart("") };
    throw wrong(where, "is blank");
  }
  const { provider, model, fingerprint } = name ?? {};
  if ([provider, model, fingerprint].some((part) => typeof part !== "string")) throw wrong(where, "is incomplete");
  if (!Number.isSafeInteger(name.dimensions) || name.dimensions < 0) throw wrong(where, "has no dimensions");
  return { provider, model, dimensions: name.dimensions, fingerprint };
}

/** Lengths of vectors that callers bring, by version without its dimensions. */
export interface GivenLengths {
  /** The length that vectors of a version have: of those in the scope, else of the first of this call. */
  expect(version: EmbeddingVersion): Promise<number>;
}

/** **Cost** one question to the store for the first given vector of an ingestion. */
export function createGivenLengths(store: Pick<Store, "status">, from: AuthorizedScopes): GivenLengths {
  let lengths: Promise<Map<string, number>> | undefined;
  const nameOf = ({ provider, model, fingerprint }: EmbeddingVersion): string =>
    JSON.stringify([provider, model, fingerprint]);
  const stored = async (): Promise<Map<string, number>> =>
    new Map((await store.status(from)).embeddingVersions.map((version) => [nameOf(version), version.dimensions]));
  return {
    async expect(version) {
      const known = await (lengths ??= stored());
      const length = known.get(nameOf(version)) ?? version.dimensions;
      known.set(nameOf(version), length);
      return length;
    },
  };
}

function wrong(where: string, what: string): IbidError {
  return new IbidError("invalid-argument", `${where}: embeddingVersion ${what}.`, {
    hint: "Give a name of your own, or { provider, model, dimensions, fingerprint }.",
    details: { field: "embeddingVersion" },
  });
}

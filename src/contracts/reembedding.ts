import type { Chunk } from "./chunk.ts";
import type { Embedding, EmbeddingVersion } from "./embedding.ts";
import type { AuthorizedScopes, Scope } from "./scope.ts";

/** Which versions of vectors a scope has, and which of them searches use (law 6). */
export interface ScopeVersions {
  readonly scope: Scope;
  /** What searches use. Absent where nothing has a vector of a model's. */
  readonly current?: EmbeddingVersion;
  /** What a re-embedding that has begun and not ended makes. */
  readonly next?: EmbeddingVersion;
  /** What searches used before: a rollback leads there until a vacuum has taken its vectors. */
  readonly previous?: EmbeddingVersion;
}

/** A vector for a chunk that is there already. */
export interface AddedVector {
  readonly chunkId: string;
  /** What was embedded: where the chunk says something else by now, the vector is not taken. */
  readonly text: string;
  readonly embedding: Embedding;
}

/** What a change of version came to. */
export interface VersionChange {
  readonly changed: boolean;
  /** Live chunks that have no vector of the version. */
  readonly lacking: number;
}

/**
 * A store in which a scope can have vectors of two models at once, so that it can be searched by the one while the other is made.
 *
 * **Shape** `versions` gives one for each scope of the proof, in its order. Unless a change said otherwise, a scope's current version is the one that most of
 * its chunks have. `lacking` gives live chunks in order of id, paged by key so that writers are never held up.
 * **Source** ToolUp's re-embedding (T3, T37, T44).
 */
export interface VersionedStore {
  versions(scopes: AuthorizedScopes<"read" | "write">): Promise<readonly ScopeVersions[]>;
  /** Live chunks without a vector of that version. */
  lacking(into: AuthorizedScopes<"write">, version: EmbeddingVersion): AsyncIterable<Chunk>;
  /**
   * Gives chunks a vector beside those that they have; all in one transaction, with the note that this version is on its way.
   * What is gone meanwhile, or says something else, or has a vector of the version, is left alone.
   *
   * **Shape** how many vectors were taken. **Errors** as `upsert`: `dimension-mismatch` before anything is stored.
   */
  addVectors(
    into: AuthorizedScopes<"write">,
    version: EmbeddingVersion,
    vectors: readonly AddedVector[],
  ): Promise<number>;
  /**
   * Makes searches of the scope use another version, in one transaction. Unless `partial`, it is done only where no live chunk lacks a vector of it.
   * The vectors of the version before stay until a vacuum of what is older than the change.
   */
  changeVersion(
    into: AuthorizedScopes<"write">,
    version: EmbeddingVersion,
    options?: { readonly partial?: boolean },
  ): Promise<VersionChange>;
}

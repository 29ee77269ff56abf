import type { Chunk } from "../../contracts/chunk.ts";
import { versionKey } from "../../contracts/embedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { ChunkTerms } from "../../engine/segments/chunk-terms.ts";
import type { IndexView } from "./index-view.ts";
import type { RawVersionedStore } from "./raw-store.ts";
import type { ScopeChange } from "./scope-change.ts";
import type { DirectoryReader, DirectoryWriter } from "./segment-directory.ts";

interface StoreAccess {
  readonly look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
  readonly write: <Result>(work: (rows: DirectoryWriter) => Result) => Promise<Result>;
  readonly change: <Result>(scope: Scope, work: (change: ScopeChange) => Result) => Promise<Result>;
  readonly view: IndexView;
  readonly analyze: (chunk: Chunk) => ChunkTerms;
  /** Seals and merges what is due. */
  readonly tidy: (scope: Scope) => Promise<void>;
  readonly now: () => number;
}

/** What the segment store does with the vectors of two models: loaded when somebody has a model. */
export function versionedOperations(store: StoreAccess): RawVersionedStore {
  const { look, write, change, view, analyze, tidy, now } = store;
  return {
    async doVersions(scopes) {
      const { readVersions } = await import("./scope-versions.ts");
      return look((rows) => scopes.map((scope) => readVersions(rows, view, scope)));
    },
    async *doLacking(scope, version) {
      const { listLacking } = await import("./scope-versions.ts");
      yield* listLacking(look, view, scope, version);
    },
    async doAddVectors(scope, version, vectors) {
      const { addVectors, prepareVectors } = await import("./scope-versions.ts");
      const key = versionKey(version);
      const waiting = await look((rows) => prepareVectors(rows, view.scope(rows, scope), key, vectors, analyze));
      if (waiting.length === 0) return 0;
      const added = await change(scope, (changes) => addVectors(changes, version, waiting, now()));
      await tidy(scope);
      return added;
    },
    async doChangeVersion(scope, version, partial) {
      const { changeVersion } = await import("./scope-versions.ts");
      return write((rows) => changeVersion(rows, view, scope, version, { partial, now: now() }));
    },
  };
}

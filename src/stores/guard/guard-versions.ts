import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { VersionedStore } from "../../contracts/reembedding.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkEmbedding, checkId, checkNotOwn } from "./check-entries.ts";
import { copyChunk, copyEmbedding, copyPlain } from "./copy-data.ts";
import type { Guard } from "./guard.ts";
import type { RawKnowledgeStore } from "../segments/raw-store.ts";

/** The same checks for a store that keeps vectors of two models; nothing for one that does not. */
export function guardVersions(
  raw: RawKnowledgeStore,
  guard: Guard,
  scopesOf: (proof: AuthorizedScopes<"read" | "write">) => AuthorizedScopes["scopes"],
): Partial<VersionedStore> {
  const { doVersions, doLacking, doAddVectors, doChangeVersion } = raw;
  if (!doVersions || !doLacking || !doAddVectors || !doChangeVersion) return {};
  return {
    async versions(proof) {
      return copyPlain(await doVersions.call(raw, scopesOf(proof)));
    },
    async *lacking(into, version) {
      const scope = guard.write(into);
      for await (const chunk of doLacking.call(raw, scope, { ...version })) {
        guard.open();
        yield copyChunk(chunk);
      }
    },
    async addVectors(into, version, vectors) {
      const scope = guard.write(into);
      for (const { chunkId, embedding } of vectors) {
        checkId(chunkId, "chunk");
        checkEmbedding(embedding, version, guard.policy, `chunk ${chunkId}`);
        checkNotOwn(version, chunkId);
      }
      const copies = vectors.map((vector) => ({ ...vector, embedding: copyEmbedding(vector.embedding) }));
      return doAddVectors.call(raw, scope, { ...version }, copies);
    },
    async changeVersion(into, version, options = {}) {
      const scope = guard.write(into);
      checkOptions("changeVersion", options, ["partial"]);
      return doChangeVersion.call(raw, scope, { ...version }, options.partial ?? false);
    },
  };
}

import type { Finding } from "../../contracts/diagnosis.ts";
import { versionKey } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { DeleteTarget, DocumentStore, ListChunksOptions, StoreParts } from "../../contracts/store.ts";
import { pause } from "../../runtime/abort.ts";
import { isOwnVersion } from "../segments/own-version.ts";
import type { EngineKeeper } from "./engine-keeper.ts";

/** Longest pause between two questions whether a purge has reached the engine. */
const longestPause = 250;

/** Compares the numbers of entries and vectors; with `fix` every entry. An engine that fails is a finding, so that those of the store are not lost. */
async function examineEngine(engine: Engine, keeper: EngineKeeper, fix: boolean): Promise<readonly Finding[]> {
  try {
    keeper.forget();
    const count = await keeper.differing();
    if (fix) await keeper.compare("all");
    if (count === 0) return [];
    const message = `${engine.name} does not have as many entries as there are vectors.`;
    const hint = "Searches find all documents without it. Look at the engine if this stays so.";
    const isFixed = fix && (await keeper.differing()) === 0;
    return [{ kind: "engine-differs", message, count, fixed: isFixed, ...(fix && !isFixed && { hint }) }];
  } catch (error) {
    if (!IbidError.isInstance(error) || error.code === "aborted") throw error;
    const { message, hint } = error;
    return [{ kind: "engine-failed", message, count: 1, fixed: false, ...(hint !== undefined && { hint }) }];
  }
}

/**
 * The parts of a store, whose writes reach the engine too. The document store commits first, so that nothing is lost when the engine is away; a search scores
 * documents under way one by one.
 */
export function followEngine(
  { documents, versions, trash, upkeep, ...others }: StoreParts,
  engine: Engine,
  keeper: EngineKeeper,
  purgeWaitMs: number,
): StoreParts {
  /** Purges that the engine has not shown to be done. */
  const purging = new Map<string, { readonly scope: Scope; readonly ids: readonly string[] | undefined }>();

  /** Documents of the chunks that a delete names. */
  async function documentsOf(scope: Scope, target: DeleteTarget): Promise<readonly string[]> {
    if ("documentIds" in target) return target.documentIds;
    if ("scope" in target) return [];
    const which: ListChunksOptions = "ids" in target ? { ids: target.ids } : { filter: target.filter };
    const found = new Set<string>();
    for await (const { chunk } of documents.chunks([scope], which)) found.add(chunk.documentId);
    return [...found];
  }

  /** Whether the engine has nothing of these documents any more. Asks until it is so, or time is up. */
  async function isGone(scope: Scope, ids: readonly string[] | undefined, waitMs: number): Promise<boolean> {
    const until = performance.now() + waitMs;
    for (let ms = 5; ; ms = Math.min(2 * ms, longestPause)) {
      try {
        if (ids === undefined) await keeper.clear(scope);
        else await keeper.drained();
        const counts = await Promise.all(
          ids === undefined ? [keeper.left(scope)] : ids.map((id) => keeper.left(scope, id)),
        );
        if (counts.every((count) => count === 0)) return true;
      } catch (error) {
        // The engine lags, or is away. A purge says that it is pending; settling and scrubbing go on with it.
        if (!IbidError.isInstance(error, "store-busy")) return false;
      }
      if (performance.now() >= until) return false;
      await pause(ms, undefined, "The purge");
    }
  }

  const followed: DocumentStore = {
    ...documents,
    ready: async (signal) => (await documents.ready?.(signal)) ?? true,
    async replace(scope, write) {
      return keeper.following(scope, [write.document.id], async () => {
        const result = await documents.replace(scope, write);
        keeper.committed(result.receipt);
        return result;
      });
    },
    async delete(scope, target, options = {}) {
      const ids = await documentsOf(scope, target);
      const isWhole = "scope" in target;
      const result = await keeper.following(scope, ids, async () => {
        const deleted = await documents.delete(scope, target, options);
        keeper.committed(deleted.receipt);
        return deleted;
      });
      if (options.purge !== true && !isWhole) return result;
      const purged = { scope, ids: isWhole ? undefined : ids };
      if (await isGone(scope, purged.ids, purgeWaitMs)) return result;
      purging.set(JSON.stringify(purged), purged);
      return { ...result, pending: [engine.name] };
    },
    async close() {
      // Writes that the engine has not shown are found at the next opening, which counts.
      await keeper.drained().catch(() => {});
      await engine.close?.();
      await documents.close();
    },
  };

  return {
    ...others,
    documents: followed,
    versions: versions && {
      ...versions,
      async addVectors(scope, version, vectors) {
        const refs = vectors.map(({ chunkId }) => ({ scope, id: chunkId }));
        const read = await documents.readChunks(refs, {});
        const ids = [...new Set(read.flatMap((one) => one?.chunk.documentId ?? []))];
        return keeper.following(scope, ids, () => versions.addVectors(scope, version, vectors));
      },
    },
    trash: trash && {
      ...trash,
      async restore(scope, target) {
        if ("documentIds" in target)
          return keeper.following(scope, target.documentIds, () => trash.restore(scope, target));
        const count = await trash.restore(scope, target);
        return keeper.following(scope, await documentsOf(scope, target), async () => count);
      },
    },
    upkeep: upkeep && {
      ...upkeep,
      async settle(options) {
        await upkeep.settle(options);
        const signal = options?.signal;
        await keeper.drained(signal);
        const scopes = await documents.scopes();
        const moment = await documents.moment(scopes);
        const { embeddingVersions } = await documents.status(scopes);
        const enough = engine.capabilities.exhaustive ? ["compared"] : ["compared", "counted"];
        for (const scope of scopes) {
          for (const version of embeddingVersions) {
            if (
              isOwnVersion(versionKey(version)) ||
              enough.includes(await keeper.trust(version, scope, moment, signal))
            )
              continue;
            await keeper.compare([scope], signal);
            break;
          }
        }
        await keeper.dropFormer(signal);
      },
      async scrub() {
        const done = await upkeep.scrub();
        for (const [key, { scope, ids }] of purging) if (await isGone(scope, ids, 0)) purging.delete(key);
        return done && purging.size === 0;
      },
      async examine(options) {
        const diagnosis = await upkeep.examine(options);
        const findings = await examineEngine(engine, keeper, options?.fix === true);
        if (findings.length === 0) return diagnosis;
        const healthy = diagnosis.healthy && findings.every(({ fixed }) => fixed);
        return { ...diagnosis, findings: [...diagnosis.findings, ...findings], healthy };
      },
    },
  };
}

import { type Embedder, makesVersion } from "../contracts/embedding-model.ts";
import { isUnnamed } from "../contracts/embedding.ts";
import type { ScopeVersions } from "../contracts/reembedding.ts";
import type { Scope } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";

/** How long a scope that is searched by the configured model is not asked about. */
const rememberedMs = 10_000;

/**
 * A store for searches that asks seldom by which version a scope is searched, where no former model is configured.
 *
 * Vectors without names make a former version of every model, and few knowledge bases have some. So a scope that the model itself serves is asked about again after
 * ten seconds. Another one is asked about at each search, so that the end of a re-embedding shows at once.
 */
export function rememberVersions(store: Store, embedder: Embedder | undefined, former: readonly Embedder[]): Store {
  const { versions } = store;
  if (versions === undefined || embedder === undefined) return store;
  if (former.some(({ model }) => !isUnnamed(model.fingerprint))) return store;
  const remembered = new Map<Scope, { readonly found: ScopeVersions; readonly at: number }>();
  return {
    ...store,
    versions: {
      ...versions,
      async versions(scopes) {
        const now = performance.now();
        const known = scopes.scopes.flatMap((scope) => {
          const one = remembered.get(scope);
          return one !== undefined && now - one.at < rememberedMs ? [one.found] : [];
        });
        if (known.length === scopes.scopes.length) return known;
        const asked = await versions.versions(scopes);
        for (const found of asked) {
          const isServed = found.current === undefined || makesVersion(embedder, found.current);
          if (isServed) remembered.set(found.scope, { found, at: now });
          else remembered.delete(found.scope);
        }
        return asked;
      },
    },
  };
}

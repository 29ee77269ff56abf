import { type Embedder, makesVersion } from "../contracts/embedding-model.ts";
import { type EmbeddingVersion, isUnnamed } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { SearchWarning } from "../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import type { KnowledgeBaseParts, ModelCheck } from "./parts.ts";

/** How long a scope counts as checked. Another process may embed it anew meanwhile. */
const checkedMs = 10_000;

/**
 * **Cost** one question to the store for scopes that were not in order within the last ten seconds. `settleLater` asks for the settling that a search found to
 * be due. A folder under another access policy is otherwise settled with the next write.
 */
export function createModelCheck(
  { embedder, formerEmbedders = [], wordsAlone, retriever, findName }: KnowledgeBaseParts,
  store: Pick<Store, "versions" | "status" | "upkeep">,
  settleLater: () => void,
): ModelCheck {
  const embedders = embedder === undefined ? formerEmbedders : [embedder, ...formerEmbedders];
  const checked = new Map<Scope, number>();
  const makerOf = (version: EmbeddingVersion): Embedder | undefined =>
    embedders.find((one) => makesVersion(one, version));

  /** Vectors without names are in order where the knowledge base embeds without them. */
  const isInOrder = (maker: Embedder): boolean => maker === embedder || !isUnnamed(maker.model.fingerprint);

  async function warnings(scopes: AuthorizedScopes): Promise<readonly SearchWarning[]> {
    if (wordsAlone === true || store.versions === undefined) return [];
    const now = performance.now();
    if (scopes.scopes.every((scope) => now - (checked.get(scope) ?? -Infinity) < checkedMs)) return [];
    const found = new Map<string, { readonly version: EmbeddingVersion; readonly scopes: Scope[] }>();
    const unnamed = new Map<string, Scope[]>();
    for (const scope of scopes.scopes) checked.set(scope, now);
    for (const { scope, current } of await store.versions.versions(scopes)) {
      const maker = current && makerOf(current);
      if (current === undefined || (maker !== undefined && isInOrder(maker))) continue;
      checked.delete(scope);
      const model = `${current.provider}/${current.model}`;
      if (maker !== undefined) {
        unnamed.set(model, [...(unnamed.get(model) ?? []), scope]);
        continue;
      }
      const { version = current, scopes: before = [] } = found.get(model) ?? {};
      found.set(model, { version, scopes: [...before, scope] });
    }
    const described = Array.from(found, async ([model, { version, scopes: own }]) =>
      describe(version, own, embedder, (await findName?.(model)) ?? model),
    );
    return [...(await Promise.all(described)), ...Array.from(unnamed, ([model, own]) => describeUnnamed(model, own))];
  }

  const hasOwnModel = embedder === undefined && wordsAlone !== true && typeof retriever !== "object";
  /** Scopes whose chunks have vectors of the store's own model. An open knowledge base keeps its access policy. */
  const placed = new Set<Scope>();

  /**
   * A hybrid search goes by words alone while no chunk has a vector: the access policy has changed since they were made. A store without upkeep has no other
   * vectors to wait for.
   */
  async function forHybrid(scopes: AuthorizedScopes): Promise<readonly SearchWarning[]> {
    if (!hasOwnModel || store.versions === undefined || store.upkeep === undefined) return [];
    if (scopes.scopes.every((scope) => placed.has(scope))) return [];
    const { fit, chunks, embeddingVersions } = await store.status(scopes);
    if (chunks === 0 || embeddingVersions.length > 0) for (const scope of scopes.scopes) placed.add(scope);
    else if (fit?.isSetAside !== true) {
      settleLater();
      return [unplaced(scopes.scopes)];
    }
    return [];
  }

  return {
    warnings,
    async forSearch(scopes, mode) {
      // A retriever of the application may have vectors of its own.
      if (mode === "lexical" || mode === "regex" || typeof retriever === "object") return [];
      const found = (await warnings(scopes)).filter(({ code }) => code === "other-embedding-model");
      const [first] = found;
      if (mode !== "dense") return [...found, ...(await forHybrid(scopes))];
      if (first === undefined) return found;
      throw new IbidError("unsupported", first.message, {
        hint: first.hint,
        details: { model: first.model, scopes: first.scopes },
      });
    },
    async forNothing(scopes, mode) {
      if (mode !== "dense" || !hasOwnModel) return [];
      const { fit, chunks, embeddingVersions } = await store.status(scopes);
      const withVectors = embeddingVersions.reduce((sum, version) => sum + version.chunks, 0);
      if (fit?.isSetAside !== true && withVectors >= chunks) return [];
      settleLater();
      return [fit?.isSetAside === true ? setAside(scopes.scopes) : unplaced(scopes.scopes)];
    },
  };
}

function setAside(scopes: readonly Scope[]): SearchWarning {
  return {
    code: "fit-set-aside",
    message: "The store's own model is made of a document that was deleted, and is left aside until it is made anew.",
    hint: "Search again in a moment, search by words (mode lexical), or wait for an ingestion with settle: true.",
    model: "ibid/latent-semantic",
    scopes,
  };
}

function unplaced(scopes: readonly Scope[]): SearchWarning {
  return {
    ...setAside(scopes),
    message: "Chunks have no vectors of the store's own model yet; an access policy that changed calls for other ones.",
  };
}

/** Note about vectors from before names were embedded. */
export function describeUnnamed(model: string, scopes: readonly Scope[]): SearchWarning {
  return {
    code: "unnamed-vectors",
    message: `The vectors of ${scopes.join(", ")} were made by ${model} without titles and headings; searches go on with them.`,
    hint: "Embed anew with kb.reembed() (ibid reembed), so that titles and headings count.",
    model,
    scopes,
  };
}

/** **Shape** the hint names the option, with the name in the record of the folder where there is one. */
function describe(
  { provider, model: own, dimensions }: EmbeddingVersion,
  scopes: readonly Scope[],
  embedder: Embedder | undefined,
  name: string,
): SearchWarning {
  const model = `${provider}/${own}`;
  const open = embedder === undefined ? "no embedding model" : `${embedder.model.provider}/${embedder.model.model}`;
  const length = dimensions > 0 ? ` (${dimensions} dimensions)` : "";
  return {
    code: "other-embedding-model",
    message: `The vectors of ${scopes.join(", ")} are of ${model}; the knowledge base is open with ${open}.`,
    hint:
      embedder === undefined
        ? `Open it with models: { embedding: ${JSON.stringify(name)} }${length}, on the command line --embedding-model ${name}, or search by words: mode lexical.`
        : `Open it with ${JSON.stringify(name)}${length} in models.formerEmbeddings, or embed anew with kb.reembed() (ibid reembed).`,
    model,
    scopes,
  };
}

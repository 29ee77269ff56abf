import { type Embedding, type EmbeddingVersion, kindOf, type VersionName } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import type { OpenPast, SharedParts } from "./parts.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { readVersionName } from "../ingest/given-version.ts";
import { checkEmbedding, dimensionsOf, isEmbedding } from "../models/embedder/check-embedding.ts";
import { checkNotRevoked } from "../runtime/check-options.ts";
import { planOptions } from "../runtime/plan-options.ts";
import { checkKind } from "../stores/compose/check-entries.ts";
import { listChunks, searchByVector } from "../search/search-by-vector.ts";
import { findOptions, vectorSearchOptions } from "../search/search-options.ts";
import { withPrefixes } from "./with-prefixes.ts";
import { ownModel } from "../stores/segments/own-version.ts";

/** The parts of a view that a search without words needs. */
interface FindingParts extends Pick<SharedParts, "store" | "metric" | "resolveUri"> {
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  readonly past: OpenPast;
}

/** The verbs that find chunks without words: by a vector, and by a filter alone. */
export function createFinding({
  store,
  metric: usual,
  readable,
  past,
  resolveUri,
}: FindingParts): Pick<KnowledgeBase, "find" | "searchVector"> {
  const prefixes = (under: string | readonly string[] | undefined): { readonly under?: readonly string[] } => {
    const { under: stored } = withPrefixes({ resolveUri }, { under });
    return stored === undefined ? {} : { under: typeof stored === "string" ? [stored] : stored };
  };
  return {
    async find(options = {}) {
      const { filter, scopes, under, ...plan } = planOptions("find", findOptions, options);
      const where = await readable(scopes);
      const narrowed = { ...(filter && { filter: parseFilter(filter) }), ...prefixes(under) };
      return listChunks(store, where, { ...given(plan), ...narrowed });
    },

    async searchVector(vector, options = {}) {
      checkNotRevoked("searchVector", "vector", vector);
      const planned = planOptions("searchVector", vectorSearchOptions, options);
      const plan = { ...planned, topK: options.topK ?? store.defaultTopK ?? planned.topK };
      const { filter, scopes, under, version: name, metric = usual, asOf, onMismatch, ...rest } = plan;
      if (asOf !== undefined) {
        const { asOf: _, ...others } = options;
        return (await past({ asOf, scopes })).searchVector(vector, others);
      }
      if (isEmbedding(vector)) {
        const { name: called, capabilities } = store;
        checkKind(kindOf(vector), { name: called, embeddings: capabilities.embeddings }, "the query");
      }
      checkEmbedding(vector, { dimensions: (isEmbedding(vector) && dimensionsOf(vector)) || 0 }, "The vector");
      const where = await readable(scopes);
      const version = await findVersion(store, where, vector, name, onMismatch);
      if (version === undefined) return [];
      const narrowed = { ...given(rest), ...(filter && { filter: parseFilter(filter) }), ...prefixes(under) };
      if (version === "mismatch") return listChunks(store, where, narrowed);
      return searchByVector(store, where, { ...narrowed, ...(metric && { metric }), embedding: vector, version });
    },
  };
}

/** Options that have a value. */
function given<Plan extends object>(plan: Plan): { [Name in keyof Plan]: Exclude<Plan[Name], undefined> } {
  return Object.fromEntries(Object.entries(plan).filter(([, value]) => value !== undefined)) as never;
}

/**
 * The stored version that a vector is compared with: the one that is named, else the one of its length.
 *
 * **Shape** `undefined` where the scopes hold no vectors; `"mismatch"` with `onMismatch: "zero"`. **Errors** `dimension-mismatch`, `ambiguous`.
 */
async function findVersion(
  store: Store,
  scopes: AuthorizedScopes,
  vector: Embedding,
  name: VersionName | undefined,
  onMismatch: "error" | "zero",
): Promise<EmbeddingVersion | "mismatch" | undefined> {
  const got = dimensionsOf(vector) ?? 0;
  const held = (await store.status(scopes)).embeddingVersions.filter(
    ({ provider, model }) => provider !== ownModel.provider || model !== ownModel.model,
  );
  const wanted = name === undefined ? undefined : readVersionName(name, got, "searchVector");
  const named =
    wanted === undefined
      ? held
      : held.filter(
          ({ provider, model, fingerprint }) =>
            provider === wanted.provider && model === wanted.model && fingerprint === wanted.fingerprint,
        );
  if (named.length === 0) return undefined;
  const fitting = named.filter(({ dimensions }) => dimensions === got || dimensionsOf(vector) === undefined);
  const [first, second] = fitting;
  if (first === undefined) {
    if (onMismatch === "zero") return "mismatch";
    const expected = named[0]!.dimensions;
    throw new IbidError("dimension-mismatch", `dimension mismatch: expected ${expected}, got ${got}`, {
      hint: `The scopes hold vectors of ${named.map(nameOf).join(", ")}. With onMismatch: "zero" each chunk scores 0.`,
      details: { expected, got },
    });
  }
  if (second !== undefined) {
    throw new IbidError(
      "ambiguous",
      `Several stored versions have ${got} dimensions: ${fitting.map(nameOf).join(", ")}.`,
      {
        hint: "Give version: the name under which the vectors came, or a whole version from status().",
      },
    );
  }
  const { provider, model, dimensions, fingerprint } = first;
  return { provider, model, dimensions, fingerprint };
}

const nameOf = ({ provider, model, dimensions }: EmbeddingVersion): string =>
  `${provider === "given" ? model : `${provider}/${model}`} (${dimensions} dimensions)`;

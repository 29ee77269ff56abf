import type { OnUsage } from "../contracts/chat.ts";
import { type Embedder, makesVersion } from "../contracts/embedding-model.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { IbidError } from "../contracts/errors.ts";
import type { QueryEmbedding } from "../contracts/leg.ts";
import type { SearchableStore } from "./search-session.ts";
import { tellUsage } from "../runtime/tell-usage.ts";

interface QueryEmbedders {
  readonly store: SearchableStore;
  readonly embedder: Embedder;
  readonly formerEmbedders: readonly Embedder[];
  /** Receives the usage of each call, where the provider counts it. */
  readonly onUsage?: OnUsage | undefined;
}

/**
 * The query in every version that its scopes are searched by: a scope's current one where a configured model makes it, else the first model's.
 *
 * **Cost** one model call for each; with one model, no question to the store.
 */
export async function embedQuery(
  { store, embedder, formerEmbedders, onUsage }: QueryEmbedders,
  scopes: AuthorizedScopes,
  query: string,
  signal: AbortSignal | undefined,
): Promise<readonly QueryEmbedding[]> {
  const chosen = new Map<Embedder, Scope[]>();
  const versions = formerEmbedders.length === 0 ? undefined : await store.versions?.versions(scopes);
  if (versions === undefined) chosen.set(embedder, [...scopes.scopes]);
  for (const { scope, current } of versions ?? []) {
    const maker = current && [embedder, ...formerEmbedders].find((one) => makesVersion(one, current));
    const by = maker ?? embedder;
    chosen.set(by, [...(chosen.get(by) ?? []), scope]);
  }
  const embedded = [...chosen].map(async ([by, own]): Promise<QueryEmbedding> => {
    const { version, embeddings, sent, tokens } = await by.embed([query], {
      purpose: "query",
      ...(signal && { signal }),
    });
    if (sent > 0 && tokens !== undefined) tellUsage(onUsage, { inputTokens: tokens, outputTokens: 0 }, by.model);
    const [embedding] = embeddings;
    if (!embedding) throw new IbidError("invalid-response", "The embedder gave no embedding for the query.");
    return { version, embedding, scopes: own, similarity: by.model.similarity === "form" ? "form" : "meaning" };
  });
  return Promise.all(embedded);
}

import type { Metric } from "../contracts/embedding.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Retriever, RetrieverParts } from "../contracts/retriever.ts";
import type { AccessContext } from "../contracts/scope.ts";
import { createRetriever } from "../search/create-retriever.ts";
import { retrieveOptions } from "../search/search-options.ts";
import { checkQuery, defaultMaxQueryLength } from "../search/search-plan.ts";
import type { SharedParts } from "./parts.ts";
import { withStructure } from "./with-structure.ts";

/** Retriever of one caller: the application's where it brings one, else the built-in one. **Errors** `invalid-argument` for an object without `retrieve`. */
export function chooseRetriever(parts: SharedParts, access: AccessContext | "operator"): Retriever {
  const { store, observer, retriever, analyzer, chatModel: model } = parts;
  if (retriever === undefined) return builtInRetriever(parts, access);
  // A retriever of the application reads documents through the gate's proof, and cannot write.
  const documents: RetrieverParts["documents"] = {
    document: (scopes, id) => store.document(scopes, id),
    chunks: (scopes, options) => store.chunks(scopes, options),
  };
  const made =
    typeof retriever === "function"
      ? retriever(createBuiltIn(parts, access), { documents, analyzer, model })
      : retriever;
  if (typeof made?.retrieve !== "function") {
    throw new IbidError("invalid-argument", "retriever makes something that cannot retrieve.", {
      hint: "Give a retriever, or a function from the built-in one to another: (base) => diversify(base).",
    });
  }
  return observer.retriever(joinsHits(store, withStructure(store, withinScopes(made))));
}

/** The built-in retriever of one caller, over the knowledge base's models or one of a collection's. */
export function builtInRetriever(
  parts: SharedParts,
  access: AccessContext | "operator",
  by?: Embedder,
  metric?: Metric,
): Retriever {
  return parts.observer.retriever(withStructure(parts.store, createBuiltIn(parts, access, by, metric)));
}

function createBuiltIn(
  parts: SharedParts,
  access: AccessContext | "operator",
  by?: Embedder,
  metric = parts.metric,
): Retriever {
  const {
    searched: store,
    embedder,
    formerEmbedders,
    reranker,
    observer,
    analyzer,
    synonyms,
    queryHash,
    imageEmbedder,
  } = parts;
  return createRetriever({
    store,
    embedder: by ?? embedder,
    formerEmbedders: by === undefined ? formerEmbedders : [],
    reranker,
    tracer: observer.tracer,
    analyzer,
    synonyms,
    metric,
    secret: store.secret,
    queryHash,
    imageEmbedder: by === undefined ? imageEmbedder : undefined,
    access,
  });
}

/** Joins the hits of a retriever that does not: it is asked for as many as may become one. */
function joinsHits(store: SharedParts["store"], retriever: Retriever): Retriever {
  return {
    async retrieve(scopes, query, options = {}) {
      const { merge = false, ...rest } = options;
      if (!merge) return retriever.retrieve(scopes, query, rest);
      const { hitsToJoin, hitTextReader, joinTouching } = await import("../search/join-touching.ts");
      const { topK = retrieveOptions.topK.default } = rest;
      const hits = await retriever.retrieve(scopes, query, { ...rest, topK: hitsToJoin(topK) });
      return joinTouching(hits, topK, hitTextReader(store, scopes));
    },
  };
}

/** Drops hits of scopes that the gate did not prove, and refuses a query that is too long. An application's retriever may rank, but not widen. */
function withinScopes(retriever: Retriever): Retriever {
  return {
    async retrieve(scopes, query, options) {
      checkQuery(query, options?.mode ?? "hybrid", defaultMaxQueryLength);
      const hits = await retriever.retrieve(scopes, query, options);
      return hits.every(({ scope }) => scopes.scopes.includes(scope))
        ? hits
        : hits.filter(({ scope }) => scopes.scopes.includes(scope)).map((hit, index) => ({ ...hit, rank: index + 1 }));
    },
  };
}

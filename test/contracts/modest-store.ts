import { searchVectors } from "../support/search-legs.ts";
import { kindOf } from "../../src/contracts/embedding.ts";
import type { ChunkEntry } from "../../src/contracts/document-store.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { createPlainStore } from "./plain-store.ts";
import type { PlainStore } from "./plain-store.ts";
import { searchesOf, sessionOver } from "../support/session-over.ts";

/** What a modest store may say no to, and yet do when asked. */
export type Immodesty = "keeps sparse vectors" | "takes part of a batch";

/** A store that can little and says so: dense vectors, cosine, no restore, nothing kept. With an `immodesty`, it does what it said it cannot. */
export function createModestStore(immodesty?: Immodesty): PlainStore {
  const inner = createPlainStore();
  const unsupported = (what: string): never => {
    throw new IbidError("unsupported", `This store does not support ${what}.`);
  };
  const session = sessionOver(
    {
      ...searchesOf(inner),
      async search(scopes, query) {
        if (query.embedding !== undefined && kindOf(query.embedding) !== "dense") unsupported("sparse vectors");
        if (query.metric !== undefined && query.metric !== "cosine") unsupported("that metric");
        return searchVectors(inner, scopes, query);
      },
    },
    inner,
  );
  return {
    ...inner,
    capabilities: { ...inner.capabilities, durability: "none", embeddings: ["dense"], trash: false },
    trash: undefined,
    chunks: (scopes, options) => inner.chunks(scopes, { ...options, includeDeleted: false }),
    async replace(into, write) {
      const entries = write.chunks as readonly ChunkEntry[];
      const foreign = entries.filter(({ embeddings }) =>
        embeddings.some(({ embedding }) => kindOf(embedding) !== "dense"),
      );
      if (foreign.length > 0 && immodesty !== "keeps sparse vectors") {
        if (immodesty === "takes part of a batch")
          await inner.replace(into, { ...write, chunks: entries.filter((entry) => !foreign.includes(entry)) });
        unsupported("sparse vectors");
      }
      return inner.replace(into, write);
    },
    async session(...asked) {
      await inner.session(...asked);
      return session(...asked);
    },
  };
}

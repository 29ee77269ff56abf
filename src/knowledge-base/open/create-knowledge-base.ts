import { createGate, operator, systemAuthority } from "../../access/gate.ts";
import type { Embedder, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createPlatformClock } from "../../runtime/platform-clock.ts";
import { createModelCheck } from "../check-models.ts";
import { createView } from "../create-view.ts";
import { createObserver } from "../operations/observer.ts";
import type { KnowledgeBaseParts } from "../parts.ts";
import { forgetEmbeddings } from "../reembed/forget-embeddings.ts";
import { rememberVersions } from "../remember-versions.ts";
import { createSettler } from "../settle-later.ts";

/**
 * Makes the gate, the observer and the settler, and hands them to the views. No other module of `src` makes a gate.
 *
 * **Shape** the operator's view; `as` gives other callers theirs over the same parts.
 */
export function createKnowledgeBase(given: KnowledgeBaseParts): KnowledgeBase {
  const observer = createObserver(given);
  const gate = createGate(given.access);
  const { embedder, formerEmbedders = [], reranker } = given;
  const store = forgetEmbeddings(
    given.store,
    gate,
    embedder === undefined ? formerEmbedders : [embedder, ...formerEmbedders],
  );
  const settler = createSettler(store, createPlatformClock({ staysFor: false }));
  const parts: KnowledgeBaseParts = {
    ...given,
    store,
    embedder: embedder && observer.embedder(embedder),
    reranker: typeof reranker === "object" ? observer.reranker(reranker) : reranker,
  };
  const embedBare = async (model: EmbeddingModel): Promise<Embedder> =>
    (await import("../../models/embedder/create-embedder.ts")).createEmbedder(model, { secret: store.secret });

  let closing: Promise<void> | undefined;
  return createView(
    {
      ...parts,
      gate,
      authority: systemAuthority(),
      observer,
      settler,
      modelCheck: createModelCheck(given, store, () => settler.later()),
      searched: rememberVersions(store, embedder, formerEmbedders),
      watched: { ...parts, store: observer.store(store) },
      reembedded: new Set(),
      embedOwn: async (model) => observer.embedder(await (given.embed ?? embedBare)(model)),
      checkOpen() {
        if (closing === undefined) return;
        throw new IbidError("store-closed", "This knowledge base is closed.", { hint: "Open it again." });
      },
      async close(how = {}) {
        checkOptions("close", how, { settle: true });
        await (closing ??= Promise.all([
          settler.done(how).then(() => store.close(how)),
          observer.close().then(given.closeEvents),
          given.closeReaders?.(),
        ]).then(() => {}));
      },
    },
    operator,
  );
}

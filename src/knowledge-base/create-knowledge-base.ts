import { type Caller, createGate, operator, systemAuthority } from "../access/gate.ts";
import { isSameCaller, readCaller } from "../access/callers.ts";
import { checkStrategy, chooseScopes } from "../access/scope-strategy.ts";
import { homeScope, parseScope } from "../access/scopes.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { AskOptions } from "../contracts/answer.ts";
import type { ChatModel } from "../contracts/chat.ts";
import type { Embedder, EmbeddingModel } from "../contracts/embedding-model.ts";
import { IbidError } from "../contracts/errors.ts";
import type { EventStore } from "../contracts/event-store.ts";
import type { IngestInput, IngestOptions, KnowledgeBase, ViewOptions } from "../contracts/knowledge-base.ts";
import type { ReembedOptions } from "../contracts/reembedding.ts";
import type { Reranker, Retriever, RetrieverParts, SearchOptions, WrapRetriever } from "../contracts/retriever.ts";
import type { AccessContext, AccessPolicy, AuthorizedScopes, Scope, ScopeStrategy } from "../contracts/scope.ts";
import type { Telemetry } from "../contracts/telemetry.ts";
import type { Tracer } from "../contracts/tracer.ts";
import { ingestArrivals } from "../ingest/ingest.ts";
import { ingestOptions } from "../ingest/ingest-options.ts";
import type { IngestStages } from "../ingest/stages.ts";
import { type OpenSource, toArrivals } from "../ingest/to-arrivals.ts";
import { planOptions } from "../runtime/plan-options.ts";
import { searchOptions } from "../search/search-options.ts";
import { askOptions } from "./asking/ask-options.ts";
import { createRetriever } from "../search/create-retriever.ts";
import { withStructure } from "./with-structure.ts";
import { checkQuery, defaultMaxQueryLength } from "../search/search-plan.ts";
import { forgetEmbeddings } from "./reembed/forget-embeddings.ts";
import { createObserver } from "./operations/observer.ts";
import { checkReembedOptions } from "./reembed/check-reembed-options.ts";
import { checkCharset } from "../text/charsets/check-charset.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { createCollections } from "./collections.ts";
import { createRun } from "../runtime/create-run.ts";
import { toMetadata } from "../runtime/to-json.ts";
import { createCatalogue } from "./catalogue.ts";
import { createKeeping, type KeepingParts } from "./keeping.ts";
import { createSettler } from "./settle-later.ts";

/** Everything a knowledge base is made of, already chosen. `openKnowledgeBase` chooses for those who do not want to. */
export interface KnowledgeBaseParts extends IngestStages {
  readonly analyzer: Analyzer;
  /** Puts around a model that a collection brings what is around the knowledge base's own. Default: checks and batches, without a cache. */
  readonly embed?: ((model: EmbeddingModel) => Embedder | Promise<Embedder>) | undefined;
  /** Default: the built-in retriever over the store, the embedder and the reranker. A function is given that one, to make another around it. */
  readonly retriever?: Retriever | WrapRetriever | undefined;
  readonly reranker?: Reranker | "proximity" | undefined;
  readonly chatModel?: ChatModel | undefined;
  readonly judge?: ChatModel | undefined;
  readonly tracer?: Tracer | undefined;
  readonly telemetry?: Telemetry | undefined;
  /** Where events are written; closed by whoever opened it. Default: nowhere. */
  readonly events?: EventStore | undefined;
  /** By which events are dated. **Units** milliseconds since 1970. Default: the machine's clock. */
  readonly now?: (() => number) | undefined;
  readonly access?: AccessPolicy | undefined;
  readonly openSource?: OpenSource | undefined;
  /** A path as a person types it, to the uri it was ingested under. Default: as it is. */
  readonly resolveUri?: ((uri: string) => string) | undefined;
  /** Ends what the readers hold, when the knowledge base is closed. */
  readonly closeReaders?: (() => Promise<void>) | undefined;
  /** Ends what the events are written to, when the last of them is. */
  readonly closeEvents?: (() => Promise<void>) | undefined;
}

/**
 * Joins pipeline and services behind few verbs. This is where every caller meets the gate: nothing below is reached without its proof.
 *
 * **Shape** the operator's view; `as` gives everybody else theirs over the same parts.
 */
export function createKnowledgeBase(given: KnowledgeBaseParts): KnowledgeBase {
  const observer = createObserver(given);
  const { embedder, formerEmbedders = [] } = given;
  const gate = createGate(given.access);
  const store = forgetEmbeddings(
    given.store,
    gate,
    embedder === undefined ? formerEmbedders : [embedder, ...formerEmbedders],
  );
  const parts: KnowledgeBaseParts = {
    ...given,
    store,
    embedder: given.embedder && observer.embedder(given.embedder),
    reranker: typeof given.reranker === "object" ? observer.reranker(given.reranker) : given.reranker,
  };
  const watched: KnowledgeBaseParts = { ...parts, store: observer.store(store) };
  const authority = systemAuthority();
  const settler = createSettler(store);
  /** Where a re-embedding is under way here. */
  const reembedded = new Set<Scope>();
  async function* reembed(proofs: () => Promise<readonly AuthorizedScopes<"write">[]>, options: ReembedOptions) {
    const { reembedScopes } = await import("./reembed/reembed.ts");
    return yield* reembedScopes(parts, reembedded, proofs, options);
  }
  let closing: Promise<void> | undefined;

  const checkOpen = (): void => {
    if (closing !== undefined)
      throw new IbidError("store-closed", "This knowledge base is closed.", { hint: "Open it again." });
  };
  const embedBare = async (model: EmbeddingModel): Promise<Embedder> =>
    (await import("../models/embedder/create-embedder.ts")).createEmbedder(model, { secret: store.secret });
  const embed = async (model: EmbeddingModel): Promise<Embedder> =>
    observer.embedder(await (parts.embed ?? embedBare)(model));
  /** By the knowledge base's own models, or by one of a collection's. */
  const builtInFor = (who: AccessContext | "operator", by?: Embedder): Retriever =>
    createRetriever({
      store,
      embedder: by ?? parts.embedder,
      formerEmbedders: by === undefined ? parts.formerEmbedders : [],
      reranker: parts.reranker,
      tracer: observer.tracer,
      analyzer: parts.analyzer,
      secret: store.secret,
      access: who,
    });
  // Two readings, and only for what the gate let through: whoever makes a retriever is not handed a store to write to.
  const documents: RetrieverParts["documents"] = {
    document: (scopes, id) => store.document(scopes, id),
    chunks: (scopes, options) => store.chunks(scopes, options),
  };
  const retrieverFor = (who: AccessContext | "operator"): Retriever => {
    const { retriever, analyzer, chatModel: model } = parts;
    if (retriever === undefined) return observer.retriever(withStructure(store, builtInFor(who)));
    const made =
      typeof retriever === "function" ? retriever(builtInFor(who), { documents, analyzer, model }) : retriever;
    if (typeof made?.retrieve !== "function") {
      throw new IbidError("invalid-argument", "retriever makes something that cannot retrieve.", {
        hint: "Give a retriever, or a function from the built-in one to another: (base) => diversify(base).",
      });
    }
    return observer.retriever(withStructure(store, withinScopes(made)));
  };

  const view = (caller: Caller, strategy?: ScopeStrategy): KnowledgeBase => {
    const who = caller === operator ? "operator" : caller;
    const retriever = retrieverFor(who);
    // What the cache had tells what others wrote.
    const stages: KnowledgeBaseParts = caller === operator ? watched : { ...watched, counts: "needed" };
    const readable = async (requested?: readonly Scope[]): Promise<AuthorizedScopes> => {
      checkOpen();
      // Only the operator's "every scope" depends on which there are.
      const existing = caller === operator ? await store.scopes(authority) : [];
      return gate.read(caller, existing, requested);
    };
    /** Where a search or a question looks: what it names, else what the view was made with. */
    const searched = async (scopes: readonly Scope[] | undefined, asked: ScopeStrategy | undefined) => {
      const chosen = asked ?? (scopes === undefined ? strategy : undefined);
      if (chosen === undefined) return readable(scopes);
      const named = await chooseScopes(chosen, who, (await readable(scopes)).scopes);
      return readable(named);
    };
    const keepingParts: KeepingParts = {
      store,
      gate,
      caller,
      authority,
      readable,
      resolveUri: parts.resolveUri,
      embedder: parts.embedder,
      isReembedding: (scope) => reembedded.has(scope),
    };
    const keeping = { ...createCatalogue(keepingParts), ...createKeeping(keepingParts) };
    const writable = async (scope: Scope | undefined): Promise<readonly AuthorizedScopes<"write">[]> => {
      const scopes = scope === undefined ? gate.writable(caller, (await readable()).scopes) : [scope];
      return scopes.map((one) => gate.write(caller, one));
    };

    return {
      ingest(input: IngestInput, options: IngestOptions = {}) {
        planOptions("ingest", ingestOptions, options);
        const scope = parseScope(options.scope ?? homeScope(caller === operator ? undefined : caller));
        const into = gate.write(caller, scope);
        const arrivals = toArrivals(input, parts.openSource, {
          ...options.folders,
          ...(options.onSkip && { onSkip: options.onSkip }),
        });
        const metadata = toMetadata(options.metadata, "ingest");
        return createRun(() => {
          checkOpen();
          const { signal, onProgress } = options;
          const run = ingestArrivals(stages, {
            arrivals,
            scope,
            into,
            from: gate.read(caller, [scope], [scope]),
            metadata,
            origin: options.origin ?? "user-content",
            password: options.password,
            charset: checkCharset(options.charset),
            sweep: options.sweep ?? true,
            refresh: options.refresh,
            signal,
            onProgress,
            onEmbedding: options.onEmbedding,
            async settle(onFit) {
              if (options.settle === true) await settler.now({ signal, onProgress: onFit });
              else settler.later();
            },
          });
          return observer.ingestion(scope, run);
        });
      },

      async search(query: string, options: SearchOptions = {}) {
        planOptions("search", searchOptions, options);
        const { scopes, strategy: asked, ...rest } = options;
        return await retriever.retrieve(await searched(scopes, asked), query, rest);
      },

      ask(question: string, options: AskOptions = {}) {
        planOptions("ask", askOptions, options);
        const { chatModel: model, judge, analyzer, prices } = parts;
        const asking = { retriever, store, model, judge, analyzer, prices };
        const { scopes, strategy: asked, ...rest } = options;
        // Whoever leaves the run stops the model, which may be in the midst of thinking.
        const left = new AbortController();
        const signal = rest.signal === undefined ? left.signal : AbortSignal.any([rest.signal, left.signal]);
        return createRun(
          async function* () {
            // A page that only searches need not load what answers.
            const { askQuestion } = await import("./asking/ask.ts");
            return yield* askQuestion(asking, await searched(scopes, asked), question, { ...rest, signal });
          },
          () => left.abort(),
        );
      },

      ...createCollections({
        store,
        stages,
        gate,
        caller,
        readable,
        retriever,
        deleteDocument: keeping.delete,
        retrieverBy: (by) => observer.retriever(withStructure(store, builtInFor(who, by))),
        embed,
        watch: (scope, run) => observer.ingestion(scope, run),
        settleLater: () => settler.later(),
      }),
      ...keeping,

      async health(options = {}) {
        checkOptions("health", options, ["everywhere"]);
        checkOpen();
        // What others search for, and how often, is nobody's business but the operator's.
        if (caller !== operator) {
          throw new IbidError("access-denied", "Only the operator may see how the knowledge base is doing.", {
            hint: "Call health() on the knowledge base itself; at a terminal, leave out --as-user and --as-team.",
          });
        }
        return observer.health(options);
      },

      report(name, scopes, data) {
        if (caller !== operator) {
          throw new IbidError("access-denied", "Only the operator may report events.", {
            hint: "Call report() on the knowledge base itself, not on a caller's view.",
          });
        }
        observer.report(name, scopes, data);
      },

      reembed(options: ReembedOptions = {}) {
        checkReembedOptions(options);
        return createRun(() => {
          checkOpen();
          return observer.reembedding(reembed(() => writable(options.scope), options));
        });
      },

      as(context: AccessContext, options: ViewOptions = {}) {
        checkOptions("as", context, ["userId", "teamId", "teams"]);
        checkOptions("as", options, ["strategy"]);
        if (options.strategy !== undefined) checkStrategy(options.strategy);
        return view(within(caller, readCaller(context)), options.strategy ?? strategy);
      },

      close,
      [Symbol.asyncDispose]: close,
    };
  };

  function close(): Promise<void> {
    return (closing ??= Promise.all([
      settler.done().then(() => store.close()),
      observer.close().then(parts.closeEvents),
      parts.closeReaders?.(),
    ]).then(() => {}));
  }

  return view(operator);
}

/** A caller can become somebody else only where the operator says so: a view of Ada's is Ada's for good. */
function within(caller: Caller, context: AccessContext): AccessContext {
  if (caller === operator) return context;
  if (isSameCaller(caller, context)) return caller;
  throw new IbidError("access-denied", "A caller's view cannot become another caller's.", {
    hint: "Call as() on the knowledge base itself.",
  });
}

/** Somebody else's retriever is trusted to rank, not to decide who may read nor how much a model is asked: what it finds elsewhere is left out. */
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

import { type Caller, createGate, operator, systemAuthority } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { AskOptions } from "../contracts/answer.ts";
import type { ChatModel } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { IngestInput, IngestOptions, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Reranker, Retriever, SearchOptions } from "../contracts/retriever.ts";
import type { AccessContext, AccessPolicy, AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { Tracer } from "../contracts/tracer.ts";
import { ingestChunks } from "../pipeline/ingest-chunks.ts";
import { ingestDocuments } from "../pipeline/ingest.ts";
import type { IngestStages } from "../pipeline/stages.ts";
import { createRetriever } from "../retrieval/create-retriever.ts";
import { retrieveOptionNames } from "../retrieval/search-plan.ts";
import { checkOptions } from "../text/check-options.ts";
import { createCatalogue } from "./catalogue.ts";
import { createRun } from "./create-run.ts";
import { type OpenSource, sortInput } from "./ingest-items.ts";
import { createKeeping, type KeepingParts } from "./keeping.ts";
import { createSettler } from "./settle-later.ts";

/** Everything a knowledge base is made of, already chosen. `openKnowledgeBase` chooses for those who do not want to. */
export interface KnowledgeBaseParts extends IngestStages {
  readonly analyzer: Analyzer;
  /** Default: the built-in retriever over the store, the embedder and the reranker. */
  readonly retriever?: Retriever | undefined;
  readonly reranker?: Reranker | "proximity" | undefined;
  readonly chatModel?: ChatModel | undefined;
  readonly tracer?: Tracer | undefined;
  readonly access?: AccessPolicy | undefined;
  readonly openSource?: OpenSource | undefined;
  /** A path as a person types it, to the uri it was ingested under. Default: as it is. */
  readonly resolveUri?: ((uri: string) => string) | undefined;
  /** Ends what the readers hold, when the knowledge base is closed. */
  readonly closeReaders?: (() => Promise<void>) | undefined;
}

const ingestOptions = [
  "scope",
  "metadata",
  "origin",
  "password",
  "sweep",
  "refresh",
  "folders",
  "settle",
  "signal",
  "onProgress",
] as const;
const searchOptions = [...retrieveOptionNames, "scopes"];
const askOptions = [...searchOptions.filter((name) => name !== "includeEmbeddings"), "grounding"] as const;

/**
 * Joins pipeline and services behind few verbs. This is where every caller meets the gate: nothing below is reached without its proof.
 *
 * **Shape** the operator's view; `as` gives everybody else theirs over the same parts.
 */
export function createKnowledgeBase(parts: KnowledgeBaseParts): KnowledgeBase {
  const gate = createGate(parts.access);
  const authority = systemAuthority();
  const { store } = parts;
  const settler = createSettler(store);
  let closing: Promise<void> | undefined;

  const checkOpen = (): void => {
    if (closing !== undefined)
      throw new IbidError("store-closed", "This knowledge base is closed.", { mend: "Open it again." });
  };
  const retrieverFor = (caller: Caller): Retriever =>
    parts.retriever ??
    createRetriever({
      store,
      embedder: parts.embedder,
      reranker: parts.reranker,
      tracer: parts.tracer,
      analyzer: parts.analyzer,
      secret: store.secret,
      access: caller === operator ? "operator" : caller,
    });

  const view = (caller: Caller): KnowledgeBase => {
    const retriever = retrieverFor(caller);
    const readable = async (requested?: readonly Scope[]): Promise<AuthorizedScopes> => {
      checkOpen();
      // Only the operator's "every scope" depends on which there are.
      const existing = caller === operator ? await store.scopes(authority) : [];
      return gate.read(caller, existing, requested);
    };
    const { resolveUri, embedder } = parts;
    const shared: KeepingParts = { store, gate, caller, authority, readable, resolveUri, embedder };

    return {
      ingest(input: IngestInput, options: IngestOptions = {}) {
        checkOptions("ingest", options, ingestOptions);
        const scope = parseScope(options.scope ?? homeScope(caller));
        const into = gate.write(caller, scope);
        const sorted = sortInput(input, parts.openSource, options.folders);
        const metadata = options.metadata ?? {};
        return createRun(() => {
          checkOpen();
          const { signal, onProgress } = options;
          const settle = async (onFit: (share: number) => void): Promise<void> => {
            if (options.settle === true) await settler.now({ signal, onProgress: onFit });
            else settler.later();
          };
          const job = { scope, into, metadata, signal, onProgress, settle };
          if (sorted.kind === "chunks") return ingestChunks(parts, { ...job, chunks: sorted.chunks });
          return ingestDocuments(parts, {
            ...job,
            items: sorted.items,
            changes: sorted.changes,
            get folders() {
              return sorted.folders;
            },
            has: sorted.has,
            from: gate.read(caller, [scope], [scope]),
            origin: options.origin ?? "user-content",
            password: options.password,
            sweep: options.sweep ?? true,
            refresh: options.refresh,
          });
        });
      },

      async search(query: string, options: SearchOptions = {}) {
        checkOptions("search", options, searchOptions);
        const { scopes, ...rest } = options;
        return await retriever.retrieve(await readable(scopes), query, rest);
      },

      ask(question: string, options: AskOptions = {}) {
        checkOptions("ask", options, askOptions);
        const stages = { retriever, store, model: parts.chatModel, analyzer: parts.analyzer };
        const { scopes, ...rest } = options;
        return createRun(async function* () {
          // A page that only searches need not load what answers.
          const { askQuestion } = await import("../pipeline/ask.ts");
          return yield* askQuestion(stages, await readable(scopes), question, rest);
        });
      },

      ...createCatalogue(shared),
      ...createKeeping(shared),

      as(context: AccessContext) {
        checkOptions("as", context, ["userId", "teamId"]);
        return view(within(caller, context));
      },

      close,
      [Symbol.asyncDispose]: close,
    };
  };

  function close(): Promise<void> {
    return (closing ??= Promise.all([settler.done().then(() => store.close()), parts.closeReaders?.()]).then(() => {}));
  }

  return view(operator);
}

/** A caller can become somebody else only where the operator says so: a view of Ada's is Ada's for good. */
function within(caller: Caller, context: AccessContext): AccessContext {
  if (caller === operator) return { ...context };
  const same = caller.userId === context.userId && caller.teamId === context.teamId;
  if (same) return caller;
  throw new IbidError("access-denied", "A caller's view cannot be turned into somebody else's.", {
    mend: "Call as() on the knowledge base itself.",
  });
}

function homeScope(caller: Caller): Scope {
  if (caller === operator) return "deployment";
  if (caller.teamId !== undefined) return `team:${caller.teamId}`;
  if (caller.userId !== undefined) return `user:${caller.userId}`;
  return "deployment";
}

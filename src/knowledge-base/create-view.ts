import { isSameCaller, readCaller } from "../access/callers.ts";
import { type Caller, mayWrite, operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import { checkStrategy, chooseScopes } from "../access/scope-strategy.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase, ViewOptions } from "../contracts/knowledge-base.ts";
import type { SearchMode } from "../contracts/retriever.ts";
import type { ReembedOptions } from "../contracts/reembedding.ts";
import type { AccessContext, AuthorizedScopes, Scope, ScopeStrategy } from "../contracts/scope.ts";
import { checkGiven, checkOptions, checkText } from "../runtime/check-options.ts";
import { createRun } from "../runtime/create-run.ts";
import { createCatalogue } from "./catalogue.ts";
import { builtInRetriever, chooseRetriever } from "./choose-retriever.ts";
import { createCollections } from "./collections.ts";
import type { Freshness, KeepingParts, OpenPast, SharedParts, ViewScopes } from "./parts.ts";
import { servedModes } from "../search/search-session.ts";
import { checkEvents } from "../stores/memory/check-events.ts";
import { noteListed } from "../stores/compose/asked-state.ts";
import { handRetriever } from "./hand-retriever.ts";
import { createVerbs } from "./verbs.ts";

const everyMode: readonly SearchMode[] = ["hybrid", "dense", "lexical", "regex"];

/** The knowledge base as one caller sees it. Every verb asks the gate first. */
export function createView(parts: SharedParts, caller: Caller, strategy?: ScopeStrategy): KnowledgeBase {
  const { store, gate, authority, observer, checkOpen, close } = parts;
  const scopes = createScopes(parts, caller, strategy);
  const { access, readable } = scopes;
  const retriever = chooseRetriever(parts, access);
  const hasModel = parts.embedder !== undefined || parts.imageEmbedder !== undefined;
  // Counts of embedded texts follow the need, not the cache: the cache shows what others have written.
  const stages = caller === operator ? parts.watched : { ...parts.watched, counts: "needed" as const };
  const past: OpenPast = async (request) =>
    createView(await (await import("./past.ts")).openPast(parts, scopes, request), caller, strategy);
  const keepingParts: KeepingParts = {
    store,
    gate,
    caller,
    authority,
    readable,
    resolveUri: parts.resolveUri,
    embedder: parts.embedder,
    isReembedding: (scope) => parts.reembedded.has(scope),
    modelCheck: parts.modelCheck,
    past,
  };
  /** A page that only ingests and searches does not load the verbs about deleting and keeping. */
  const keeping = async () => (await import("./keeping.ts")).createKeeping(keepingParts);
  const media = async () => (await import("./keep-media.ts")).createMedia(keepingParts, parts.blobs);
  const finding = async () => (await import("./find-chunks.ts")).createFinding({ ...parts, readable, past });
  /** A fit that is made of what is gone, or lacks what came back, is made anew. Nothing is gone for good where `options` name no purge. */
  async function keep<Result>(
    verb: (by: Awaited<ReturnType<typeof keeping>>) => Promise<Result>,
    options: { readonly purge?: boolean | undefined } = { purge: true },
  ): Promise<Result> {
    const done = await verb(await keeping());
    parts.settler.later();
    if (parts.holdsMedia?.() === true) await (await media()).sweep();
    const isFinal = options.purge === true || store.trash === undefined;
    const kept = isFinal ? await parts.openKept?.() : undefined;
    if (kept !== undefined) await (await media()).sweepKept(kept);
    return done;
  }
  const deleteDocuments: KnowledgeBase["delete"] = (target, options) =>
    keep((by) => by.delete(target, options), options ?? {});

  const verbs = createVerbs(parts, scopes, retriever, stages, past);

  return {
    ...verbs,
    retriever: (options) => handRetriever(verbs.search, options),
    ...createCollections({
      store,
      stages,
      gate,
      caller,
      authority,
      readable,
      retriever,
      deleteDocument: deleteDocuments,
      retrieverBy: (by, metric) => builtInRetriever(parts, access, by, metric),
      embed: parts.embedOwn,
      watch: (scope, run) => observer.ingestion(scope, run),
      settleLater: () => parts.settler.later(),
      metric: parts.metric,
      engine: parts.engine,
    }),
    ...createCatalogue(keepingParts),
    modes: parts.retriever === undefined ? servedModes(Object.keys(store.capabilities.legs), hasModel) : everyMode,
    media: async (uri, address) => (await media()).read(uri, address),
    find: async (options) => (await finding()).find(options),
    searchVector: async (vector, options) => (await finding()).searchVector(vector, options),
    delete: deleteDocuments,
    restore: (uri, address) => keep((by) => by.restore(uri, address), {}),
    versions: async (uri, address) => (await keeping()).versions(uri, address),
    async *deleted() {
      yield* (await keeping()).deleted();
    },
    vacuum: async (options) => {
      const vacuumed = await keep((by) => by.vacuum(options));
      observer.report("KnowledgeVacuumCompleted", [], { chunks: vacuumed.chunks });
      return vacuumed;
    },
    reset: (scope) => keep((by) => by.reset(scope)),
    doctor: async (options) => (await keeping()).doctor(options),
    native: async (name) => (await keeping()).native(name),
    async *chunks(options) {
      yield* (await keeping()).chunks(options);
    },

    async health(options = {}) {
      checkOptions("health", options, { everywhere: true });
      checkOpen();
      checkOperator(
        caller,
        "see how the knowledge base is doing",
        "Call health() on the knowledge base itself; at a terminal, leave out --as-user and --as-team.",
      );
      return observer.health(options);
    },

    async *events(filter) {
      checkOpen();
      checkOperator(caller, "read events", "Call events() on the knowledge base itself, not on a caller's view.");
      yield* observer.read(filter);
    },

    mayWrite: (scope) => mayWrite(caller, parseScope(scope)),

    report(name, where, data) {
      checkOperator(caller, "report events", "Call report() on the knowledge base itself, not on a caller's view.");
      checkText("report", "name", name);
      checkGiven("report", "scopes", where, "list");
      checkGiven("report", "data", data, "object");
      checkEvents([{ name, at: 0 }]);
      observer.report(name, where.map(parseScope), data);
    },

    reembed(options: ReembedOptions = {}) {
      return createRun(async function* () {
        const { checkReembedOptions, reembedScopes } = await import("./reembed/reembed.ts");
        // A wrong option rejects the run, so that `catch` sees it.
        checkReembedOptions(options);
        checkOpen();
        const proofs = () => scopes.writable(options.scope);
        return yield* observer.reembedding(reembedScopes(parts, parts.reembedded, proofs, options));
      });
    },

    as(context: AccessContext, options: ViewOptions = {}) {
      // Without a context there is no caller, and the view would be the operator's.
      checkOptions("as", context ?? null, { userId: true, teamId: true, teams: true });
      checkOptions("as", options, { strategy: true });
      if (options.strategy !== undefined) checkStrategy(options.strategy);
      return createView(parts, within(caller, readCaller(context)), options.strategy ?? strategy);
    },

    async ready(options = {}) {
      checkOptions("ready", options, { signal: true });
      checkOpen();
      await store.ready(options.signal);
    },

    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function createScopes(parts: SharedParts, caller: Caller, strategy: ScopeStrategy | undefined): ViewScopes {
  const { store, gate, authority, checkOpen } = parts;
  const access = caller === operator ? "operator" : caller;
  const readable = async (requested?: readonly Scope[]): Promise<AuthorizedScopes> => {
    checkOpen();
    // Only the operator's "every scope" depends on which scopes hold something.
    const isEvery = caller === operator && requested === undefined;
    const proof = gate.read(caller, isEvery ? await store.scopes(authority) : [], requested);
    return isEvery ? noteListed(proof) : proof;
  };
  /** The operator's scopes, as of a state that is as fresh as the search asks for. One that is not listed would not be searched. */
  async function everyScope({ after, atMostMs, consistency }: Freshness): Promise<AuthorizedScopes> {
    checkOpen();
    const listed = await store.scopes(authority, consistency === undefined ? atMostMs : 0);
    const named = [after ?? []].flat().map(({ scope }) => scope);
    return gate.read(operator, [...new Set([...listed, ...named])].toSorted());
  }
  return {
    caller,
    access,
    readable,
    async searched(requested, asked, freshness = {}) {
      const chosen = asked ?? (requested === undefined ? strategy : undefined);
      const isEvery = caller === operator && requested === undefined;
      const found = isEvery ? await everyScope(freshness) : await readable(requested);
      const within = chosen === undefined ? found : await readable(await chooseScopes(chosen, access, found.scopes));
      return isEvery ? noteListed(within) : within;
    },
    async writable(scope) {
      const wanted = scope === undefined ? gate.writable(caller, (await readable()).scopes) : [scope];
      return wanted.map((one) => gate.write(caller, one));
    },
  };
}

/** **Errors** `access-denied` for another caller than the view's own: only the operator turns into callers. */
function within(caller: Caller, context: AccessContext): AccessContext {
  if (caller === operator) return context;
  if (isSameCaller(caller, context)) return caller;
  throw new IbidError("access-denied", "A caller's view cannot become another caller's.", {
    hint: "Call as() on the knowledge base itself.",
  });
}

/** **Errors** `access-denied`. */
function checkOperator(caller: Caller, deed: string, hint: string): void {
  if (caller !== operator) throw new IbidError("access-denied", `Only the operator may ${deed}.`, { hint });
}

import { operator } from "../access/gate.ts";
import { homeScope, parseScope } from "../access/scopes.ts";
import type { AskOptions } from "../contracts/answer.ts";
import { IbidError } from "../contracts/errors.ts";
import type { IngestInput, IngestOptions, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { VerifyOptions } from "../contracts/verification.ts";
import type {
  Hit,
  RetrieveOptions,
  Retriever,
  SearchMode,
  SearchOptions,
  SearchWarning,
} from "../contracts/retriever.ts";
import { ingestOptions } from "../ingest/ingest-options.ts";
import { ingestArrivals } from "../ingest/ingest.ts";
import type { IngestStages } from "../ingest/stages.ts";
import { toArrivals } from "../ingest/to-arrivals.ts";
import { createRun } from "../runtime/create-run.ts";
import { planOptions } from "../runtime/plan-options.ts";
import { toMetadata } from "../runtime/to-json.ts";
import { groupHits } from "../search/group-hits.ts";
import { searchOptions } from "../search/search-options.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { askOnce } from "../stores/compose/asked-state.ts";
import { notePrefix } from "../text/note-timeline.ts";
import { checkCharset } from "../text/charsets/check-charset.ts";
import type { Observer } from "./operations/observer.ts";
import type { OpenPast, SharedParts, ViewScopes } from "./parts.ts";
import { withPrefixes } from "./with-prefixes.ts";
import { anySignal } from "../runtime/abort.ts";

/** The verbs that most programs call: ingest, search, ask, and verify. */
export function createVerbs(
  parts: SharedParts,
  { caller, searched }: ViewScopes,
  retriever: Retriever,
  stages: IngestStages,
  past: OpenPast,
): Pick<KnowledgeBase, "ingest" | "search" | "ask" | "verify"> {
  const { store, gate, observer, settler, checkOpen, modelCheck } = parts;
  return {
    ingest(input: IngestInput, options: IngestOptions = {}) {
      return createRun(async function* () {
        // A wrong option or input rejects the run, so that `catch` sees it.
        planOptions("ingest", ingestOptions, options);
        const scope = parseScope(options.scope ?? homeScope(caller === operator ? undefined : caller));
        const into = gate.write(caller, scope);
        const arrivals = toArrivals(
          input,
          parts.openSource,
          { ...options.folders, onSkip: options.onSkip },
          options.ids,
          options.scope === undefined ? scope : undefined,
        );
        const metadata = toMetadata(options.metadata, "ingest");
        checkOpen();
        await store.ready(options.signal);
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
          onSkip: options.onSkip,
          onInvalid: options.onInvalid,
          onFailedBatch: options.onFailedBatch,
          onBatchFailed: (documentIds, error) => reportFailed(observer, scope, documentIds, error),
          async settle(onFit) {
            if (options.settle === true) await settler.now({ signal, onProgress: onFit });
            else settler.later();
          },
        });
        return yield* observer.ingestion(scope, run);
      });
    },

    async search(query: string, options: SearchOptions = {}) {
      planOptions("search", searchOptions, options);
      const { asOf, ...present } = options;
      if (asOf !== undefined) return (await past({ ...present, asOf })).search(query, present);
      const { scopes, strategy, groupBy, scores, marks = true, ...rest } = withPrefixes(parts, present);
      const within = await searched(scopes, strategy, rest);
      const warnings = await modelCheck.forSearch(within, modeOf(rest));
      const found = await retriever.retrieve(within, query, rest);
      const given = marks ? await markNotes(parts, within, found) : found;
      const hits = scores === "unit" ? given.map((hit) => ({ ...hit, score: toUnit(hit.score, modeOf(rest)) })) : given;
      const warned = hits.length > 0 ? warnings : [...warnings, ...(await modelCheck.forNothing(within, modeOf(rest)))];
      return addToHits(hits, warned, groupBy !== undefined);
    },

    ask(question: string, options: AskOptions = {}) {
      const { chatModel: model, judge, answerLimits, analyzer, prices } = parts;
      // Leaving the run stops the model.
      const left = new AbortController();
      return createRun(
        async function* () {
          // A page that only searches does not load the parts for answers.
          const [{ askOptions }, { askQuestion }] = await Promise.all([
            import("./asking/ask-options.ts"),
            import("./asking/ask.ts"),
          ]);
          // A wrong option rejects the run, so that `catch` sees it.
          planOptions("ask", askOptions, options);
          const { asOf, ...present } = options;
          const { scopes, strategy, marks = true, ...rest } = withPrefixes(parts, present);
          const signal = rest.signal === undefined ? left.signal : anySignal([rest.signal, left.signal]);
          if (asOf !== undefined) {
            const run = (await past({ ...present, asOf, signal })).ask(question, { ...present, signal });
            yield* run;
            return await run;
          }
          const within = await searched(scopes, strategy, rest);
          const warnings = await modelCheck.forSearch(within, modeOf(rest));
          const marking: Retriever = {
            retrieve: async (...call) => markNotes(parts, call[0], await retriever.retrieve(...call)),
          };
          const asking = {
            retriever: marks ? marking : retriever,
            store,
            model,
            judge,
            answerLimits,
            analyzer,
            prices,
            warnings,
          };
          return yield* askQuestion(asking, within, question, { ...rest, signal });
        },
        () => left.abort(),
      );
    },

    async verify(answer: string | object, options: VerifyOptions = {}) {
      const [{ verifyOptions }, { verifyAnswer }] = await Promise.all([
        import("./asking/verify-options.ts"),
        import("./asking/verify.ts"),
      ]);
      planOptions("verify", verifyOptions, options);
      const { judge, answerLimits, analyzer, prices, resolveUri } = parts;
      const { scopes, strategy, ...rest } = options;
      const within = await searched(scopes, strategy);
      // The call reads its citations one by one, and asks once for the newest state.
      await askOnce(store, within);
      const warnings = await modelCheck.forSearch(within, "hybrid");
      const mark = (hits: readonly Hit[]) => markNotes(parts, within, hits);
      const stages = { retriever, store, judge, answerLimits, analyzer, prices, warnings, resolveUri, mark };
      return verifyAnswer(stages, within, answer, rest);
    },
  };
}

function reportFailed(observer: Observer, scope: Scope, documentIds: readonly string[], error: unknown): void {
  const code = IbidError.isInstance(error) ? error.code : "internal";
  for (const documentId of documentIds) observer.report("KnowledgeChunkFailed", [scope], { documentId, code });
}

/** Hits with their warnings and groups, where there are any. */
function addToHits(
  hits: readonly Hit[],
  warnings: readonly SearchWarning[],
  isGrouped: boolean,
): Awaited<ReturnType<KnowledgeBase["search"]>> {
  if (warnings.length === 0 && !isGrouped) return hits;
  return Object.assign([...hits], {
    ...(warnings.length > 0 && { warnings }),
    ...(isGrouped && { groups: groupHits(hits) }),
  });
}

/** Marks notes that hold no longer, by the notes of the present, also in a search of the past. */
async function markNotes(
  { store, present = store, now = platformNow }: SharedParts,
  scopes: AuthorizedScopes,
  hits: readonly Hit[],
): Promise<readonly Hit[]> {
  if (!hits.some(({ origin, source }) => origin === "note" && source.uri.startsWith(notePrefix))) return hits;
  const { markReplaced } = await import("./mark-replaced.ts");
  return markReplaced(present, scopes, hits, now());
}

function modeOf({ mode, syntax }: RetrieveOptions): SearchMode {
  return mode ?? (syntax === "lucene" ? "lexical" : "hybrid");
}

/** A score that a half of 1 stands for, by mode. **Source** Embabel: 3 for words. */
const halves: Readonly<Partial<Record<SearchMode, number>>> = { lexical: 3, regex: 1 };

function toUnit(score: number, mode: SearchMode): number {
  const positive = Math.max(0, score);
  const half = halves[mode];
  return half === undefined ? Math.min(1, positive) : positive / (positive + half);
}

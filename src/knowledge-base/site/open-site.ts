import { createGate } from "../../access/gate.ts";
import type { Answer } from "../../contracts/answer.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { askQuestion } from "../asking/ask.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { createRetriever } from "../../search/create-retriever.ts";
import { openPublishedStore } from "../../stores/published/published-store.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";

/**
 * Options of {@link openSite}.
 *
 * @experimental
 */
export interface OpenSiteOptions {
  /** Reads a file of the site's index by its name; `undefined` where there is none. A page calls `fetch`. */
  readonly read: (name: string) => Promise<Uint8Array | undefined>;
}

/**
 * The search of a site, as a page has it.
 *
 * @experimental
 */
export interface Site {
  /**
   * The best passage of each page, best page first.
   *
   * **Errors** `aborted`, and the errors of {@link openPublishedStore}.
   */
  search(query: string, options?: { readonly topK?: number; readonly signal?: AbortSignal }): Promise<readonly Hit[]>;
  /**
   * Passages of the best page that may answer, verbatim, with their places; refused where none is relevant.
   *
   * **Errors** as of `search`.
   */
  ask(question: string, options?: { readonly signal?: AbortSignal }): Promise<Answer>;
}

/**
 * Opens the index that {@link buildSite} has written. It needs no server beside the files.
 *
 * **Cost** the manifest once; then some files for each question.
 *
 * @experimental
 */
export async function openSite(options: OpenSiteOptions): Promise<Site> {
  checkGiven("openSite", "options", options, "object");
  checkOptions("openSite", options, { read: true });
  const store = await openPublishedStore({ read: options.read, perDocument: 1 });
  const analyzer = defaultAnalyzer;
  const retriever = createRetriever({ store, analyzer });
  const scopes = createGate().read({}, []);
  return {
    search(query, search = {}) {
      checkOptions("search", search, { topK: true, signal: true });
      return retriever.retrieve(scopes, query, search);
    },
    async ask(question, asking = {}) {
      checkOptions("ask", asking, { signal: true });
      // Passages of further pages would compete with those of the best one by their words alone.
      const run = askQuestion({ retriever, store, analyzer }, scopes, question, { ...asking, topK: 1 });
      for (;;) {
        const step = await run.next();
        if (step.done === true) return step.value;
      }
    },
  };
}

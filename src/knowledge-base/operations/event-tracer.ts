import { platformNow } from "../../runtime/platform-clock.ts";
import type { EventStore } from "../../contracts/event-store.ts";
import type { Tracer } from "../../contracts/tracer.ts";

/**
 * A tracer that does nothing, for those who must give one. **Source** ToolUp `NoOpRetrievalTracer`.
 *
 * @experimental
 */
export const noTracer: Tracer = Object.freeze({
  trace() {},
  miss() {},
});

const stream = "_platform.retrieval";

/**
 * Writes each retrieval into a store of events, as `KnowledgeRetrieved` and `KnowledgeRetrievalMiss` of the stream `_platform.retrieval`.
 *
 * **Shape** the event's scopes are the readable ones. **Units** `now` gives milliseconds since 1970; default: the machine's clock.
 * **Errors** errors of the store; a retriever lets none of them reach a search.
 * **Source** ToolUp `EventStoreRetrievalTracer`.
 *
 * @experimental
 */
export function createEventStoreTracer(store: Pick<EventStore, "append">, now: () => number = platformNow): Tracer {
  return {
    trace: (trace) =>
      store.append([{ name: "KnowledgeRetrieved", stream, at: now(), scopes: trace.permittedScopes, data: trace }]),
    miss: (scopes, queryHash, evidence, cause) =>
      store.append([
        {
          name: "KnowledgeRetrievalMiss",
          stream,
          at: now(),
          scopes,
          data: { queryHash, ...(evidence !== undefined && { evidence }), ...(cause && { cause }) },
        },
      ]),
  };
}

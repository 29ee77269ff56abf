import type { KnowledgeEvent } from "../contracts/event-store.ts";
import type { SpanStart, Telemetry } from "../contracts/telemetry.ts";

/** An event that another process saw, or a span that ended there. */
export type Measured =
  | { readonly event: KnowledgeEvent }
  | { readonly start: SpanStart; readonly seconds: number; readonly failed: boolean };

/** Time in which measures are gathered for one message. **Units** milliseconds. **Source** ibid's own choice. */
const gatherMs = 50;

/**
 * Observer of a process that searches for a service. The figures of the service then count its searches.
 *
 * **Shape** `send` gets the measures of a moment together, in their order, and without queries and filters.
 */
export function relayMeasures(send: (measured: readonly Measured[]) => void): Telemetry {
  let gathered: Measured[] = [];
  const add = (one: Measured): void => {
    gathered.push(one);
    if (gathered.length > 1) return;
    setTimeout(() => {
      const all = gathered;
      gathered = [];
      send(all);
    }, gatherMs);
  };
  return {
    span(start) {
      const started = performance.now();
      const told = start.operation === "retrieval" ? { ...start, query: "", filter: undefined } : start;
      return {
        within: (work) => work(),
        end: (outcome) =>
          add({ start: told, seconds: (performance.now() - started) / 1000, failed: "error" in outcome }),
      };
    },
    event: (event) => add({ event }),
  };
}

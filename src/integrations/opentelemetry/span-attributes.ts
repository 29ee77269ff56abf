import { IbidError } from "../../contracts/errors.ts";
import type { SpanEnd, SpanStart } from "../../contracts/telemetry.ts";
import type { Attributes } from "./load-api.ts";

/** **Source** OpenTelemetry API, `SpanKind`. */
const kinds = { internal: 0, client: 2 } as const;

/** Name, kind and attributes of a span at its start. */
export interface NamedSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
}

/**
 * Describes work under the names of the GenAI conventions, or under `ibid.` where they have none.
 *
 * **Shape** `rerank` is proposed for the conventions (their issue 253), and has their form; `ingest` is ibid's own.
 * **Source** open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md, "Embeddings" and "Retrievals" (status: Development).
 */
export function describeSpan(
  start: SpanStart,
  { dataSource, recordQueries }: { readonly dataSource: string | undefined; readonly recordQueries: boolean },
): NamedSpan {
  switch (start.operation) {
    case "retrieval":
      return {
        name: dataSource === undefined ? "retrieval" : `retrieval ${dataSource}`,
        kind: kinds.client,
        attributes: {
          "gen_ai.operation.name": "retrieval",
          ...(dataSource !== undefined && { "gen_ai.data_source.id": dataSource }),
          // Up to 1.41 it had the name of the sampling setting; since then it has its own.
          ...(start.topK !== "all" && { "gen_ai.request.top_k": start.topK, "gen_ai.retrieval.top_k": start.topK }),
          ...(recordQueries && { "gen_ai.retrieval.query.text": start.query }),
          "ibid.retrieval.mode": start.mode,
          "ibid.retrieval.filtered": start.filter !== undefined,
          ...(start.filter !== undefined && recordQueries && { "ibid.retrieval.filter": JSON.stringify(start.filter) }),
          ...(start.minScore !== undefined && { "ibid.retrieval.min_score": start.minScore }),
        },
      };
    case "embeddings":
      return {
        name: `embeddings ${start.model}`,
        kind: kinds.client,
        attributes: {
          "gen_ai.operation.name": "embeddings",
          "gen_ai.provider.name": start.provider,
          "gen_ai.request.model": start.model,
          ...(start.dimensions !== undefined && { "gen_ai.embeddings.dimension.count": start.dimensions }),
          "ibid.embeddings.purpose": start.purpose,
          "ibid.embeddings.inputs": start.inputs,
        },
      };
    case "rerank":
      return {
        name: `rerank ${start.reranker}`,
        kind: kinds.client,
        attributes: {
          "gen_ai.operation.name": "rerank",
          "gen_ai.request.model": start.reranker,
          "ibid.rerank.candidates": start.candidates,
        },
      };
    case "create":
      return {
        name: "ibid.create",
        kind: kinds.internal,
        attributes: { ...(start.model !== undefined && { "gen_ai.request.model": start.model }) },
      };
    case "ingest":
      return { name: "ibid.ingest", kind: kinds.internal, attributes: { "ibid.scope": start.scope } };
  }
}

const endNames: Readonly<Record<string, string>> = {
  resultCount: "ibid.retrieval.result_count",
  topScore: "ibid.retrieval.top_score",
  sent: "ibid.embeddings.sent",
};

/** Attributes of the outcome; of an ingestion, `ibid.ingest.added` and its siblings. */
export function describeEnd(facts: SpanEnd): Attributes {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      Object.hasOwn(endNames, name) ? (endNames[name] ?? name) : `ibid.ingest.${name}`,
      value,
    ]),
  );
}

/**
 * The error's code, else its class. The message is left out, because it may quote the question.
 *
 * **Source** OpenTelemetry, `error.type` (stable): a low-cardinality identifier.
 */
export function errorType(error: unknown): string {
  if (IbidError.isInstance(error)) return error.code;
  return error instanceof Error ? error.name : "_OTHER";
}

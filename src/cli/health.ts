import type { HealthBody, LatencyBody } from "../knowledge-base/operations/health-body.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { printRows, type Row } from "./print-rows.ts";
import { count } from "./text-layout.ts";

/** `ibid status --health`: the last minute, from every process that has the knowledge base open. */
export async function showHealth(context: Context, options: CommonOptions): Promise<number> {
  const { output } = context;
  return await withKnowledgeBase(options, {}, async (kb) => {
    const [{ describeHealth }, health] = await Promise.all([
      import("../knowledge-base/operations/health-body.ts"),
      kb.health({ everywhere: true }),
    ]);
    const body = describeHealth(health);
    if (output.json) await output.object({ ...body });
    else await printRows(context, describeRows(body));
    return 0;
  });
}

function describeRows({ windowSeconds, retrieval, embedding, flush, queue, ingestion }: HealthBody): readonly Row[] {
  const { hits, misses, empty } = retrieval;
  const number = (value: number): string => value.toLocaleString("en");
  const latency = (each: LatencyBody): string =>
    `${number(each.meanMs)} ms on average, ${number(each.p95Ms)} ms at the 95th percentile`;
  const measured = (each: LatencyBody, one: string, several = `${one}s`): string =>
    each.count === 0 ? "none" : `${number(each.count)} ${each.count === 1 ? one : several}: ${latency(each)}`;
  return [
    ["window", `the last ${number(windowSeconds)} seconds, every process`],
    ["searches", measured(retrieval, "search", "searches")],
    ["", `${count(hits, "hit")}, ${number(misses)} ${misses === 1 ? "miss" : "misses"}, ${number(empty)} empty`],
    ["embeddings", measured(embedding, "call")],
    ["", `${number(Math.round(embedding.cacheHitRate * 100))} % of the texts from the cache`],
    ["writes", measured(flush, "write")],
    ["queue", `${number(queue.depth)} waiting, ${number(queue.rejected)} refused`],
    ["ingestion", `${count(ingestion.indexed, "chunk")} indexed, ${count(ingestion.failed, "document")} failed`],
    ["re-embedding", `${count(ingestion.reembedded, "chunk")} done, ${count(ingestion.reembedFailed, "chunk")} failed`],
  ];
}

import { resolve } from "node:path";
import type { Status } from "../contracts/knowledge-base.ts";
import { showHealth } from "./health.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { printRows } from "./print-rows.ts";
import { count, formatBytes, neutralise } from "./text-layout.ts";

/** Options of `ibid status`. */
export interface StatusOptions extends CommonOptions {
  readonly health?: true;
}

/** `ibid status`: the size of the knowledge base by scope, and its models. */
export async function status(context: Context, options: StatusOptions): Promise<number> {
  if (options.health === true) return showHealth(context, options);
  const { output } = context;
  const kb = resolve(options.kb);
  return await withKnowledgeBase(options, {}, async (base) => {
    const facts = await base.status();
    if (output.json) {
      const { documents, chunks, bytes, scopes, embeddingVersions, versions, cacheHitRate } = facts;
      await output.object({ kb, documents, chunks, bytes, scopes, embeddingVersions, versions, cacheHitRate });
      return 0;
    }
    await printRows(context, describeStatus(kb, facts));
    return 0;
  });
}

/** A version's provider and model, as `--embedding-model` takes them. */
export function describeModel({ provider, model }: { readonly provider: string; readonly model: string }): string {
  return `${neutralise(provider)}/${neutralise(model)}`;
}

function describeStatus(kb: string, facts: Status): readonly (readonly [name: string, value: string])[] {
  const number = (value: number): string => value.toLocaleString("en");
  const scopes = facts.scopes.map(
    ({ scope, documents, chunks }) =>
      `${neutralise(scope)}: ${count(documents, "document")}, ${count(chunks, "chunk")}`,
  );
  const versions = facts.embeddingVersions.map(
    ({ chunks, ...version }) =>
      `${describeModel(version)}, ${number(version.dimensions)} dimensions: ${count(chunks, "chunk")}`,
  );
  const moves = facts.versions.flatMap(({ scope, current, next, previous }) => {
    const was = previous === undefined ? "" : `, ${describeModel(previous)} before`;
    const will = next === undefined ? "" : `, ${describeModel(next)} on its way`;
    if (was + will === "") return [];
    return [`${neutralise(scope)}: ${current === undefined ? "none" : describeModel(current)}${was}${will}`];
  });
  const list = (name: string, values: readonly string[]): (readonly [string, string])[] =>
    values.length === 0 ? [[name, "none"]] : values.map((value, index) => [index === 0 ? name : "", value]);
  return [
    ["knowledge base", neutralise(kb)],
    ["documents", number(facts.documents)],
    ["chunks", number(facts.chunks)],
    ["sources", formatBytes(facts.bytes)],
    ...list("scopes", scopes),
    ...list("embeddings", versions),
    ...(moves.length === 0 ? [] : list("searched by", moves)),
  ];
}

import type { Command } from "commander";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { Hit, HitExplanation, LatentExplanation, SearchOptions } from "../contracts/retriever.ts";
import { toGroupJson } from "../search/group-hits.ts";
import { toHitJson } from "../search/hit-json.ts";
import { searchOptions } from "../search/search-options.ts";
import { describeNames, describePlaceLabels } from "../text/place-labels.ts";
import { examples } from "./help-text.ts";
import { cutAroundMatches, findQueryWords, wrapMarked } from "./mark-words.ts";
import { type CommonOptions, type Context, requireText, withKnowledgeBase } from "./open.ts";
import type { Output, Style } from "./output.ts";
import { type OptionsFor, pickTableOptions, addTableOptions } from "./table-options.ts";
import { count, neutralise, wrap } from "./text-layout.ts";
import { showWarnings } from "./show-warnings.ts";

export interface SearchCommandOptions extends CommonOptions, OptionsFor<SearchOptions> {
  readonly ids?: true;
}

/** Lines of a hit's text on a terminal. */
const snippetLines = 3;

/** `ibid search`: prints the hits, best first. No hits is exit code 0. */
export async function search(context: Context, query: string, options: SearchCommandOptions): Promise<number> {
  const { output, signal } = context;
  requireText("query", query);
  const { mode } = options;
  const wanted: SearchOptions = {
    signal,
    snippetLength: snippetLengthFor(output),
    ...pickTableOptions<SearchOptions>(searchOptions, options),
  };
  // Lexical and pattern searches ask no model.
  const embeds = mode === "lexical" || mode === "regex" ? {} : ({ embeds: "queries" } as const);
  return await withKnowledgeBase(options, embeds, async (kb) => {
    const started = performance.now();
    const hits = await kb.search(query, wanted);
    const ms = Math.round(performance.now() - started);
    if (output.json) {
      const { warnings, groups } = hits;
      await output.object({ query, hits: hits.map(toHitJson), groups: groups?.map(toGroupJson), warnings, ms });
      return 0;
    }
    showWarnings(context, hits.warnings);
    if (hits.length === 0) {
      await output.line("Nothing found.");
      return 0;
    }
    const { languageAnalyzer } = await import("../text/languages/snowball/language-analyzer.ts");
    for (const [at, { uri, hits: own }] of (hits.groups ?? [{ uri: undefined, hits }]).entries()) {
      if (at > 0) await output.line();
      if (uri !== undefined) await output.line(`${output.style.bold(neutralise(uri))}, ${count(own.length, "hit")}`);
      for (const [index, hit] of own.entries()) {
        signal.throwIfAborted();
        if (index > 0 || uri !== undefined) await output.line();
        for (const line of describeHit(hit, query, languageAnalyzer, output, options.ids)) await output.line(line);
      }
    }
    return 0;
  });
}

function snippetLengthFor(output: Output): number | undefined {
  return output.isTerminal ? Math.min(400, Math.max(80, (output.columns - 6) * snippetLines)) : undefined;
}

/** Rank, score and place, then the text. */
function describeHit(
  hit: Hit,
  query: string,
  analyzer: Analyzer,
  { style, columns }: Output,
  withIds = false,
): readonly string[] {
  const rank = `${hit.rank}.`.padStart(3);
  const ids = (hit.parts ?? [hit]).map(({ chunkId }) => `chunk ${neutralise(chunkId)}`);
  const lines = [
    `${rank} ${style.bold(neutralise(describeNames(hit.source)))}  ${style.dim(hit.score.toFixed(3))}`,
    `    ${style.dim(describePlace(hit))}`,
    ...(withIds ? ids.map((id) => `    ${style.dim(id)}`) : []),
    ...describeText(hit, query, analyzer, style, columns - 4).map((line) => `    ${line}`),
    ...[...describeParts(hit), ...describeCopies(hit)]
      .flatMap((line) => wrap(line, columns - 4))
      .map((line) => `    ${style.dim(line)}`),
  ];
  if (hit.explain !== undefined) {
    const why = describeExplanation(hit.explain, hit.score).flatMap((line) => wrap(line, columns - 4));
    lines.push(...why.map((line) => `    ${style.dim(line)}`));
  }
  return lines;
}

/** Places of the passages of a joined hit, as `show --at` takes them. */
function describeParts({ parts }: Hit): readonly string[] {
  if (parts === undefined) return [];
  return [`${parts.length} passages: ${parts.map(({ start, end }) => `${start}:${end}`).join(", ")}`];
}

/** Places of copies on one line. */
const copiesShown = 3;

function describeCopies(hit: Hit): readonly string[] {
  const all = (hit.parts ?? [hit]).flatMap(({ copies = [] }) => copies);
  const copied = all.reduce((sum, each) => sum + each.count, 0);
  if (copied === 0) return [];
  const shown = all.flatMap(({ places }) => places).slice(0, copiesShown);
  const others = copied > shown.length ? [`${copied - shown.length} more`] : [];
  const uris = shown.map(({ uri }) => neutralise(uri));
  return [`and ${copied} ${copied === 1 ? "copy" : "copies"}: ${[...uris, ...others].join(", ")}`];
}

export function describePlace({ source }: Pick<Hit, "source">): string {
  return neutralise(describePlaceLabels(source.uri, source));
}

function describeText(hit: Hit, query: string, analyzer: Analyzer, style: Style, width: number): readonly string[] {
  if (hit.matches !== undefined) {
    const within = hit.matches.map(({ start, end }) => ({
      start: start - hit.source.start,
      end: end - hit.source.start,
    }));
    const cut = cutAroundMatches(hit.text, within, width === Infinity ? 240 : Math.min(400, width * snippetLines));
    return wrapMarked(neutralise(cut.text), cut.matches, style.mark, width);
  }
  const text = neutralise(hit.snippet.replaceAll(/\s+/gu, " ").trim());
  const language = hit.source.language ?? "";
  const terms = new Set(analyzer.analyze(query, language));
  return wrapMarked(text, findQueryWords(text, terms, analyzer, language), style.mark, width);
}

/** Describes the query as the store's own model sees it. */
function describeLatent({ fitted, energy, weight }: LatentExplanation): string {
  return fitted
    ? `model: fitted on this knowledge base, sees ${Math.round(energy * 100)} % of the query, weight ${weight.toFixed(3)}`
    : `model: not fitted yet, sees how words are written, weight ${weight.toFixed(3)}`;
}

/** Words that a list of synonyms added, by the phrase that they stand for. */
function describeSynonyms({ queryTerms = [] }: HitExplanation): readonly string[] {
  const added = Map.groupBy(
    queryTerms.filter(({ synonymOf }) => synonymOf !== undefined),
    ({ synonymOf }) => synonymOf!,
  );
  return [...added].map(([phrase, terms]) => {
    const words = terms.map(({ term, count }) => (count === 1 ? term : `${term}^${count}`));
    return `synonyms of ${neutralise(phrase)}: ${words.map(neutralise).join(", ")}`;
  });
}

function describeExplanation(explain: HitExplanation, score: number): readonly string[] {
  const number = (value: number): string => value.toFixed(3);
  const legs = Object.entries(explain.legs).flatMap(([name, leg]) =>
    leg === undefined ? [] : [`${name} ${number(leg.score)} (rank ${leg.rank})`],
  );
  const parts = explain.parts.map(({ name, value }) => `${name} ${number(value)}`);
  const terms = explain.terms.map(({ term, score }) => `${neutralise(term)} ${number(score)}`);
  const { latent, rerank, steps = [] } = explain;
  const others = steps.flatMap(({ chunkIds = [] }) => chunkIds);
  return [
    `${explain.fusion}: ${parts.join(" + ")} = ${number(rerank?.before.score ?? score)}`,
    ...(rerank === undefined
      ? []
      : [`reranked by ${neutralise(rerank.reranker)}: ${number(score)}, before rank ${rerank.before.rank}`]),
    ...(legs.length === 0 ? [] : [`legs: ${legs.join(", ")}`]),
    ...(terms.length === 0 ? [] : [`terms: ${terms.join(", ")}`]),
    ...describeSynonyms(explain),
    ...(latent === undefined ? [] : [describeLatent(latent)]),
    ...(others.length === 0 ? [] : [`merged with: ${others.map(neutralise).join(", ")}`]),
  ];
}

/** `ibid search` with its options and its help. */
export function addSearchCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const searching = program
    .command("search")
    .summary("find the passages that match a query")
    .description("Find the passages that match a query, best first.")
    .argument("<query>", "words, a question, or with --mode regex a pattern");
  addTableOptions(searching, searchOptions)
    .option("--ids", "print the id of each hit's chunk, for show --chunk")
    .addHelpText(
      "after",
      examples([
        'ibid search "rotate keys"',
        `ibid search "rotate keys" --top-k 10 --filter '{"product":"api","year":{"gte":2024}}'`,
        "ibid search 'ERR_[A-Z_]+' --mode regex",
        `ibid search '+rotate "api key" -legacy' --syntax lucene`,
        "ibid search 'what to do when it fails' --pattern 'ERR_[A-Z_]+'",
      ]),
    )
    .action(async function (this: Command, query: string) {
      done(await search(context, query, this.optsWithGlobals()));
    });
}

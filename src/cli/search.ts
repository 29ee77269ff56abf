import type { Command } from "commander";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { Relevance } from "../contracts/answer.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Hit, HitExplanation, LatentExplanation, SearchOptions } from "../contracts/retriever.ts";
import { findSubject } from "../search/find-subject.ts";
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
import { explainPrefix } from "./suggest-uris.ts";

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
    // Relevance reads what the hits explain.
    ...(output.json ? {} : { explain: true }),
  };
  // Lexical and pattern searches ask no model.
  const embeds = mode === "lexical" || mode === "regex" ? {} : ({ embeds: "queries" } as const);
  return await withKnowledgeBase(options, embeds, async (kb) => {
    const started = performance.now();
    const hits = await kb.search(query, wanted);
    const ms = Math.round(performance.now() - started);
    await writeHits(context, query, hits, { ids: options.ids, explain: options.explain, ms });
    if (hits.length === 0) await explainPrefix(output, kb, wanted.under);
    return 0;
  });
}

/** Writes hits under their documents, those that may be about something else below the others; as JSON where that is asked for. **Units** `ms` of the search. */
export async function writeHits(
  context: Context,
  query: string,
  hits: Awaited<ReturnType<KnowledgeBase["search"]>>,
  {
    ids,
    explain,
    ms,
  }: { readonly ids?: boolean | undefined; readonly explain?: boolean | undefined; readonly ms: number },
): Promise<void> {
  const { output } = context;
  if (output.json) {
    const { warnings, groups } = hits;
    await output.object({ query, hits: hits.map(toHitJson), groups: groups?.map(toGroupJson), warnings, ms });
    return;
  }
  showWarnings(context, hits.warnings);
  if (hits.length === 0) {
    await output.line("Nothing found.");
    return;
  }
  const [{ languageAnalyzer }, { judgeEach }] = await Promise.all([
    import("../text/languages/snowball/language-analyzer.ts"),
    import("../knowledge-base/asking/judge-each.ts"),
  ]);
  const relevances = judgeEach(query, hits, languageAnalyzer);
  const shown = hits.map((hit, index): ShownHit => ({ hit, relevance: relevances[index] }));
  const isWeak = ({ relevance }: ShownHit): boolean => relevance !== undefined && relevance.value < relevance.threshold;
  const how = {
    query,
    analyzer: languageAnalyzer,
    withIds: ids === true,
    explains: explain === true,
  };
  const strong = shown.filter((each) => !isWeak(each));
  const weak = shown.filter(isWeak);
  await writeGroups(context, strong, how);
  if (weak.length === 0) return;
  if (strong.length > 0) await output.line();
  await output.line(
    `${output.style.bold("Weak matches")}, which share words with the query and may be about something else:`,
  );
  await output.line();
  await writeGroups(context, weak, how);
}

/** A hit with the probability that it answers the query; absent where words cannot tell. */
interface ShownHit {
  readonly hit: Hit;
  readonly relevance: Relevance | undefined;
}

interface HowShown {
  readonly query: string;
  readonly analyzer: Analyzer;
  readonly withIds: boolean;
  readonly explains: boolean;
}

/** Hits under their documents, in the order of each document's best hit. */
async function writeGroups({ output, signal }: Context, shown: readonly ShownHit[], how: HowShown): Promise<void> {
  const groups = Map.groupBy(shown, ({ hit }) => `${hit.scope}\n${hit.source.uri}`);
  for (const [at, own] of [...groups.values()].entries()) {
    const [{ hit: best }] = own as [ShownHit];
    if (at > 0) await output.line();
    const places = own.length === 1 ? "" : `, ${count(own.length, "hit")}`;
    const title = neutralise(describeNames({ title: best.source.title, headings: [] }));
    if (title !== "" && title !== best.source.uri) await output.line(output.style.bold(title));
    await output.line(`${neutralise(best.source.uri)}${output.style.dim(places)}`);
    for (const each of own) {
      signal.throwIfAborted();
      for (const line of describeHit(each, output, how)) await output.line(line);
    }
  }
}

function snippetLengthFor(output: Output): number | undefined {
  return output.isTerminal ? Math.min(400, Math.max(80, (output.columns - 6) * snippetLines)) : undefined;
}

/** A probability in whole percent. */
function describeShare(value: number): string {
  return value < 0.01 ? "under 1 %" : `${Math.round(value * 100)} %`;
}

/** Rank, relevance, place and headings, then the text. */
function describeHit(
  { hit, relevance }: ShownHit,
  { style, columns }: Output,
  { query, analyzer, withIds, explains }: HowShown,
): readonly string[] {
  const { source } = hit;
  const rank = `${hit.rank}.`.padStart(3);
  const ids = (hit.parts ?? [hit]).map(({ chunkId }) => `chunk ${neutralise(chunkId)}`);
  const likely = relevance === undefined ? [] : [describeShare(relevance.value)];
  const trail = describeNames(source).slice(source.title.length).replace(/^ › /u, "");
  const where = [describePlaceLabels("", source).replace(/^(?:, |:(?=\d))/u, (sign) => (sign === ":" ? "line " : ""))];
  const facts = [...likely, ...where, trail].filter((fact) => fact !== "").map(neutralise);
  const lines = [
    ...wrap(facts.join(" · "), columns - 4).map((line, index) => `${index === 0 ? rank : "   "} ${style.dim(line)}`),
    ...(withIds ? ids : []).map((id) => `    ${style.dim(id)}`),
    ...describeText(hit, query, analyzer, style, columns - 4).map((line) => `    ${line}`),
    ...[...describeEnd(hit), ...describeParts(hit), ...describeCopies(hit)]
      .flatMap((line) => wrap(line, columns - 4))
      .map((line) => `    ${style.dim(line)}`),
  ];
  if (hit.explain !== undefined && explains) {
    const why = describeExplanation(hit.explain, hit.score).flatMap((line) => wrap(line, columns - 4));
    lines.push(...why.map((line) => `    ${style.dim(line)}`));
  }
  return lines.length === 0 || facts.length > 0 ? lines : [rank, ...lines];
}

/** Places of the passages of a joined hit, as `show --at` takes them. */
function describeParts({ parts }: Hit): readonly string[] {
  if (parts === undefined) return [];
  return [`${parts.length} passages: ${parts.map(({ start, end }) => `${start}:${end}`).join(", ")}`];
}

/** Says that a note holds no longer. */
export function describeEnd({ replaced }: Pick<Hit, "replaced">): readonly string[] {
  if (replaced === undefined) return [];
  return [
    `holds no longer, since ${replaced.at}${replaced.by === undefined ? "" : `; replaced by ${neutralise(replaced.by)}`}`,
  ];
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
  const terms = new Set(analyzer.analyze(findSubject(query, analyzer).text, language));
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

import { judgeClaim } from "../../src/answers/support/judge-by-words.ts";
import { readClaim } from "../../src/answers/support/read-claim.ts";
import { readEvidence, type SupportEvidence } from "../../src/answers/support/read-evidence.ts";
import { type SupportModels, supportModels } from "../../src/answers/support/weights.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { editKinds, editSentence, findNames } from "./edit-sentences.ts";
import {
  type CrossValidated,
  crossValidate,
  crossValidateTokens,
  type Examples,
  foldClaims,
  readExamples,
} from "./fit-support.ts";
import { areaUnder, calibrationError } from "./logistic.ts";
import type { Figure } from "./report.ts";
import { readClapnq, readDocs, readSupportedClaims, type SupportedSentence } from "./supported-sentences.ts";
import { readWice, type Wice } from "./wice.ts";

const options = { analyzer: languageAnalyzer, language: "en" };
const foldCount = 10;
/** Each figure is the mean of so many divisions into folds. */
const repeats = 5;
const sentenceCount = 1000;

/**
 * Measures support by words on WiCE, and on generated edits of supported sentences.
 *
 * Claims of WiCE are judged by models that have not seen them, sentences of other sets by the shipped models.
 */
export function measureSupport(data: string): readonly Figure[] {
  const wice = readWice(data);
  const examples = readExamples(wice, options);
  const runs = Array.from({ length: repeats }, (_, seed) => {
    const folds = foldClaims(examples, foldCount, seed + 1);
    return { judged: crossValidate(examples, folds), tokens: crossValidateTokens(examples, folds) };
  });
  return [...onWice(runs, examples), ...onEdits(data, wice, runs[0]!.judged)];
}

interface Run {
  readonly judged: readonly CrossValidated[];
  readonly tokens: number;
}

function onWice(runs: readonly Run[], examples: Examples): readonly Figure[] {
  const mean = (of: (run: Run) => number): number => runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  const supports = ({ judged }: Run): readonly number[] => judged.map(({ verdict }) => verdict.support);
  const labels = ({ judged }: Run): readonly number[] => judged.map(({ label }) => (label === "supported" ? 1 : 0));
  const accepted =
    (wanted: CrossValidated["label"]) =>
    ({ judged }: Run): number => {
      const own = judged.filter(({ label }) => label === wanted);
      return own.filter(({ verdict }) => verdict.verdict === "supported").length / own.length;
    };
  const size = runs[0]!.judged.length;
  const count = (wanted: CrossValidated["label"]): number =>
    runs[0]!.judged.filter(({ label }) => label === wanted).length;
  const words = examples.tokens.reduce((sum, { labels: each }) => sum + each.length, 0);
  const set = `wice dev, ${foldCount}-fold, mean of ${repeats}`;
  return [
    { name: "AUC", set, size, value: mean((run) => areaUnder(supports(run), labels(run))), atLeast: 0.82 },
    {
      name: "balanced accuracy at its best threshold",
      set,
      size,
      value: mean((run) => bestBalance(supports(run), labels(run))),
      atLeast: 0.75,
    },
    {
      name: "expected calibration error",
      set,
      size,
      value: mean((run) => calibrationError(supports(run), labels(run))),
      atMost: 0.06,
    },
    {
      name: "unsupported words, AUC",
      set: `${set}, words`,
      size: words,
      value: mean(({ tokens }) => tokens),
      atLeast: 0.84,
    },
    {
      name: "supported, of the partly supported",
      set,
      size: count("partially_supported"),
      value: mean(accepted("partially_supported")),
      atMost: 0.1,
    },
    {
      name: "supported, of the supported",
      set,
      size: count("supported"),
      value: mean(accepted("supported")),
      atLeast: 0.43,
    },
    {
      name: "supported, of the unsupported",
      set,
      size: count("not_supported"),
      value: mean(accepted("not_supported")),
      atMost: 1 / 32,
    },
  ];
}

/** **Source** balanced accuracy: Brodersen et al., The Balanced Accuracy and Its Posterior Distribution (ICPR 2010). */
function bestBalance(supports: readonly number[], labels: readonly number[]): number {
  const share = (wanted: number, isRight: (support: number) => boolean): number => {
    const own = supports.filter((_, at) => labels[at] === wanted);
    return own.filter(isRight).length / own.length;
  };
  return Math.max(
    ...supports.map((threshold) => (share(1, (each) => each >= threshold) + share(0, (each) => each < threshold)) / 2),
  );
}

/** Words tell least of it, so it has a bar of its own and no part in the sum. */
const apart = "phrase of another sentence";
const barred: ReadonlySet<string> = new Set([
  "edited",
  ...["unit", "sign", "currency", "preposition", "modal", "role", "name behind a title", apart].map(
    (kind) => `edited, ${kind}`,
  ),
]);

interface Tally {
  edited: number;
  passed: number;
}

function onEdits(data: string, wice: Wice, judged: readonly CrossValidated[]): readonly Figure[] {
  const own = [...readSupportedClaims(wice), ...readClapnq(data)];
  const sentences = [...own, ...readDocs(data, sentenceCount - own.length)];
  const names = [...new Set(sentences.flatMap(({ sentence }) => findNames(sentence)))];
  const unseen = new Map(judged.map(({ id, models }) => [id, models]));
  const tallies = new Map<string, Tally>();
  const count = (name: string, isSupported: boolean): void => {
    const tally = tallies.get(name) ?? { edited: 0, passed: 0 };
    tally.edited += 1;
    if (isSupported) tally.passed += 1;
    tallies.set(name, tally);
  };
  for (const [at, each] of sentences.entries()) {
    const evidence = readEvidence(each.evidence, options);
    const models = unseen.get(each.id ?? "") ?? supportModels;
    count(`unedited, ${each.kind}`, isSupported(each.sentence, evidence, models));
    const nearby = each.evidence.map(({ text }) => text).join("\n");
    const sources = each.evidence.map(({ text }) => text);
    for (const [nth, kind] of editKinds.entries()) {
      const made = editSentence(kind, { sentence: each.sentence, sources, nearby, names }, 31 * at + nth);
      if (made === undefined || isVerbatim(made.sentence, each)) continue;
      const edited = made.sentence;
      const changed = made.sources?.map((text, source) => ({ ...each.evidence[source]!, text }));
      const passes = isSupported(edited, changed ? readEvidence(changed, options) : evidence, models);
      const ofKind = [`edited, ${kind}`, `edited, ${kind}, ${each.kind}`];
      for (const name of kind === apart ? ofKind : ["edited", `edited, ${each.kind}`, ...ofKind]) count(name, passes);
      if (kind === "name" || kind === "number")
        count(
          `edited, ${kind} from ${isTakenFrom(nearby, edited, each.sentence) ? "the evidence" : "elsewhere"}`,
          passes,
        );
    }
  }
  const reworded = sentences.filter(({ kind }) => kind === "reworded").length;
  const set = `${sentences.length} sentences of wice, clapnq, docs-qa; ${reworded} reworded`;
  return [...tallies]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { edited, passed }]) => ({
      name: `supported, of the ${name}`,
      set,
      size: edited,
      value: passed / edited,
      ...(barred.has(name) ? { atMost: 0.03 } : name === "unedited, verbatim" ? { atLeast: 0.95 } : {}),
    }));
}

function isSupported(sentence: string, evidence: SupportEvidence, models: SupportModels): boolean {
  return judgeClaim(readClaim(sentence, evidence), evidence, models).verdict === "supported";
}

/** Whether all names and numbers that an edit brought in stand in a text. */
function isTakenFrom(text: string, edited: string, original: string): boolean {
  return (edited.match(/\p{Lu}[\p{L}\p{N}]*|\d+/gu) ?? []).every(
    (word) => original.includes(word) || text.includes(word),
  );
}

/** An edit may happen to give another sentence of the source. */
function isVerbatim(edited: string, { evidence }: SupportedSentence): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return evidence.some(({ text }) => ` ${plain(text)} `.includes(` ${plain(edited)} `));
}

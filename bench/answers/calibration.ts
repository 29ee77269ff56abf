// Whether a collection tells its own threshold: headings and sentences as questions, with their document among the hits and without it.
import { judgeRelevance } from "../../src/answers/relevance/judge-relevance.ts";
import { relevanceModel } from "../../src/answers/relevance/weights.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { findSentences } from "../../src/text/find-sentences.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { type AnswerableSet, readAnswerableSets, readManual, readXquad } from "./answerable-sets.ts";
import { quantile } from "./fit-relevance.ts";
import { shuffle } from "./random.ts";
import type { Figure } from "./report.ts";

const mostDocuments = 120;
/** So many hits are found, that five stay without those of one document. */
const depth = 40;

interface PseudoQuestion {
  readonly uri: string;
  readonly text: string;
  readonly kind: "heading" | "sentence";
}

/** Log-odds of relevance above the threshold: the threshold that a collection needs, beside what its pseudo-questions have. */
export async function measureCalibration(data: string): Promise<readonly Figure[]> {
  const sets = [
    ...readAnswerableSets(data),
    readManual(),
    ...["en", "de", "zh", "ar"].map((language) => readXquad(data, language)),
  ];
  const figures: Figure[] = [];
  for (const set of sets) figures.push(...(await measureSet(set)));
  return figures;
}

async function measureSet({ name: set, documents, questions }: AnswerableSet): Promise<readonly Figure[]> {
  await using kb = await openKnowledgeBase();
  await kb.ingest(shuffle(documents, 1), { settle: true });
  const values = new Map<string, number[]>();
  const count = (name: string, question: string, hits: readonly Hit[]): void => {
    const { value } = judgeRelevance(question, hits, { analyzer: languageAnalyzer });
    values.set(name, [...(values.get(name) ?? []), toOdds(value) - toOdds(relevanceModel.threshold)]);
  };
  const search = async (question: string): Promise<readonly Hit[]> =>
    await kb.search(question, { topK: depth, explain: true });
  for (const { text, isAnswerable } of questions) if (isAnswerable) count("answerable", text, await search(text));
  for (const { uri, text, kind } of choosePseudoQuestions(documents)) {
    const hits = await search(text);
    count(`${kind} with its document`, text, hits);
    count(
      `${kind} without its document`,
      text,
      hits.filter(({ source }) => source.uri !== uri),
    );
  }
  return [...values].map(([name, odds]) => ({
    name: name === "answerable" ? "5 % of the answerable lie below" : `median of a ${name}`,
    set,
    size: odds.length,
    value: quantile(odds, name === "answerable" ? 0.05 : 0.5),
  }));
}

function choosePseudoQuestions(documents: AnswerableSet["documents"]): readonly PseudoQuestion[] {
  return shuffle(documents, 5)
    .slice(0, mostDocuments)
    .flatMap(({ uri, title = "", text }): PseudoQuestion[] => {
      const headings = [...text.matchAll(/^#{1,6} +(\S+ +\S.*)$/gmu)].map(([, heading]) => heading!);
      const heading = headings[Math.floor(headings.length / 2)] ?? title;
      const sentences = findSentences(text).filter(({ kind, start, end }) => kind === "prose" && end - start > 30);
      const middle = sentences[Math.floor(sentences.length / 2)];
      return [
        ...(heading === "" ? [] : [{ uri, text: heading, kind: "heading" as const }]),
        ...(middle
          ? [{ uri, text: text.slice(middle.start, middle.end).slice(0, 300), kind: "sentence" as const }]
          : []),
      ];
    });
}

const toOdds = (value: number): number => Math.log(Math.max(value, 1e-4) / Math.max(1 - value, 1e-4));

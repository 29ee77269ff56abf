// Questions with and without an answer in a collection, for what tells one from the other.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import type { Hit } from "../../src/contracts/retriever.ts";
import type { TextInput } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { readCollection } from "../beir.ts";
import { everydayQuestions, furtherEverydayQuestions } from "./everyday-questions.ts";
import { manualQuestions } from "./manual-questions.ts";
import { shuffle } from "./random.ts";
import { readLines } from "./wice.ts";

/** A question, and whether the collection answers it. */
export interface SetQuestion {
  readonly text: string;
  readonly isAnswerable: boolean;
}

/** A collection with its own questions, and with others that it does not touch. */
export interface AnswerableSet {
  readonly name: string;
  readonly documents: readonly TextInput[];
  readonly questions: readonly SetQuestion[];
  readonly offTopic: readonly string[];
}

/** A question and the hits that a search for it finds. */
export interface FoundQuestion extends SetQuestion {
  readonly isOffTopic: boolean;
  readonly hits: readonly Hit[];
}

/** Hits of a question, as `ask` finds them by default. */
const topK = 5;
const mostOffTopic = 150;

interface ClapnqRow {
  readonly input: string;
  readonly passages: readonly { readonly title: string; readonly text: string }[];
}

interface DocsRow {
  readonly question: string;
  readonly answerable: boolean;
  readonly uris: readonly string[];
}

export const manualName = "manual";

/**
 * CLAPNQ's development part, and the pages of a documentation with questions about them.
 *
 * A quarter of each stands beside it, because chance finds more in a larger collection. A question about a missing passage of CLAPNQ is unanswerable there. One
 * about a missing page is left out, because other pages often repeat it.
 */
export function readAnswerableSets(data: string): readonly AnswerableSet[] {
  const clapnq = readLines<ClapnqRow>(join(data, "answers/clapnq/answerable.jsonl"));
  const unanswerable = readLines<ClapnqRow>(join(data, "answers/clapnq/unanswerable.jsonl"));
  const docs = readLines<DocsRow>(join(data, "docs-qa/haystack.jsonl"));
  const passages = new Map<string, TextInput>();
  for (const { title, text } of [...clapnq, ...unanswerable].flatMap((row) => row.passages)) {
    passages.set(`${title}\n${text}`, { uri: `passage:${passages.size}`, title, text });
  }
  const asked = (rows: readonly { readonly input: string }[], isAnswerable: boolean): readonly SetQuestion[] =>
    rows.map(({ input }) => ({ text: input, isAnswerable }));
  const ofClapnq = [...asked(clapnq, true), ...asked(unanswerable, false)];
  const ofDocs = docs.map(({ question, answerable }) => ({ text: question, isAnswerable: answerable }));
  const offTopic = (others: readonly SetQuestion[]): readonly string[] => [
    ...everydayQuestions,
    ...furtherEverydayQuestions,
    ...shuffle(others, 1)
      .slice(0, mostOffTopic - everydayQuestions.length)
      .map(({ text }) => text),
  ];
  const pages = readPages(join(data, "docs/haystack-docs"), "haystack-docs");
  const somePassages = takeQuarter([...passages.values()]);
  const somePages = takeQuarter(pages);
  const holds = (documents: readonly TextInput[], uri: string): boolean => documents.some((one) => one.uri === uri);
  return [
    { name: "clapnq", documents: [...passages.values()], questions: ofClapnq, offTopic: offTopic(ofDocs) },
    {
      name: "clapnq, a quarter",
      documents: somePassages,
      questions: [
        ...clapnq.map(({ input, passages: own }) => ({
          text: input,
          isAnswerable: own.some(({ title, text }) => holds(somePassages, passages.get(`${title}\n${text}`)!.uri)),
        })),
        ...asked(unanswerable, false),
      ],
      offTopic: everydayQuestions,
    },
    { name: "docs-qa/haystack", documents: pages, questions: ofDocs, offTopic: offTopic(ofClapnq) },
    {
      name: "docs-qa/haystack, a quarter",
      documents: somePages,
      questions: docs
        .filter(({ answerable, uris }) => answerable && uris.some((uri) => holds(somePages, uri)))
        .map(({ question }) => ({ text: question, isAnswerable: true })),
      offTopic: everydayQuestions,
    },
  ];
}

const takeQuarter = <T>(documents: readonly T[]): readonly T[] =>
  shuffle(documents, 11).slice(0, Math.round(documents.length / 4));

/** The manual of this repository. */
export function readManual(): AnswerableSet {
  return {
    name: manualName,
    documents: readManualPages(),
    questions: manualQuestions.map(({ question }) => ({ text: question, isAnswerable: true })),
    offTopic: [...everydayQuestions, ...furtherEverydayQuestions],
  };
}

/** The readme and the pages of `docs`, without decisions. */
export function readManualPages(): readonly TextInput[] {
  const root = join(import.meta.dirname, "..", "..");
  const pages = ["docs", "docs/library"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  return ["README.md", ...pages.filter((name) => name.endsWith(".md")).toSorted()].map((uri) => ({
    uri,
    mediaType: "text/markdown",
    text: readFileSync(join(root, uri), "utf8"),
  }));
}

/**
 * XQuAD in one language, without the passages of a third of its articles, and without two passages in five of the others.
 *
 * Questions about a missing passage are unanswerable, and those about a missing article are off topic.
 */
export function readXquad(data: string, language: string): AnswerableSet {
  const folder = join(data, `retrieval/xquad-${language}`);
  const { corpus, queries, judged } = readCollection(folder);
  const articleOf = (id: string): string => id.split("-")[0]!;
  const articles = shuffle([...new Set(corpus.map(({ _id }) => articleOf(_id)))], 1);
  const isAway = new Set(articles.slice(0, Math.floor(articles.length / 3)));
  const passageOf = new Map([...judged].map(([query, grades]) => [query, [...grades.keys()][0]!]));
  const isPresent = (id: string): boolean => !isAway.has(articleOf(id)) && !id.endsWith("-2") && !id.endsWith("-4");
  const documents = corpus
    .filter(({ _id }) => isPresent(_id))
    .map(({ _id, text }) => ({ uri: `passage:${_id}`, text }));
  const asked = shuffle(queries, 2).map(({ _id, text }) => ({ text, passage: passageOf.get(_id)! }));
  const sample = (wanted: (passage: string) => boolean): readonly string[] =>
    asked
      .filter(({ passage }) => wanted(passage))
      .slice(0, mostOffTopic)
      .map(({ text }) => text);
  return {
    name: `xquad-${language}`,
    documents,
    questions: [
      ...sample(isPresent).map((text) => ({ text, isAnswerable: true })),
      ...sample((passage) => !isPresent(passage) && !isAway.has(articleOf(passage))).map((text) => ({
        text,
        isAnswerable: false,
      })),
    ],
    offTopic: sample((passage) => isAway.has(articleOf(passage))),
  };
}

export function readPages(folder: string, name: string): readonly TextInput[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".mdx"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({
      uri: `${name}/${relative(folder, path)}`,
      mediaType: "text/mdx",
      text: readFileSync(path, "utf8"),
    }));
}

/**
 * Ingests a set in shuffled order and asks its questions.
 *
 * The order matters: the fitted space favours documents that are there before the fit. Answerable questions whose passages come first would score higher by
 * that alone.
 */
export async function findHits(set: AnswerableSet, seed: number): Promise<readonly FoundQuestion[]> {
  await using kb = await openKnowledgeBase();
  await kb.ingest(shuffle(set.documents, seed), { settle: true });
  const found: FoundQuestion[] = [];
  const ask = async (question: SetQuestion, isOffTopic: boolean): Promise<void> => {
    found.push({ ...question, isOffTopic, hits: await kb.search(question.text, { topK, explain: true }) });
  };
  for (const question of set.questions) await ask(question, false);
  for (const text of set.offTopic) await ask({ text, isAnswerable: false }, true);
  return found;
}

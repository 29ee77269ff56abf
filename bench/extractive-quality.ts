/**
 * How good answers without a model are, and how often they are refused: the whole way from documents to cited sentences, in memory, as a knowledge base does it unless told otherwise.
 *
 *     npx node bench/extractive-quality.ts <folder> [<folder of off-topic questions>]
 *
 * A folder holds `corpus.jsonl` (`{ "_id", "title", "text" }`, a document each), `queries.jsonl` (`{ "_id", "text" }`) and `qrels.tsv` (query, document, score).
 *
 * - *judged*: questions whose first cited sentence lies in a judged document, with any evidence (`permissive`);
 * - *answered*: the same under the default grounding, where a refusal counts as wrong;
 * - *refused*: questions refused though their answer is there; *not refused*: off-topic questions that were answered all the same.
 *
 * Every citation is checked against its document; one that is not verbatim ends the run with exit code 1.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { createGate, operator } from "../src/access/gate.ts";
import { answerQuestion } from "../src/answers/answer-question.ts";
import { createAutoChunker } from "../src/chunks/auto-chunker.ts";
import type { Answer, Grounding } from "../src/contracts/answer.ts";
import type { TextDocument } from "../src/contracts/document.ts";
import { buildSections } from "../src/documents/build-sections.ts";
import { latentSemanticModel } from "../src/embeddings/latent-semantic/latent-semantic-model.ts";
import { languageAnalyzer } from "../src/node.ts";
import { createRetriever } from "../src/retrieval/create-retriever.ts";
import { createMemoryStore } from "../src/stores/memory-store.ts";

interface Line {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

const [folder, offTopic] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: npx node bench/extractive-quality.ts <folder> [<folder of off-topic questions>]");
  process.exit(2);
}

const documents = new Map(readLines(join(folder, "corpus.jsonl")).map((line) => [line._id, asDocument(line)]));
const queries = readLines(join(folder, "queries.jsonl"));
const judged = readJudgements(join(folder, "qrels.tsv"));

const gate = createGate();
const write = gate.write(operator, "deployment");
const read = gate.read(operator, ["deployment"]);
const store = createMemoryStore({ analyzer: languageAnalyzer, corpusModel: latentSemanticModel });
const retriever = createRetriever({ store, analyzer: languageAnalyzer });
const chunker = createAutoChunker();

let started = performance.now();
let chunkCount = 0;
for (const document of documents.values()) {
  const chunks = [...chunker.chunk(document)];
  chunkCount += chunks.length;
  await store.replace(write, {
    document,
    contentHash: "",
    metadataHash: "",
    fingerprint: "bench",
    bytes: document.text.length,
    folder: null,
    entries: chunks.map((chunk) => ({ chunk, embeddings: [] })),
  });
}
console.log(
  `${folder}: ${documents.size} documents, ${chunkCount} chunks in ${Math.round(performance.now() - started)} ms`,
);

started = performance.now();
const counts = { judged: 0, answered: 0, refused: 0, sentences: 0 };
for (const query of queries) {
  const first = async (grounding: Grounding): Promise<Answer> => ask(query.text, grounding);
  const [any, usual] = [await first("permissive"), await first("preferred")];
  if (isJudged(query, any)) counts.judged += 1;
  if (isJudged(query, usual)) counts.answered += 1;
  if (usual.refused) counts.refused += 1;
  counts.sentences += usual.citations.length;
}
const ms = (performance.now() - started) / queries.length / 2;
console.log(
  `${queries.length} questions: judged ${share(counts.judged, queries.length)}, answered ${share(counts.answered, queries.length)}, refused ${share(counts.refused, queries.length)}, ` +
    `${(counts.sentences / Math.max(1, queries.length - counts.refused)).toFixed(2)} sentences an answer, ${ms.toFixed(2)} ms a question`,
);

if (offTopic !== undefined) {
  const foreign = readLines(join(offTopic, "queries.jsonl"));
  let answered = 0;
  for (const { text } of foreign) if (!(await ask(text, "preferred")).refused) answered += 1;
  console.log(`${foreign.length} off-topic questions of ${offTopic}: not refused ${share(answered, foreign.length)}`);
}
await store.close();

async function ask(question: string, grounding: Grounding): Promise<Answer> {
  const hits = await retriever.retrieve(read, question, { explain: true });
  let answer: Answer | undefined;
  for await (const event of answerQuestion({
    question,
    hits,
    grounding,
    analyzer: languageAnalyzer,
    documentText: async (id) => textOf(id),
  })) {
    if (event.type === "answer") answer = event.answer;
  }
  if (!answer) throw new Error("No answer event.");
  for (const { documentId, start, end, quote } of answer.citations) {
    if (textOf(documentId)?.slice(start, end) !== quote) {
      console.error(`A citation is not verbatim: ${documentId} ${start} to ${end}.`);
      process.exit(1);
    }
  }
  return answer;
}

function textOf(documentId: string): string | undefined {
  return documents.get(documentId)?.text;
}

function isJudged(query: Line, answer: Answer): boolean {
  const [first] = answer.citations;
  return first !== undefined && (judged.get(query._id)?.has(first.documentId) ?? false);
}

function share(count: number, total: number): string {
  return `${((100 * count) / total).toFixed(1)} %`;
}

function asDocument({ _id, title = "", text }: Line): TextDocument {
  return {
    type: "text",
    id: _id,
    uri: _id,
    title,
    mediaType: "text/plain",
    text,
    metadata: {},
    origin: "user-content",
    root: buildSections(text, title, []),
    sourceMap: { lines: "text" },
  };
}

function readLines(path: string): Line[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

function readJudgements(path: string): ReadonlyMap<string, ReadonlySet<string>> {
  const judgements = new Map<string, Set<string>>();
  for (const line of readFileSync(path, "utf8").trim().split("\n").slice(1)) {
    const [query = "", document = "", score = "0"] = line.split("\t");
    if (Number(score) <= 0) continue;
    const of = judgements.get(query) ?? new Set();
    judgements.set(query, of.add(document));
  }
  return judgements;
}

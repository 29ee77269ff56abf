/**
 * How good answers without a model are, and how often they are refused. The whole way from documents to cited
 * quotations, in memory, with the defaults of a knowledge base.
 *
 *     npx node bench/extractive-quality.ts <folder> [<folder of off-topic questions>]
 *
 * A folder holds `corpus.jsonl` (`{ "_id", "title", "text" }`, a document each), `queries.jsonl` (`{ "_id", "text" }`) and `qrels.tsv` (query, document, score).
 *
 * - *judged*: questions whose first quotation lies in a judged document, with any evidence (`permissive`);
 * - *answered*: the same under the default grounding, where a refusal counts as wrong;
 * - *refused*: questions refused, or shown under "may not answer", though their answer is there; *not refused*: off-topic questions that are neither.
 *
 * Every citation is checked against its document; one that is not verbatim ends the run with exit code 1.
 */
import { join } from "node:path";

import type { Answer, Grounding } from "../src/contracts/answer.ts";
import { formatShare, openAnswering } from "./answers-over.ts";
import { type Item, readCollection, readItems } from "./beir.ts";

const [folder, offTopic] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: npx node bench/extractive-quality.ts <folder> [<folder of off-topic questions>]");
  process.exit(2);
}

const { judged } = readCollection(folder);
const queries = readItems(join(folder, "queries.jsonl"));
let started = performance.now();
const answering = await openAnswering(folder);
const { documents, chunks } = answering;
console.log(
  `${folder}: ${documents.size} documents, ${chunks} chunks in ${Math.round(performance.now() - started)} ms`,
);

started = performance.now();
const counts = { judged: 0, answered: 0, refused: 0, sentences: 0 };
for (const query of queries) {
  const [any, usual] = [await ask(query.text, "permissive"), await ask(query.text, "preferred")];
  if (isJudged(query, any)) counts.judged += 1;
  if (mayAnswer(usual) && isJudged(query, usual)) counts.answered += 1;
  if (!mayAnswer(usual)) counts.refused += 1;
  counts.sentences += usual.citations.length;
}
const ms = (performance.now() - started) / queries.length / 2;
const share = (count: number): string => formatShare(count / queries.length);
console.log(
  `${queries.length} questions: judged ${share(counts.judged)}, answered ${share(counts.answered)}, refused ${share(counts.refused)}, ` +
    `${(counts.sentences / Math.max(1, queries.length - counts.refused)).toFixed(2)} sentences an answer, ${ms.toFixed(2)} ms a question`,
);

if (offTopic !== undefined) {
  const foreign = readItems(join(offTopic, "queries.jsonl"));
  let answered = 0;
  for (const { text } of foreign) if (mayAnswer(await ask(text, "preferred"))) answered += 1;
  console.log(
    `${foreign.length} off-topic questions of ${offTopic}: not refused ${formatShare(answered / foreign.length)}`,
  );
}
await answering.close();

async function ask(question: string, grounding: Grounding): Promise<Answer> {
  const answer = await answering.ask(question, grounding);
  for (const { documentId, start, end, quote } of answer.citations) {
    if (documents.get(documentId)?.text.slice(start, end) !== quote) {
      console.error(`A citation is not verbatim: ${documentId} ${start} to ${end}.`);
      process.exit(1);
    }
  }
  return answer;
}

function isJudged(query: Item, answer: Answer): boolean {
  const [first] = answer.citations;
  return first !== undefined && (judged.get(query._id)?.has(first.documentId) ?? false);
}

/** Neither a refusal nor passages of low relevance. */
function mayAnswer({ kind, relevance }: Answer): boolean {
  return kind !== "refused" && (relevance === undefined || relevance.value >= relevance.threshold);
}

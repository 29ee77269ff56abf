/**
 * The grounding check without a model: answers over real documents, as they are and with their citations shuffled.
 *
 *     npx node bench/grounded.ts <folder> [<most answers>]
 *
 * A folder is laid out as for `extractive-quality.ts`. Every question is answered from the hits of a search, in two
 * ways. *Verbatim*: by the documents' own sentences. *Reworded*: the same sentences with every fourth content word
 * replaced by one that stands nowhere. Function words, names and numbers are no content words.
 *
 * - *stands*: answers that are grounded as they are; they should be;
 * - *shuffled*: answers that become ungrounded with the citations of another question's answer, which cites other
 *   documents;
 * - *nearby*: answers that become ungrounded when each citation leads to another document that was found for the same question.
 *
 * Ends with exit code 1 when fewer than 90 % of the shuffled answers become ungrounded.
 */
import { join } from "node:path";

import { checkAnswer } from "../src/answers/citations/check-answer.ts";
import { namesIn } from "../src/answers/citations/telling-details.ts";
import type { Answer, Citation } from "../src/contracts/answer.ts";
import type { Hit } from "../src/contracts/retriever.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { functionWords } from "../src/text/languages/function-words.ts";
import { formatShare as share, openAnswering } from "./answers-over.ts";
import { readItems } from "./beir.ts";

const [folder, most = "1000"] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: npx node bench/grounded.ts <folder> [<most answers>]");
  process.exit(2);
}

const answering = await openAnswering(folder);
const common = new Set(Object.values(functionWords).join(" ").split(/\s+/u));
const answers: Answer[] = [];
for (const { text } of readItems(join(folder, "queries.jsonl"))) {
  if (answers.length >= Number(most)) break;
  const answer = await answering.ask(text, "preferred");
  if (answer.kind !== "refused") answers.push(answer);
}
console.log(`${folder}: ${answers.length} answers over ${answering.documents.size} documents`);

let isGood = true;
for (const [name, change] of [
  ["verbatim", (text: string) => text],
  ["reworded", reword],
] as const) {
  const counts = { stands: 0, shuffled: 0, shuffles: 0, nearby: 0, moves: 0 };
  for (const [index, answer] of answers.entries()) {
    const text = change(answer.text);
    const isGrounded = async (citations: readonly Citation[], hits: readonly Hit[]): Promise<boolean> =>
      (await checkAnswer({ text, citations, hits }, { analyzer: languageAnalyzer })).grounded;
    if (await isGrounded(answer.citations, answer.hits)) counts.stands += 1;

    const other = findOther(index);
    if (other) {
      counts.shuffles += 1;
      if (!(await isGrounded(inPlaceOf(answer.citations, other.citations), other.hits))) counts.shuffled += 1;
    }
    const cited = new Set(answer.citations.map(({ documentId }) => documentId));
    const others = answer.hits.filter(({ documentId }) => !cited.has(documentId)).map(asCitation);
    if (others.length > 0) {
      counts.moves += 1;
      if (!(await isGrounded(inPlaceOf(answer.citations, others), answer.hits))) counts.nearby += 1;
    }
  }
  const shuffled = counts.shuffled / counts.shuffles;
  isGood &&= shuffled >= 0.9;
  console.log(
    `${name}: stands ${share(counts.stands / answers.length)}, shuffled ${share(shuffled)}, nearby ${share(counts.nearby / counts.moves)}`,
  );
}
await answering.close();
process.exitCode = isGood ? 0 : 1;

/** A fixed permutation's next one that cites none of the same documents. */
function findOther(index: number): Answer | undefined {
  const cited = new Set(answers[index]?.citations.map(({ documentId }) => documentId));
  for (let step = 0; step < answers.length; step += 1) {
    const other = answers[(index * 7919 + 104_729 + step) % answers.length];
    if (other && !other.citations.some(({ documentId }) => cited.has(documentId))) return other;
  }
  return undefined;
}

/** As many citations as there were, under their markers, leading elsewhere. */
function inPlaceOf(citations: readonly Citation[], others: readonly Citation[]): Citation[] {
  return citations.flatMap(({ marker }, index) => {
    const other = others[index % others.length];
    return other ? [{ ...other, marker }] : [];
  });
}

function asCitation({ chunkId, documentId, source, text }: Hit): Citation {
  const { uri, title, headings, start, end } = source;
  return { marker: "", uri, title, headings, documentId, chunkId, start, end, quote: text };
}

function reword(text: string): string {
  let seen = 0;
  return text.replaceAll(/[\p{L}\p{M}’']+/gu, (word, at: number) => {
    const isName = namesIn(text.slice(0, at + word.length), "").includes(word) && /^\p{Lu}/u.test(word);
    if (isName || common.has(word.toLowerCase())) return word;
    seen += 1;
    return seen % 4 === 0 ? `zq${seen.toString(26).replaceAll(/\d/gu, "x")}` : word;
  });
}

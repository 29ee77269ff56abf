import { join } from "node:path";

import { createGate, operator } from "../../src/access/gate.ts";
import { readFollowUp } from "../../src/answers/follow-up.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { searchWithHistory } from "../../src/knowledge-base/asking/search-with-history.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { createRandom, shuffle } from "./random.ts";
import type { Figure } from "./report.ts";
import { readLines } from "./wice.ts";

interface Turn {
  readonly speaker: "user" | "agent";
  readonly text: string;
}

interface MtragRow {
  readonly input: readonly Turn[];
  readonly contexts: readonly { readonly document_id: string; readonly text: string }[];
}

const topK = 10;
const rounds = 10_000;

/** A question that continues a conversation, and the passages that its answer needs. */
interface FollowUpQuestion {
  readonly question: string;
  readonly turns: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
  readonly wanted: ReadonlySet<string>;
}

/** Recall of follow-up questions of MTRAG-UN over the union of their contexts: searched as they stand, and with what they refer to. */
export async function measureFollowUps(data: string): Promise<readonly Figure[]> {
  const rows = readLines<MtragRow>(join(data, "answers/mtrag-un/reference.jsonl"));
  const passages = new Map(rows.flatMap(({ contexts }) => contexts.map((each) => [each.document_id, each.text])));
  const asked: readonly FollowUpQuestion[] = rows
    .filter(({ contexts, input }) => contexts.length > 0 && input.length > 1)
    .map(({ input, contexts }) => ({
      question: input.at(-1)!.text,
      turns: input
        .slice(0, -1)
        .map(({ speaker, text }) => ({ role: speaker === "user" ? "user" : "assistant", content: text })),
      wanted: new Set(contexts.map((each) => each.document_id)),
    }));

  await using kb = await openKnowledgeBase();
  const inputs = [...passages].map(([uri, text]) => ({ uri, text }));
  await kb.ingest(shuffle(inputs, 1), { settle: true });
  const scopes = createGate().read(operator, ["deployment"]);
  const retriever = {
    retrieve: (_: unknown, query: string, options: object = {}): Promise<readonly Hit[]> => kb.search(query, options),
  };
  const options = { topK, explain: true };
  const recallOf = (hits: readonly Hit[], wanted: ReadonlySet<string>): number =>
    new Set(hits.map(({ source }) => source.uri).filter((uri) => wanted.has(uri))).size / wanted.size;

  const alone: number[] = [];
  const beside: number[] = [];
  let continued = 0;
  for (const { question, turns, wanted } of asked) {
    alone.push(recallOf(await kb.search(question, options), wanted));
    const search = { retriever, scopes, question, turns, options, grounding: "preferred", analyzer: languageAnalyzer };
    const { hits } = await searchWithHistory({ ...search, grounding: "preferred" });
    beside.push(recallOf(hits, wanted));
    if (readFollowUp(question, turns, languageAnalyzer).words.length > 0) continued += 1;
  }
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const set = `mtrag-un, ${passages.size} passages`;
  const size = asked.length;
  return [
    { name: "recall@10, question alone", set, size, value: mean(alone) },
    { name: "recall@10, with what it refers to", set, size, value: mean(beside), atLeast: mean(alone) },
    { name: "p, paired randomisation", set, size, value: randomise(alone, beside), atMost: 0.05 },
    { name: "questions that words continue", set, size, value: continued / size },
  ];
}

/** Probability of a mean difference at least as large when each pair's sides are exchanged by chance. **Source** Smucker, Allan and Carterette (CIKM 2007). */
function randomise(a: readonly number[], b: readonly number[]): number {
  const differences = a.map((value, at) => b[at]! - value);
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  const random = createRandom(1);
  let reached = 0;
  for (let round = 0; round < rounds; round += 1) {
    let total = 0;
    for (const difference of differences) total += random() < 0.5 ? difference : -difference;
    if (Math.abs(total) >= observed - 1e-12) reached += 1;
  }
  return (reached + 1) / (rounds + 1);
}

// Test collections in BEIR's layout: `corpus.jsonl` and `queries.jsonl` (`_id`, `title`?, `text`), and `qrels.tsv` (query, document, grade; one heading line).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Chunk } from "../src/contracts/chunk.ts";

export interface Item {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

export interface Collection {
  readonly corpus: readonly Item[];
  /** Only queries with a document that is judged relevant. */
  readonly queries: readonly Item[];
  /** Grades above 0, by query, then document. */
  readonly judged: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

export function readCollection(folder: string): Collection {
  const judged = readJudgements(join(folder, "qrels.tsv"));
  return {
    corpus: readItems(join(folder, "corpus.jsonl")),
    queries: readItems(join(folder, "queries.jsonl")).filter(({ _id }) => judged.has(_id)),
    judged,
  };
}

export function readItems(path: string): readonly Item[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Item);
}

function readJudgements(path: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const judged = new Map<string, Map<string, number>>();
  for (const line of readFileSync(path, "utf8").split("\n").slice(1)) {
    const [query, document, grade] = line.split("\t");
    if (query === undefined || document === undefined || !(Number(grade) > 0)) continue;
    const grades = judged.get(query) ?? new Map<string, number>();
    grades.set(document, Number(grade));
    judged.set(query, grades);
  }
  return judged;
}

/** nDCG@10 with linear gains, and Recall@100, of one query's ranking. **Source** Järvelin and Kekäläinen (2002); as trec_eval's `ndcg_cut_10` and `recall_100`. */
export function scoreRanking(
  ranking: readonly string[],
  grades: ReadonlyMap<string, number>,
): { readonly ndcg: number; readonly recall: number } {
  const gains = ranking.slice(0, 100).map((document) => grades.get(document) ?? 0);
  const ideal = [...grades.values()].sort((x, y) => y - x);
  return {
    ndcg: discounted(gains.slice(0, 10)) / discounted(ideal.slice(0, 10)),
    recall: gains.filter((gain) => gain > 0).length / ideal.length,
  };
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
}

/** A document as one chunk, so that figures are those of the ranking alone. */
export function toChunk({ _id, title = "", text }: Item): Chunk {
  return {
    type: "text-chunk",
    id: _id,
    documentId: _id,
    uri: _id,
    title,
    text,
    urtext: text,
    start: 0,
    end: text.length,
    index: 0,
    sectionId: "0",
    headings: [],
    metadata: {},
    origin: "user-content",
  };
}

/**
 * Measures a list of synonyms over 70 generated reports of 12 pages, whose names carry company and year.
 * A third of the 100 questions use another word than the page.
 *
 * `npx node bench/synonyms.ts`
 */
import { openKnowledgeBase } from "../src/knowledge-base/open/open-knowledge-base.ts";
import { isOnPage, list, type Question, questions, reports } from "./generated-reports.ts";

async function measure(synonyms: string | undefined): Promise<readonly (readonly [string, Record<string, string>])[]> {
  const kb = await openKnowledgeBase({ models: { embedding: null }, search: { synonyms } });
  await kb.ingest(reports);
  const ranks: number[] = [];
  for (const question of questions) {
    const hits = await kb.search(question.text, { topK: 20 });
    const at = hits.findIndex(({ source }) => isOnPage(question, source));
    ranks.push(at < 0 ? Infinity : at + 1);
  }
  await kb.close();
  const share = (chosen: (question: Question) => boolean): Record<string, string> => {
    const own = ranks.filter((_, i) => chosen(questions[i]!));
    const at = (k: number): string => `${((100 * own.filter((rank) => rank <= k).length) / own.length).toFixed(1)} %`;
    return { questions: String(own.length), "page@1": at(1), "page@5": at(5), "page@20": at(20) };
  };
  const name = synonyms === undefined ? "without" : "with";
  return [
    [`${name}: all`, share(() => true)],
    [`${name}: the page's word`, share(({ other }) => !other)],
    [`${name}: another word`, share(({ other }) => other)],
  ];
}

console.table(Object.fromEntries([...(await measure(undefined)), ...(await measure(list))]));

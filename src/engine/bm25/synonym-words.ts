import type { Analyzer } from "../../contracts/analyzer.ts";
import type { SynonymRule } from "../../contracts/leg.ts";
import type { QueryWord } from "./bm25-scoring.ts";
import { analyzeQuery } from "./query-words.ts";

type Group = readonly string[];

/** A rule, analysed. */
interface PreparedRule {
  readonly rule: SynonymRule;
  readonly from: readonly Group[];
  readonly to: readonly Group[];
}

/** Rules by the terms of their first word. */
type PreparedRules = ReadonlyMap<string, readonly PreparedRule[]>;

const prepared = new WeakMap<readonly SynonymRule[], { readonly key: string; readonly rules: PreparedRules }>();

/**
 * Finds the words that a list of synonyms adds to a query: those of each phrase whose counterpart stands in the query, word by word.
 *
 * **Shape** words that the query has are not added; of a word that several rules add, the highest weight counts. Function words of a phrase are left out, unless it
 * has no others. **Cost** the list is analysed once for the languages of the searched chunks.
 */
export function findSynonyms(
  analyzer: Analyzer,
  query: string,
  languages: readonly string[],
  rules: readonly SynonymRule[],
  own: readonly QueryWord[],
): readonly QueryWord[] {
  const byFirst = prepare(analyzer, languages, rules);
  const groups = analyzeQuery(analyzer, query, languages);
  const held = new Set(own.flatMap(({ terms }) => terms));
  const added = new Map<string, QueryWord>();
  groups.forEach((group, at) => {
    for (const { rule, from, to } of new Set(group.flatMap((term) => byFirst.get(term) ?? []))) {
      if (!from.every((word, i) => groups[at + i]?.some((term) => word.includes(term)))) continue;
      for (const terms of to) {
        if (terms.some((term) => held.has(term))) continue;
        const key = terms.join("\u0000");
        if ((added.get(key)?.count ?? 0) < rule.weight) {
          added.set(key, { terms, count: rule.weight, synonymOf: rule.from });
        }
      }
    }
  });
  return [...added.values()];
}

function prepare(analyzer: Analyzer, languages: readonly string[], rules: readonly SynonymRule[]): PreparedRules {
  const key = languages.join(" ");
  const known = prepared.get(rules);
  if (known !== undefined && known.key === key) return known.rules;
  const functionTerms = new Set(
    languages.flatMap((language) => analyzer.analyze(analyzer.functionWords?.[language] ?? "", language)),
  );
  const analyzed = new Map<string, readonly Group[]>();
  const groupsOf = (phrase: string): readonly Group[] => {
    let groups = analyzed.get(phrase);
    if (groups === undefined) analyzed.set(phrase, (groups = analyzeQuery(analyzer, phrase, languages)));
    return groups;
  };
  const byFirst = new Map<string, PreparedRule[]>();
  for (const rule of rules) {
    const from = groupsOf(rule.from);
    const all = groupsOf(rule.to);
    const bearing = all.filter((group) => !group.some((term) => functionTerms.has(term)));
    const one = { rule, from, to: bearing.length === 0 ? all : bearing };
    for (const term of from[0] ?? []) {
      const same = byFirst.get(term);
      if (same === undefined) byFirst.set(term, [one]);
      else same.push(one);
    }
  }
  prepared.set(rules, { key, rules: byFirst });
  return byFirst;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EvidenceSentence } from "../../src/answers/support/read-evidence.ts";
import { findSentences } from "../../src/text/find-sentences.ts";
import { shuffle } from "./random.ts";
import { readLines, type Wice } from "./wice.ts";

/** A sentence that its evidence supports. */
export interface SupportedSentence {
  readonly from: "wice" | "clapnq" | "docs";
  /** Id of the claim, in WiCE. */
  readonly id?: string;
  readonly kind: "verbatim" | "reworded";
  readonly sentence: string;
  readonly evidence: readonly EvidenceSentence[];
}

interface ClapnqLine {
  readonly passages: readonly { readonly title: string; readonly sentences: readonly string[] }[];
  readonly output: readonly { readonly answer: string; readonly selected_sentences: readonly string[] }[];
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");

/** Supported claims of WiCE, beside the first selection that holds their support. */
export function readSupportedClaims({ rows }: Wice): readonly SupportedSentence[] {
  const first = new Map(
    rows
      .filter(({ label }) => label === "supported")
      .toReversed()
      .map((row) => [row.id, row]),
  );
  return [...first.values()].map(({ id, claim, evidence }) => ({
    from: "wice",
    id,
    kind: "reworded",
    sentence: claim,
    evidence,
  }));
}

/** Sentences of people's answers (reworded), and sentences that they chose (verbatim), beside their passage. */
export function readClapnq(data: string): readonly SupportedSentence[] {
  const lines = readLines<ClapnqLine>(join(data, "answers", "clapnq", "answerable.jsonl"));
  return lines.flatMap(({ passages, output }) => {
    const evidence = passages.flatMap(({ title, sentences }) => sentences.map((text) => ({ text, title })));
    const known = evidence.map(({ text }) => plain(text));
    const made = new Map<string, SupportedSentence>();
    for (const { answer, selected_sentences: chosen } of output) {
      const said = findSentences(answer).map(({ start, end }) => answer.slice(start, end));
      for (const sentence of [...said, ...chosen]) {
        if (
          sentence.split(/\s+/u).length < 6 ||
          !/^[\p{P}\s`]*[\p{Lu}\p{N}]/u.test(sentence) ||
          made.has(plain(sentence))
        )
          continue;
        const kind = known.some((text) => text.includes(plain(sentence))) ? "verbatim" : "reworded";
        made.set(plain(sentence), { from: "clapnq", kind, sentence, evidence });
      }
    }
    return [...made.values()];
  });
}

/** Prose of the pages that answer a question, each beside its neighbours. */
export function readDocs(data: string, most: number): readonly SupportedSentence[] {
  const questions = readLines<{ readonly uris: readonly string[]; readonly answerable: boolean }>(
    join(data, "docs-qa", "haystack.jsonl"),
  );
  const uris = [...new Set(questions.filter(({ answerable }) => answerable).flatMap((question) => question.uris))];
  const sentences = uris.flatMap((uri): SupportedSentence[] => {
    const text = readFileSync(join(data, "docs", uri), "utf8");
    const title = /^title: "?([^"\n]+)/mu.exec(text)?.[1] ?? "";
    const prose = findSentences(text, { openFence: text.startsWith("---\n") ? "---" : "" })
      .filter(({ kind }) => kind === "prose")
      .map(({ start, end }) => text.slice(start, end));
    return prose.flatMap((sentence, at) => {
      if (sentence.split(/\s+/u).length < 8 || !/^[\p{L}`*_].*[.!]$/su.test(sentence)) return [];
      const evidence = prose.slice(Math.max(0, at - 6), at + 7).map((each) => ({ text: each, title }));
      return [{ from: "docs", kind: "verbatim", sentence, evidence }];
    });
  });
  return shuffle(sentences, 5).slice(0, most);
}

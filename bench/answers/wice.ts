import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EvidenceSentence } from "../../src/answers/support/read-evidence.ts";

/** A claim of WiCE beside one selection of evidence. **Source** Kamoi et al., WiCE: Real-World Entailment for Claims in Wikipedia (EMNLP 2023). */
export interface WiceRow {
  readonly id: string;
  readonly claim: string;
  readonly label: "supported" | "partially_supported" | "not_supported";
  readonly evidence: readonly EvidenceSentence[];
}

/** A part of a claim, with the words that no evidence supports. */
export interface WiceTokens {
  /** Id of the claim that it is a part of. */
  readonly id: string;
  readonly claim: string;
  readonly evidence: readonly EvidenceSentence[];
  /** Half open. */
  readonly unsupported: readonly (readonly [start: number, end: number])[];
}

interface Line {
  readonly claim: string;
  readonly label: WiceRow["label"];
  readonly evidence: readonly string[];
  readonly supporting_sentences?: readonly (readonly number[])[];
  readonly non_supported_spans?: readonly boolean[];
  readonly claim_tokens?: readonly string[];
  readonly meta: { readonly id: string; readonly claim_title: string };
}

export const readLines = <T>(file: string): readonly T[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);

export interface Wice {
  readonly rows: readonly WiceRow[];
  readonly tokens: readonly WiceTokens[];
  /** Distinct sentences of all evidence. */
  readonly sentences: readonly string[];
}

export function readWice(data: string): Wice {
  const folder = join(data, "answers", "wice");
  const read = (name: string): readonly Line[] => readLines<Line>(join(folder, name));
  const claims = read("claims.jsonl");
  const lines = [...read("non_supported_tokens.jsonl"), ...read("non_supported_tokens_train.jsonl")];
  return {
    rows: read("oracle_chunks.jsonl").map(({ claim, label, evidence, meta }) => ({
      id: meta.id,
      claim,
      label,
      evidence: evidence.map((text) => ({ text, title: meta.claim_title })),
    })),
    tokens: lines.map((line) => ({
      id: line.meta.id.replace(/-\d+$/u, ""),
      claim: line.claim,
      evidence: nearSupport(line).map((text) => ({ text, title: line.meta.claim_title })),
      unsupported: placeSpans(line),
    })),
    sentences: [...new Set([...claims, ...lines].flatMap(({ evidence }) => evidence))],
  };
}

/** As much evidence as a chunk holds: what supports the claim, and its surroundings up to fifteen sentences. */
function nearSupport({ evidence, supporting_sentences: sets = [] }: Line): readonly string[] {
  const chosen = new Set(sets.flat().filter((at) => at < evidence.length));
  for (let distance = 1; chosen.size < Math.min(15, evidence.length) && distance < evidence.length; distance += 1) {
    for (const at of sets.flat()) {
      for (const near of [at - distance, at + distance]) {
        if (near >= 0 && near < evidence.length && chosen.size < 15) chosen.add(near);
      }
    }
    if (sets.flat().length === 0) chosen.add(distance - 1);
  }
  return [...chosen].toSorted((a, b) => a - b).map((at) => evidence[at]!);
}

function placeSpans({ claim, claim_tokens: tokens = [], non_supported_spans: flags = [] }: Line): [number, number][] {
  const spans: [number, number][] = [];
  let from = 0;
  for (const [i, token] of tokens.entries()) {
    const start = claim.indexOf(token, from);
    if (start < 0) continue;
    from = start + token.length;
    if (flags[i] === true) spans.push([start, from]);
  }
  return spans;
}

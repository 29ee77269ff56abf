import type { Analyzer } from "../contracts/analyzer.ts";
import type { Chunk } from "../contracts/chunk.ts";
import { createByteReader, createByteWriter, decodeText, encodeText } from "./bytes.ts";

/** The terms of one chunk, each once, with how often it occurs. */
export interface ChunkTerms {
  readonly terms: readonly string[];
  readonly counts: readonly number[];
  /** Sum of the counts. */
  readonly length: number;
}

/**
 * What a chunk is found by: the words of its document's title and of its headings, each name once, and of its text.
 *
 * A passage under "Opting out" is about what its page is about, and seldom says so.
 */
export function analyzeChunk(
  analyzer: Analyzer,
  { title, headings, text }: Pick<Chunk, "title" | "headings" | "text">,
): ChunkTerms {
  const counted = new Map<string, number>();
  let length = 0;
  for (const part of [...new Set([title, ...headings]), text]) {
    for (const term of analyzer.analyze(part)) {
      counted.set(term, (counted.get(term) ?? 0) + 1);
      length++;
    }
  }
  return { terms: [...counted.keys()], counts: [...counted.values()], length };
}

/** Names what terms are made by, so that a store can tell when to make them again. Change it with {@link analyzeChunk}. */
export function termsFingerprint({ fingerprint }: Analyzer): string {
  return `names and text/${fingerprint}`;
}

/** **Shape** number of terms, their counts, then the terms as a JSON list. */
export function encodeTerms({ terms, counts }: ChunkTerms): Uint8Array {
  const writer = createByteWriter(terms.length * 10 + 16);
  writer.varint(terms.length);
  for (const count of counts) writer.varint(count);
  writer.bytes(encodeText(JSON.stringify(terms)));
  return writer.take();
}

export function decodeTerms(bytes: Uint8Array): ChunkTerms {
  const reader = createByteReader(bytes);
  const counts: number[] = [];
  let length = 0;
  for (let left = reader.varint(); left > 0; left--) {
    const count = reader.varint();
    counts.push(count);
    length += count;
  }
  return { terms: JSON.parse(decodeText(bytes.subarray(reader.position))) as string[], counts, length };
}

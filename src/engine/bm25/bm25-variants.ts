/** The formulas that go by the name of BM25. **Source** Kamphuis, de Vries, Boytsov and Lin, Which BM25 Do You Mean? (ECIR 2020), compares them. */
export type Bm25Variant = "bm25f" | "robertson" | "lucene" | "atire" | "bm25l" | "bm25+" | "toolup";

/**
 * A BM25 formula: a term gives a chunk `idf · (gain · f / (k1 + f) + bonus)` with `f` the term's normalised frequency plus `shift`, and 0 to a
 * chunk without it.
 */
export interface Bm25Formula {
  /** Rarity of a term that `df` of `n` chunks have. Never negative. */
  idf(n: number, df: number): number;
  gain(k1: number): number;
  readonly shift: number;
  readonly bonus: number;
  /** Whether names weigh by themselves; otherwise they count as a part of the text. */
  readonly fields: boolean;
  /** Whether lengths are known to a byte only. */
  readonly coarse: boolean;
  /** Whether a word that a query repeats counts once. */
  readonly distinct: boolean;
}

/** `ln(1 + (N - df + 0.5) / (df + 0.5))`, never negative. **Source** Lucene's `BM25Similarity`. */
function positiveIdf(n: number, df: number): number {
  return Math.log(1 + (n - df + 0.5) / (df + 0.5));
}

const plain = {
  gain: (k1: number) => k1 + 1,
  shift: 0,
  bonus: 0,
  fields: false,
  coarse: false,
  distinct: false,
} as const;

/**
 * The formulas by name.
 *
 * - `bm25f` (default): each field's frequency is normalised by that field's length, then weighed and added. **Source** Zaragoza et al., Microsoft
 *   Cambridge at TREC-13 (2004); Robertson and Zaragoza (2009), 3.6; with Lucene's idf.
 * - `robertson`: idf `ln((N - df + 0.5) / (df + 0.5))`, so a term that half of the chunks have is worth nothing. **Source** Robertson et al., Okapi at TREC-3 (1994).
 * - `lucene`: lengths rounded down to one of 256, no `k1 + 1`. **Source** Lucene 9's `BM25Similarity` and `SmallFloat`.
 * - `atire`: idf `ln(N / df)`. **Source** Trotman, Jia and Crane, Towards an Efficient and Effective Search Engine (2012).
 * - `bm25l`: 0.5 is added to the normalised frequency, so that long chunks lose less. **Source** Lv and Zhai, When Documents Are Very Long, BM25 Fails! (SIGIR 2011).
 * - `bm25+`: a chunk that has a term gets 1 more for it, however long it is. **Source** Lv and Zhai, Lower-Bounding Term Frequency Normalization (CIKM 2011).
 * - `toolup`: Lucene's idf, and each word of a query once, however often the query repeats it; `b` is 0.75 unless it is given. **Source** ToolUp.RAG.
 */
export const bm25Formulas: Readonly<Record<Bm25Variant, Bm25Formula>> = {
  bm25f: { ...plain, idf: positiveIdf, fields: true },
  robertson: { ...plain, idf: (n, df) => Math.max(0, Math.log((n - df + 0.5) / (df + 0.5))) },
  lucene: { ...plain, idf: positiveIdf, gain: () => 1, coarse: true },
  atire: { ...plain, idf: (n, df) => (df === 0 ? 0 : Math.log(n / df)) },
  bm25l: { ...plain, idf: (n, df) => Math.log((n + 1) / (df + 0.5)), shift: 0.5 },
  "bm25+": { ...plain, idf: (n, df) => (df === 0 ? 0 : Math.log((n + 1) / df)), bonus: 1 },
  toolup: { ...plain, idf: positiveIdf, distinct: true },
};

/** `b` of a variant that has its own. **Source** ToolUp.RAG. */
export const ownB: Partial<Record<Bm25Variant, number>> = { toolup: 0.75 };

/** Lengths below this are kept as they are. */
const exact = 24;

/**
 * A length as Lucene remembers it: in one byte, exact up to 39, then with four significant bits.
 *
 * **Source** Lucene's `SmallFloat.intToByte4` and `byte4ToInt`.
 */
export function coarseLength(length: number): number {
  const rest = length - exact;
  if (rest < 16) return length;
  const shift = 28 - Math.clz32(rest);
  return exact + ((rest >>> shift) << shift);
}

import type { Complete } from "../../contracts/complete.ts";
import type { Bm25Variant } from "./bm25-variants.ts";

/**
 * How terms are weighed.
 *
 * @experimental
 */
export interface Bm25Options {
  /** Default `"bm25f"`. */
  readonly variant?: Bm25Variant | undefined;
  /** How slowly repetition of a term stops counting. Default 1.2. */
  readonly k1?: number | undefined;
  /** How much the length of a chunk's text counts against it, from 0 to 1. Default 0.5; 0.75 for `toolup`. */
  readonly b?: number | undefined;
  /** How often an occurrence in title or headings counts, against one in the text; for `bm25f`. Default 2. */
  readonly nameWeight?: number | undefined;
  /** As `b`, for the length of title and headings together; for `bm25f`. Default 0.5. */
  readonly nameB?: number | undefined;
  /** How often an occurrence in the file's name counts, against one in the text; for `bm25f`. 0 leaves the field out. Default 10. */
  readonly fileWeight?: number | undefined;
  /** As `b`, for the length of the file's name; for `bm25f`. Default 0.5. */
  readonly fileB?: number | undefined;
  /** How much a title or file name counts that the query says wholly; for `bm25f`. Default 0.5. */
  readonly naming?: number | undefined;
  /** How much BM25 over the whole document counts, for its chunks that match; for `bm25f`. Default 0.3. */
  readonly document?: number | undefined;
  /** How much the innermost heading counts when the query says it wholly; for `bm25f`. Default 0.5. */
  readonly heading?: number | undefined;
}

/** Every option, decided. */
export type Bm25Settings = Complete<Bm25Options>;

/**
 * **Source** `k1` as ToolUp has it, in the middle of what Robertson and Zaragoza found to work (2009). `b` is lower than theirs (0.75), for chunks
 * are cut to one size and differ in length by chance; docs/decisions/0018.
 */
export const defaultBm25: Bm25Settings = {
  variant: "bm25f",
  k1: 1.2,
  b: 0.5,
  nameWeight: 2,
  nameB: 0.5,
  fileWeight: 10,
  fileB: 0.5,
  naming: 0.5,
  document: 0.3,
  heading: 0.5,
};

/** Settings that leave out the names of files, and the parts of documents and headings: words alone. */
export const wordsAlone = { fileWeight: 0, naming: 0, document: 0, heading: 0 } as const;

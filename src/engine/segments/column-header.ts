import type { EmbeddingKind } from "../../contracts/embedding.ts";
import type { DenseForm } from "../vectors/dense-rows.ts";

/** Facts about a column of a segment that need no read of it. */
export interface ColumnHeader {
  readonly version: string;
  readonly kind: EmbeddingKind;
  /** Absent for 32-bit floats. */
  readonly form?: DenseForm;
  readonly dimensions: number;
  readonly rows: number;
  /** Rows in a file of 32-bit rows. Absent in columns without codes, from an older format: these have blocks of 1 MB. */
  readonly rowsPerBlock?: number;
}

/** Block size of 32-bit rows. A search reads only the rows that it must score, so blocks are small. */
const denseBlockBytes = 1 << 15;

export function rowsPerBlock(dimensions: number, blockBytes = denseBlockBytes): number {
  return Math.max(1, Math.floor(blockBytes / (4 * Math.max(1, dimensions))));
}

/** Codes lie in blocks of this size: large enough to be read fast, small enough to be written and read without holding up everybody. */
export const codeBlockBytes = 1 << 20;

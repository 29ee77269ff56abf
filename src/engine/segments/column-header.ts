import type { EmbeddingKind } from "../../contracts/embedding.ts";
import type { DenseForm } from "../vectors/dense-rows.ts";

/** What a segment says of a column before anybody reads it. */
export interface ColumnHeader {
  readonly version: string;
  readonly kind: EmbeddingKind;
  /** Absent for 32-bit floats. */
  readonly form?: DenseForm;
  readonly dimensions: number;
  readonly rows: number;
  /** Of the files of 32-bit rows. Absent in columns from before there were codes: those have blocks of 1 MB, and no codes. */
  readonly rowsPerBlock?: number;
}

/** Of 32-bit rows a search reads only those that it must score, so their blocks are small: one is read for the sake of one row. */
const denseBlockBytes = 1 << 15;

export function rowsPerBlock(dimensions: number, blockBytes = denseBlockBytes): number {
  return Math.max(1, Math.floor(blockBytes / (4 * Math.max(1, dimensions))));
}

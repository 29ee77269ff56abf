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

/** Pages of the file in which blocks of a segment lie, see `sqlite-schema.ts`. **Units** bytes, as the others. */
const pageBytes = 8192;

/** Bytes of a row beside its block: the column's name, numbers, and lengths. */
const besideBlock = 24;

/**
 * Rows in a block of a new column: the number near a block of 32 KiB that leaves the least of SQLite's pages unused. A header keeps the number, so older columns keep
 * theirs.
 *
 * **Source** SQLite's file format, "B-tree Cell Format": the part of a large value that stands in the table's own page.
 */
export function rowsOfNewBlock(dimensions: number): number {
  const wanted = rowsPerBlock(dimensions);
  let best = wanted;
  for (let rows = wanted; rows <= wanted * 1.4; rows++)
    if (pagesOf(rows, dimensions) / rows < pagesOf(best, dimensions) / best) best = rows;
  return best;
}

/** Pages that a block takes, those counted in part that it shares. */
function pagesOf(rows: number, dimensions: number): number {
  const payload = 4 * dimensions * rows + besideBlock;
  const most = pageBytes - 35;
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
  const rest = least + ((payload - least) % (pageBytes - 4));
  const local = payload <= most ? payload : rest <= most ? rest : least;
  const sharing = Math.floor((pageBytes - 8) / (local + 13));
  return 1 / Math.max(1, sharing) + Math.ceil((payload - local) / (pageBytes - 4));
}

/** Codes lie in blocks of this size: large enough to be read fast, small enough to be written and read without holding up everybody. */
export const codeBlockBytes = 1 << 20;

// Input of a work, and its results: figures to keep, and bars that are met or not.
import type { Data } from "./data.ts";

export interface Bench {
  readonly data: Data;
  /** Numbers of passages to work with, ascending. */
  readonly sizes: readonly number[];
  /** Passages that are the judged collection's own. */
  readonly collectionSize: number;
  /** Where contestants may write; a folder each. */
  readonly scratch: string;
  /** Documents in Markdown, to ingest. */
  readonly documents: string;
  /** Whether Python with NumPy, and with FAISS, is there. */
  readonly numpy: boolean;
  readonly faiss: boolean;
  log(line: string): void;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Bar {
  readonly what: string;
  readonly wanted: string;
  readonly measured: string;
  readonly met: boolean;
}

export interface Section {
  readonly title: string;
  /** The work, in a sentence or two. */
  readonly about: string;
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
  /** The figures themselves. */
  readonly figures: unknown;
}

export type Work = (bench: Bench) => Promise<Section>;

export function ratio(theirs: number, ours: number): string {
  const value = theirs / ours;
  return `${value.toFixed(value < 10 ? 2 : 0)} ×`;
}

export function milliseconds(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  return ms < 1 ? ms.toFixed(3) : ms < 100 ? ms.toFixed(2) : ms.toFixed(0);
}

export function count(number: number): string {
  return number.toLocaleString("en-US");
}

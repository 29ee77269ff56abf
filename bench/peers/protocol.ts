// Messages between the command and its contestants' processes: one JSON object a line, on stdin and stdout.

/** The first line: who the process is, and what it works on. */
export interface Spec {
  readonly contestant: string;
  readonly folder: string;
  /** Folder of files of `batchSize` passages each; null in a work without texts. */
  readonly passages: string | null;
  /** File of 32-bit floats; null in a work without vectors. */
  readonly vectors: string | null;
  readonly dimensions: number;
  readonly count: number;
  readonly batchSize: number;
  readonly topK: number;
  /** File of `{ text, below? }`, one a line. */
  readonly queryTexts: string;
  readonly queryVectors: string | null;
}

export type Request =
  | { readonly op: "index" }
  | { readonly op: "query"; readonly from: number; readonly count: number; readonly budgetMs: number }
  | { readonly op: "memory" }
  | { readonly op: "reopen" }
  | { readonly op: "close" };

export interface IndexReply {
  readonly ms: number;
  /** Processor time of all threads: what is left of the figure when others use the machine. */
  readonly cpuMs: number;
  /** Bytes of memory before the first passage came. */
  readonly before: number;
}

export interface MemoryReply {
  /** Resident, garbage collected. */
  readonly bytes: number;
}

export interface ReopenReply {
  /** Null from who cannot. */
  readonly ms: number | null;
}

export interface QueryReply {
  /** One per query that was answered within the budget; at least one. */
  readonly ms: readonly number[];
  /** Processor time of all threads, for all of them together. */
  readonly cpuMs: number;
  readonly ids: readonly (readonly string[])[];
}

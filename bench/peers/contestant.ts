// The interface of every contestant, so that all get the same passages, vectors and queries, and are timed by the same
// clock.

export interface Passage {
  /** Its number in the data set, as a string. */
  readonly id: string;
  readonly text: string;
  /** From 0 to 999, evenly spread: what filters select by. */
  readonly slot: number;
}

export interface Batch {
  readonly passages: readonly Passage[];
  /** Rows end to end; empty in a work without vectors. */
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

export interface Query {
  readonly text: string;
  readonly vector: Float32Array;
  /** Only passages whose slot is below this. */
  readonly below?: number;
}

/** Given to a contestant when it is made. */
export interface Setting {
  /** An empty folder of its own. */
  readonly folder: string;
  readonly dimensions: number;
  /** Passages that will come, for those who reserve. */
  readonly count: number;
  readonly topK: number;
}

/**
 * One library with one way to search. `shape` and `shapeQuery` bring data into what the library's users hold anyway and are not timed; all else is.
 */
export interface Contestant<Shaped = unknown, ShapedQuery = unknown> {
  shape(batch: Batch): Shaped;
  add(batch: Shaped): void | Promise<void>;
  /** Work that must be done before the first query is as fast as the later ones. */
  finish?(): void | Promise<void>;
  shapeQuery(query: Query): ShapedQuery;
  /** Ids, best first, at most `topK`. */
  query(query: ShapedQuery): readonly string[] | Promise<readonly string[]>;
  /** Opens what it left in its folder as a new process would, and answers one query. Only where there is something to open. */
  reopen?(query: ShapedQuery): void | Promise<void>;
  close?(): void | Promise<void>;
}

export type CreateContestant = (setting: Setting) => Contestant | Promise<Contestant>;

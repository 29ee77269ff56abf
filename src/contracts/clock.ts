/** Time as whatever waits for it sees it; in tests, another one. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once, after so long. **Shape** what stops it. */
  after(ms: number, call: () => void): () => void;
}

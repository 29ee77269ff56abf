/**
 * Time as whatever waits for it sees it; in tests, another one.
 *
 * @experimental
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once, after `ms`. **Shape** a function that cancels the call. */
  after(ms: number, call: () => void): () => void;
}

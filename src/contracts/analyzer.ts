/**
 * Text to the terms it is found by. The same analyzer must see documents and queries.
 *
 * **Shape** terms in order of appearance, with repetition; never a blank one.
 */
export interface Analyzer {
  /** Names everything that changes the terms, Unicode version included: an index opened with another analyzer must be rebuilt. */
  readonly fingerprint: string;
  analyze(text: string): readonly string[];
}

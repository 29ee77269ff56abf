/**
 * Text to the terms it is found by. The same analyzer must see documents and queries.
 *
 * **Shape** terms in order of appearance, with repetition; never a blank one.
 *
 * @experimental
 */
export interface Analyzer {
  /** Names everything that changes the terms, Unicode version included: an index opened with another analyzer must be rebuilt. */
  readonly fingerprint: string;
  /** A document's text, in its language when that is known; see `Chunk.language`. An analyzer that treats all languages alike ignores it. */
  analyze(text: string, language?: string): readonly string[];
  /** Words that sentences and questions are made of in every subject, by language and separated by white space. Default: those of the core. */
  readonly functionWords?: Readonly<Record<string, string>>;
  /** Language that `analyze` assumes for a text of unknown language; `""` when undecided. An index keeps it with the terms. Default: `""`. */
  languageOf?(text: string): string;
  /**
   * A query's words, each as the terms under which documents of the given languages may hold it; `""` stands for documents of no known language.
   *
   * **Shape** in order of appearance, with repetition; no group is empty, and no term stands twice in one. Default: every term of `analyze` by itself.
   */
  analyzeQuery?(text: string, languages: readonly string[]): readonly (readonly string[])[];
}

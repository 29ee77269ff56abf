/** The distinct terms of one text, with how often each occurs; order does not matter. */
export interface TermCounts {
  readonly terms: readonly string[];
  readonly counts: readonly number[];
}

/** What a latent-semantic model knows of one term: enough to embed any text that has it, so a query reads a row for each of its words and nothing else. */
export interface LatentTerm {
  /** The term's coordinates, rounded; times {@link scale} they are its row of the right singular vectors. */
  readonly row: Int8Array;
  /** **Units** a 32-bit float, so that it survives being stored as one. */
  readonly scale: number;
  /** How much the term says, from 0 (it is everywhere alike) to 1. **Units** a 32-bit float. */
  readonly weight: number;
}

/** A {@link LatentTerm} by its name. */
export interface NamedLatentTerm extends LatentTerm {
  readonly term: string;
}

/** Change it when the same counts would get another vector. */
export const latentSemanticVersion = 1;

/** What an unseen term weighs, when it is asked how much of a text the model captures: as much as a term can. */
export const unseenWeight = 1;

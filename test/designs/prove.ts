/** One item of the five designs as a stranger meets it: done through public names, its effect asserted. */
export interface Proof {
  /** Such as `"B20"`. */
  readonly item: string;
  /** The part of the item that is shown, or the whole. */
  readonly title: string;
  /** Throws when the item does not hold. */
  run(): unknown;
}

/** A proof of one item. */
export function prove(item: string, title: string, run: () => unknown): Proof {
  return { item, title, run };
}

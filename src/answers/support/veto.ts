/** A reason for which a sentence cannot count as supported, and the word of it. **Units** UTF-16 code units of the sentence, half open. */
export interface Veto {
  readonly kind: "number" | "name" | "negation" | "quantifier" | "unit" | "relation" | "modal" | "role" | "connection";
  readonly start: number;
  readonly end: number;
}

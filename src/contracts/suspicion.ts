import type { Scope } from "./scope.ts";

/**
 * Form of a passage that addresses a model rather than a reader. Meaning is not judged: no form tells an instruction from a report of one.
 *
 * - `comment`, `hidden`: parts that no page shows: comments; elements without display, size or opacity, scripts and templates.
 * - `invisible`, `direction`, `tags`: characters without a shape, that turn the direction of others, and Unicode's tags, which spell whole texts unseen.
 * - `role`: a turn of a conversation or a model's own tokens: `<|im_start|>`, `### Instruction`, `Human:`.
 * - `tool-call`: a tool call in a model's notation.
 * - `delimiter`: a passage that could pass for the end of quoted material.
 *
 * @experimental
 */
export type SuspicionKind =
  | "comment"
  | "hidden"
  | "invisible"
  | "direction"
  | "tags"
  | "role"
  | "tool-call"
  | "delimiter";

/**
 * **Units** UTF-16, half open.
 *
 * @experimental
 */
export interface Suspicion {
  readonly kind: SuspicionKind;
  readonly start: number;
  readonly end: number;
  /** The passage; at most its first 200 characters. */
  readonly quote: string;
  /** Text that tag characters spell. */
  readonly says?: string;
}

/**
 * A finding in a document. `start` and `end` count in its canonical text.
 *
 * @experimental
 */
export interface DocumentSuspicion extends Suspicion {
  readonly uri: string;
  readonly scope: Scope;
}

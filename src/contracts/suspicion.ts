import type { Scope } from "./scope.ts";

/**
 * What in a text speaks to a model rather than to its reader, by form. What sentences mean is not judged: no form tells an instruction from a report of one.
 *
 * - `comment`, `hidden`: what a page shows nobody: comments; elements without display, size or opacity, scripts and templates.
 * - `invisible`, `direction`, `tags`: characters without a shape, that turn the direction of others, and Unicode's tags, which spell whole texts unseen.
 * - `role`: a turn of a conversation or a model's own tokens: `<|im_start|>`, `### Instruction`, `Human:`.
 * - `tool-call`: a call of a tool as models write it. `delimiter`: what could be taken for the end of quoted material.
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

/** **Units** UTF-16, half open. */
export interface Suspicion {
  readonly kind: SuspicionKind;
  readonly start: number;
  readonly end: number;
  /** What stands there; of long findings the first 200. */
  readonly quote: string;
  /** What tag characters spell. */
  readonly says?: string;
}

/** A finding in a document. `start` and `end` count in its canonical text. */
export interface DocumentSuspicion extends Suspicion {
  readonly uri: string;
  readonly scope: Scope;
}

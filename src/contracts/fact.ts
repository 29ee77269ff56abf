import type { Metadata } from "./metadata.ts";

/**
 * A statement, and who stands for it.
 *
 * **Source** Embabel's `Fact`.
 *
 * @experimental
 */
export interface Fact {
  readonly id: string;
  /** The statement; it is what is embedded and searched. */
  readonly assertion: string;
  /** The person, work or address that states it. */
  readonly authority: string;
  /** Address of its source. */
  readonly uri?: string;
  readonly metadata: Metadata;
}

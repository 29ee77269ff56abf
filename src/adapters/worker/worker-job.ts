import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import type { PartInput } from "../../documents/read-document.ts";

/** A file on its way to the worker: which reader, by its place in the list that both sides have, and what it is given. */
export interface WorkerJob {
  readonly reader: number;
  readonly input: Omit<ReadInput, "signal" | "readPart">;
  /** Whether there are readers that live with the caller and are asked first for what the file carries inside. */
  readonly hasOwn: boolean;
}

/** What the worker asks of its caller. **Shape** `undefined`: nobody there takes what that names. */
export interface CallersPart {
  readonly part: PartInput;
}

/** What came of a part that the caller's own reader took. */
export type CallersResult = (ReadResult & { readonly mediaType: string }) | undefined;

import { availableParallelism } from "node:os";
import { createReadAhead } from "../../ingest/ahead/read-ahead.ts";
import { createLateAutoChunker } from "../../chunkers/late-auto-chunker.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { AsyncChunker, Chunker } from "../../contracts/chunker.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Reader } from "../../contracts/reader.ts";
import type { AssembleOptions } from "../assemble.ts";
import { createReaders } from "../../readers/create-readers.ts";
import { languageAnalyzer } from "../../text/languages/snowball/language-analyzer.ts";
import { findProgram } from "../../readers/start-readers.ts";

/** **Errors** `invalid-argument` for anything but those three. */
export function checkReadAhead(readAhead: unknown): void {
  if ([true, false, "auto"].some((known) => known === readAhead)) return;
  throw new IbidError("invalid-argument", `readAhead is ${JSON.stringify(readAhead)}.`, {
    hint: 'Say true, false or "auto".',
  });
}

/** What documents are made by; where it is all built in, a thread may do it ahead. **Shape** without a `chunker`, what was chosen or the default. */
export function chooseReadAhead(
  { analyzer, chunker, transformers = [] }: Pick<AssembleOptions, "analyzer" | "chunker" | "transformers">,
  readAhead: boolean | "auto",
): { readers: readonly Reader[]; analyzer: Analyzer; chunker?: Chunker | AsyncChunker } {
  const readers = createReaders();
  const isWanted = readAhead === "auto" ? availableParallelism() > 1 : readAhead;
  const isOwn = analyzer !== undefined || chunker !== undefined || transformers.length > 0;
  const program = isWanted && !isOwn ? findProgram("ahead-thread") : undefined;
  if (program === undefined) return { readers, analyzer: analyzer ?? languageAnalyzer };
  const parts = { readers, analyzer: languageAnalyzer, chunker: createLateAutoChunker() };
  return createReadAhead(parts, { program, atOnce: readAhead === true });
}

import type { Chosen } from "../contracts/complete.ts";
import type { TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Reader, ReadLimits, Source } from "../contracts/reader.ts";
import type { Run } from "../contracts/run.ts";
import { readDocument } from "../readers/read-document.ts";
import { walkSections } from "../text/walk-sections.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { hashParts } from "../runtime/hash.ts";
import { createRun } from "../runtime/create-run.ts";

/**
 * How a source is read without a knowledge base.
 *
 * @experimental
 */
export interface ReadSourceOptions {
  readonly limits?: Chosen<ReadLimits> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Counts of everything that a source gave.
 *
 * **Source** Embabel `DirectoryParsingResult`.
 *
 * @experimental
 */
export interface SourceReading {
  /** Read, refused and left out together. */
  readonly totalFilesFound: number;
  readonly filesProcessed: number;
  /** Left out by a rule before anything was read, as far as the source tells. */
  readonly filesSkipped: number;
  /** Refused, each with its error. */
  readonly filesErrored: number;
  readonly errors: readonly { readonly uri: string; readonly error: IbidError }[];
  /** Sections of all documents; a document without headings has one, its root. */
  readonly totalSectionsExtracted: number;
  /** **Units** milliseconds. */
  readonly processingTime: number;
  /** Whether everything that was found could be read. */
  readonly success: boolean;
}

/**
 * Reads that start when they are first awaited or iterated: `for await` gives the documents, `await` the counts.
 *
 * @experimental
 */
export type ReadRun = Run<TextDocument, SourceReading>;

/**
 * Reads every item of a source into a document without storing it, for programs that need texts and trees alone.
 *
 * **Shape** documents in the order of the source, with an id made of their uri and the origin `user-content`. `skipped` says at the end how many files
 * the source left out. **Errors** an unreadable item is counted and the rest continues; `aborted` ends it. **Cost** one document in memory at a time.
 * **Source** Embabel `parseDirectory`.
 *
 * @experimental
 */
export function readSource(
  source: Source,
  readers: readonly Reader[],
  options: ReadSourceOptions = {},
  skipped: () => number = () => 0,
): ReadRun {
  checkGiven("readSource", "source", source, "object", { items: "function" });
  checkOptions("readSource", options, { limits: true, signal: true });
  const { limits, signal } = options;
  return createRun(async function* () {
    const started = performance.now();
    const errors: { uri: string; error: IbidError }[] = [];
    let filesProcessed = 0;
    let oversized = 0;
    let totalSectionsExtracted = 0;
    for await (const item of source.items(signal)) {
      if ("error" in item && item.oversized === true) {
        oversized++;
        continue;
      }
      try {
        if ("error" in item) throw item.error;
        const { uri, mediaType, charset, metadata = {} } = item;
        const bytes = await item.bytes(signal);
        const read = await readDocument(readers, { uri, bytes, mediaType, charset, metadata, limits, signal });
        const { notes: _, ...result } = read;
        filesProcessed++;
        for (const __ of walkSections(read.root)) totalSectionsExtracted++;
        yield {
          type: "text",
          id: hashParts("document", uri),
          uri,
          origin: "user-content",
          ...result,
          title: item.title ?? read.title,
          metadata: { ...read.metadata, ...metadata },
        } satisfies TextDocument;
      } catch (error) {
        throwIfAborted(signal, "Reading");
        errors.push({ uri: item.uri, error: asIbidError(error, item.uri) });
      }
    }
    const filesSkipped = skipped() + oversized;
    return {
      totalFilesFound: filesProcessed + errors.length + filesSkipped,
      filesProcessed,
      filesSkipped,
      filesErrored: errors.length,
      errors,
      totalSectionsExtracted,
      processingTime: Math.round(performance.now() - started),
      success: errors.length === 0,
    };
  });
}

function asIbidError(error: unknown, uri: string): IbidError {
  if (IbidError.isInstance(error)) return error;
  return new IbidError("unreadable", `${uri} could not be read: its source failed.`, {
    hint: "Look at the source that was given; `cause` has its error.",
    uri,
    cause: error,
  });
}

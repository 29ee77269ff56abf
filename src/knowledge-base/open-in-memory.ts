import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { plainTextReader } from "../readers/text/plain-text-reader.ts";
import { checkOptions } from "../runtime/check-options.ts";
import {
  type AssembleOptions,
  assembleKnowledgeBase,
  assembleOptions,
  checkEventsOption,
  openMemory,
  takeStore,
} from "./assemble.ts";

/**
 * Opens a knowledge base in memory, on any JavaScript runtime; with `snapshots`, one that is kept. On Node the package's door gives the same name with files and durability.
 *
 * **Errors** `unsupported-runtime` for a location: there is no file system to keep it on. With `snapshots`, those of {@link openSnapshotStore}.
 */
export async function openKnowledgeBase(options?: AssembleOptions): Promise<KnowledgeBase>;
export async function openKnowledgeBase(location?: undefined, options?: AssembleOptions): Promise<KnowledgeBase>;
export async function openKnowledgeBase(first?: AssembleOptions, second: AssembleOptions = {}): Promise<KnowledgeBase> {
  const [location, options] = typeof first === "object" ? [undefined, first] : [first, second];
  if (location !== undefined) {
    throw new IbidError("unsupported-runtime", "This runtime has no file system to keep a knowledge base on.", {
      hint: "Call openKnowledgeBase() without a location, or run on Node.",
    });
  }
  checkOptions("openKnowledgeBase", options, assembleOptions);
  checkEventsOption(options.events);
  return assembleKnowledgeBase(takeStore(options) ?? (await openMemory(options)), options, {
    readers: [plainTextReader],
  });
}

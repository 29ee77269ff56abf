import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { plainTextReader } from "../readers/text/plain-text-reader.ts";
import { assembleKnowledgeBase, openMemory, readOpenArguments, takeStore } from "./open/assemble.ts";
import type { OpenOptions } from "./open/open-options.ts";

/**
 * Opens a knowledge base in memory, on any JavaScript runtime; with `snapshots`, one that is kept. On Node, the package exports one with files under the
 * same name.
 *
 * **Errors** `unsupported-runtime` for a location: this runtime has no file system. With `snapshots`, those of {@link openSnapshotStore}.
 */
export async function openKnowledgeBase(
  locationOrOptions?: OpenOptions,
  optionsOfLocation?: OpenOptions,
): Promise<KnowledgeBase> {
  const { location, options } = readOpenArguments(locationOrOptions, optionsOfLocation);
  if (location !== undefined) {
    throw new IbidError("unsupported-runtime", "This runtime has no file system to keep a knowledge base on.", {
      hint: "Call openKnowledgeBase() without a location, or run on Node.",
    });
  }
  // A page that takes the defaults does not load the table of options.
  if (Object.keys(options).length > 0) {
    const { checkOpenOptions, openOptions } = await import("./open/open-options.ts");
    checkOpenOptions(options, openOptions);
  }
  return assembleKnowledgeBase((await takeStore(options)) ?? (await openMemory(options)), options, {
    readers: [plainTextReader],
  });
}

import { join } from "node:path";
import { IbidError } from "../../src/contracts/errors.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createRandom } from "../../src/testing/random.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { scaled, type Tally } from "./tally.ts";

const promise = "A purge on a full disk hides at once, or says that nothing was purged";

/** Purges on a file system without a byte left; documents of any size, in bases that are open or are opened there. */
export async function attackFullDisk(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const disk = mountSmallDisk(24);
  const breaches: string[] = [];
  const tried = { promise, unit: "purges", breaches };
  if (disk === undefined) return [{ ...tried, attempts: 0, skipped: "this process may not mount a file system" }];
  let attempts = 0;
  try {
    for (let round = 0; round < scaled(30, size); round++) {
      const place = join(disk.folder, `kb-${round}`);
      let kb = await openKnowledgeBase(place);
      const sentences = 10 + random.below(2000);
      const text = Array.from({ length: sentences }, (_, i) => `Line ${i} says quetzal${i % 97}coatl.`).join(" ");
      await kb.ingest(
        [
          { uri: "a.md", text },
          { uri: "b.md", text: "Another text." },
        ],
        { settle: true },
      );
      const isReopened = random.below(2) === 0;
      if (isReopened) await kb.close();
      disk.fill();
      const told: string[] = [];
      try {
        if (isReopened) kb = await openKnowledgeBase(place);
        attempts++;
        const purged = await kb.delete("a.md", { purge: true }).catch((error: unknown) => {
          if (!IbidError.isInstance(error)) told.push(`not ours: ${String(error)}`);
          else if (!error.message.startsWith("Nothing was purged")) told.push(error.message);
          return IbidError.isInstance(error) && error.details["isHidden"] === true ? ("hidden" as const) : undefined;
        });
        const isFound = (await kb.document("a.md")) !== undefined;
        if (isFound === (purged !== undefined)) told.push(isFound ? "it can still be found" : "it cannot be found");
      } catch (error) {
        if (!IbidError.isInstance(error)) told.push(`not ours: ${String(error)}`);
      }
      await kb.close().catch((error: unknown) => told.push(`close: ${String(error)}`));
      breaches.push(...told.map((what) => `round ${round}, ${sentences} lines: ${what}`));
      disk.clear();
    }
  } finally {
    disk.remove();
  }
  return [{ ...tried, attempts }];
}

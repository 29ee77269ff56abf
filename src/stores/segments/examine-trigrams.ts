import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { openTrigrams, trigramFile } from "../../engine/patterns/trigram-file.ts";
import { trigramKinds } from "../../engine/patterns/trigrams.ts";
import type { DirectoryReader } from "./segment-directory.ts";
import { collectSegmentTrigrams } from "./trigram-keeper.ts";

/**
 * Whether a segment's trigram index agrees with the texts of its chunks. A segment without one counts as right: the next pattern search makes it.
 *
 * **Errors** whatever unreadable bytes cause. **Cost** collects the trigrams of every chunk anew.
 */
export function hasRightTrigrams(rows: DirectoryReader, segment: SealedSegment): boolean {
  const stored = openTrigrams(segment.size, (part) => rows.file(segment.row, trigramFile, part));
  if (stored === undefined) return true;
  const files = collectSegmentTrigrams(rows, segment);
  const anew = openTrigrams(segment.size, (part) => files[part]?.data)!;
  const length = (segment.size + 7) >> 3;
  const [said, seen] = [new Uint8Array(length), new Uint8Array(length)];
  for (let trigram = 0; trigram < trigramKinds; trigram++) {
    stored.mark(trigram, said.fill(0));
    anew.mark(trigram, seen.fill(0));
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      // Removed chunks are skipped: no search returns them.
      const differs = (said[ordinal >> 3]! ^ seen[ordinal >> 3]!) & (1 << (ordinal & 7));
      if (differs !== 0 && segment.present[ordinal] === 1) return false;
    }
  }
  return true;
}

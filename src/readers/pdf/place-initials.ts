import type { PdfRun } from "./pdf-runs.ts";

/** An initial is at least this many times as large as the text beside it. */
const minRise = 1.8;

/**
 * Large initials put into the line that they begin: set over two lines and more, they stand on the baseline of the last.
 *
 * **Cost** linear, and once more for each letter that stands alone.
 */
export function placeInitials(runs: readonly PdfRun[]): readonly PdfRun[] {
  const singles = runs.filter(({ text }) => /^["“«„]?\p{Lu}$/u.test(text.trim()));
  if (singles.length === 0 || singles.length > 50) return runs;
  const placed = new Map<PdfRun, PdfRun>();
  for (const initial of singles) {
    const beside = runs.filter(
      (run) =>
        run.size * minRise <= initial.size &&
        run.x >= initial.right - 1 &&
        run.x < initial.right + initial.size * 0.5 &&
        run.y <= initial.y + 1 &&
        run.y > initial.y - initial.size,
    );
    const top = beside.toSorted((one, other) => one.y - other.y || one.x - other.x)[0];
    const below = beside.some((run) => top !== undefined && run.y - top.y > top.size * 0.8);
    if (top === undefined || !below) continue;
    placed.set(initial, { ...initial, y: top.y, size: top.size, right: top.x });
  }
  return placed.size === 0 ? runs : runs.map((run) => placed.get(run) ?? run);
}

/**
 * Whether two words differ by at most so many letters: one added, left out, taken for another, or changed places with its neighbour.
 *
 * **Units** UTF-16 code units. **Cost** proportional to the words' length times `limit`.
 * **Source** Damerau (1964); optimal string alignment, along a band of the matrix as in Ukkonen (1985).
 */
export function isWithinEdits(a: string, b: string, limit: number): boolean {
  if (Math.abs(a.length - b.length) > limit) return false;
  const far = limit + 1;
  let before = new Uint32Array(b.length + 1).fill(far);
  let last = Uint32Array.from({ length: b.length + 1 }, (_, j) => Math.min(j, far));
  for (let i = 1; i <= a.length; i++) {
    const row = new Uint32Array(b.length + 1).fill(far);
    if (i <= limit) row[0] = i;
    let best = row[0]!;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j - 1]! + (same ? 0 : 1), last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = Math.min(cost, far);
      best = Math.min(best, row[j]!);
    }
    // A swap may still reach back to the row before the last.
    if (best > limit && Math.min(...last) > limit) return false;
    before = last;
    last = row;
  }
  return last[b.length]! <= limit;
}

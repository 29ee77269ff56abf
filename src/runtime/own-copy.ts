/** V8 copies slices that are shorter; a longer one is a view, which keeps the whole text in memory. **Units** UTF-16 code units. */
const shortestView = 13;

/** A word of a text, to be kept when the text is not. */
export function ownCopy(word: string): string {
  return word.length < shortestView ? word : ` ${word}`.slice(1);
}

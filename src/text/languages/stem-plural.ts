/**
 * An English plural without its ending; of other words in the Latin script, at most an `s` goes.
 *
 * `queries` → `query`, `houses` → `house`, `keys` → `key`; `corpus`, `access` and words of three letters stay.
 *
 * **Shape** takes a folded word.
 * **Source** the "S" stemmer of Harman, How Effective Is Suffixing? (JASIS 42, 1991). Its second rule (`es` → `e`) and its third (`s` → nothing)
 * do the same, and where the second makes an exception (`employees`) the third applies.
 */
export function stemPlural(word: string): string {
  const length = word.length;
  if (length < 4 || word[length - 1] !== "s") return word;
  const before = word[length - 2];
  if (before === "s" || before === "u") return word;
  if (before === "e" && word[length - 3] === "i") {
    const first = word[length - 4];
    if (first !== "e" && first !== "a") return `${word.slice(0, length - 3)}y`;
  }
  return word.slice(0, length - 1);
}

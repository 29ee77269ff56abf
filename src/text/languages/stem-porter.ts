/** A suffix, and what takes its place. */
type Rule = readonly [suffix: string, replacement: string];

/**
 * Longest first where one ends with another. A word takes the first that fits its end, whether or not the stem before
 * it is long enough.
 */
const step2: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
];
const step3: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const step4: readonly string[] = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(
  " ",
);

/**
 * An English word without its endings, so that the forms of a word meet: `relational` and `relate` become `relat`.
 *
 * **Shape** takes a folded word of ASCII letters; words of one or two letters stay.
 * **Source** Porter, An Algorithm for Suffix Stripping (Program 14, 1980), with the two departures of his own later program (`bli`, `logi`), as
 * Lucene has it. Its vowels: `a e i o u`, and `y` after a consonant.
 */
export function stemPorter(word: string): string {
  if (word.length < 3) return word;
  let stem = stripPlural(word);
  stem = stripPast(stem);
  if (stem.endsWith("y") && hasVowel(stem, stem.length - 1)) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, step2);
  stem = replaceSuffix(stem, step3);
  stem = stripSuffix(stem);
  return stripFinal(stem);
}

/** Step 1a. */
function stripPlural(word: string): string {
  if (!word.endsWith("s")) return word;
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("ss") ? word : word.slice(0, -1);
}

/** Step 1b. */
function stripPast(word: string): string {
  if (word.endsWith("eed")) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const length = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  if (length === 0 || !hasVowel(word, word.length - length)) return word;
  const stem = word.slice(0, -length);
  if (stem.endsWith("at") || stem.endsWith("bl") || stem.endsWith("iz")) return `${stem}e`;
  if (endsDouble(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem, stem.length) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

/** Steps 2 and 3. */
function replaceSuffix(word: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const length = word.length - suffix.length;
    return measure(word, length) > 0 ? word.slice(0, length) + replacement : word;
  }
  return word;
}

/** Step 4. */
function stripSuffix(word: string): string {
  for (const suffix of step4) {
    if (!word.endsWith(suffix)) continue;
    const length = word.length - suffix.length;
    if (suffix === "ion" && !/[st]ion$/.test(word)) return word;
    return measure(word, length) > 1 ? word.slice(0, length) : word;
  }
  return word;
}

/** Step 5. */
function stripFinal(word: string): string {
  let stem = word;
  if (stem.endsWith("e")) {
    const before = stem.slice(0, -1);
    const count = measure(before, before.length);
    if (count > 1 || (count === 1 && !endsShort(before))) stem = before;
  }
  return stem.endsWith("ll") && measure(stem, stem.length) > 1 ? stem.slice(0, -1) : stem;
}

function isConsonant(word: string, at: number): boolean {
  const letter = word[at]!;
  if (letter === "y") return at === 0 || !isConsonant(word, at - 1);
  return !"aeiou".includes(letter);
}

/** How often a vowel is followed by a consonant in the first `length` letters. */
function measure(word: string, length: number): number {
  let count = 0;
  let vowel = false;
  for (let at = 0; at < length; at++) {
    const consonant = isConsonant(word, at);
    if (consonant && vowel) count++;
    vowel = !consonant;
  }
  return count;
}

function hasVowel(word: string, length: number): boolean {
  for (let at = 0; at < length; at++) if (!isConsonant(word, at)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last);
}

/** Whether it ends with consonant, vowel, consonant, the last none of `w`, `x`, `y`: such a stem once had an `e` after it. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || "wxy".includes(word[last]!)) return false;
  return isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2);
}

/** No term is longer, in UTF-16 code units; two that agree so far are one term. */
export const maxTermLength = 64;

/** Normalising a long row of marks takes quadratic time, so no more than this of a word is looked at. */
const maxFoldedLength = 256;

/**
 * Characters without a meaning of their own: Arabic tatweel and vowel signs, Hebrew points, soft hyphens, joiners, variation selectors.
 * Writers use or omit them at will. Other marks stay: in most languages they make another word.
 */
const optionalMarks = new RegExp(
  [
    "\\u00ad|\\u200c|\\u200d",
    "[\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7]",
    "[\\u0640\\u064b-\\u0652\\u0656-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06ed]",
    "[\\u180b-\\u180f]|[\\ufe00-\\ufe0f]",
  ].join("|"),
  "g",
);

/** Spellings of one letter that Arabic writers exchange: hamza on alef, alef maqsura and yeh, teh marbuta and heh, Persian yeh and kaf. */
const arabicVariants = /[\u0622\u0623\u0625\u0671\u0629\u0649\u06cc\u06a9]/g;
const arabicLetters: Readonly<Record<string, string>> = {
  "\u0622": "\u0627",
  "\u0623": "\u0627",
  "\u0625": "\u0627",
  "\u0671": "\u0627",
  "\u0629": "\u0647",
  "\u0649": "\u064a",
  "\u06cc": "\u064a",
  "\u06a9": "\u0643",
};

/** Greek with accents, breathings or diaeresis: capitals go without, and `ΑΘΗΝΑ` is `Αθήνα`. */
const markedGreek = /[\u0370-\u03ff\u1f00-\u1fff]/;
const greekMarks = /[\u0300\u0301\u0304\u0306\u0308\u0313\u0314\u0342\u0345]/g;

const foreignDigits = /(?![0-9])\p{Nd}/gu;

/** Words of letters and digits that are their own folded form already: a glance in the place of a dozen. */
const folds = /^[0-9a-zà-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĺļľłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷźżžа-я]*$/;

/**
 * Folds a word to the form that its spellings share.
 *
 * It applies compatibility forms (full width, ligatures) and lower case whatever the locale, with `ß` as `ss`. Digits
 * of every script become ASCII. Variants of an Arabic letter become one form, without optional marks. Accents of Greek,
 * which capitals lack, and the dots of Russian `ё` go too. Romanian's comma and cedilla become one. All other marks
 * stay, for in most languages they make another word. A language whose writers omit them drops them with its endings
 * (`language-rules.ts`). The dot that lower case leaves over `İ` goes.
 *
 * **Shape** possibly empty. Idempotent on its results. **Cost** linear; only the beginning of a very long word stays.
 * **Source** NFKC and case folding (UAX 15, UAX 21); Arabic as in Larkey, Ballesteros and Connell, Light Stemming for Arabic Information
 * Retrieval (2007).
 */
export function foldWord(word: string): string {
  if (folds.test(word)) return cut(word, maxTermLength);
  let folded = cut(word, maxFoldedLength)
    .replaceAll(optionalMarks, "")
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("i\u0307", "i")
    .replaceAll("ß", "ss")
    .normalize("NFKC")
    // Compatibility forms bring marks of their own, and spaces: some Arabic ligatures are whole phrases.
    .replaceAll(optionalMarks, "")
    .replaceAll(/\s/g, "")
    .replaceAll("ς", "σ")
    .replaceAll("ё", "е")
    .replaceAll("ș", "ş")
    .replaceAll("ț", "ţ")
    .replaceAll("’", "'")
    .replaceAll(arabicVariants, (letter) => arabicLetters[letter] ?? letter)
    .replaceAll(foreignDigits, asciiDigit);
  if (markedGreek.test(folded)) folded = folded.normalize("NFD").replaceAll(greekMarks, "").normalize("NFC");
  return cut(folded, maxTermLength);
}

/** {@link foldWord} for a word that is known to be ASCII. */
export function foldAscii(word: string): string {
  return (word.length > maxTermLength ? word.slice(0, maxTermLength) : word).toLowerCase();
}

/** The first `length` code units, less half a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Unicode keeps the ten digits of a script together and in order, so the distance to the zero is the value. */
function asciiDigit(character: string): string {
  const code = character.codePointAt(0)!;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

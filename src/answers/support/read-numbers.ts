/** Values of number words, months and scales. **Source** ibid's own tables: English numerals; months of seven languages. */
const units =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ordinals =
  "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(
    " ",
  );
const otherNumerals: Readonly<Record<string, string>> = {
  de: "null _ zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
  fr: "zéro _ deux trois quatre cinq six sept huit neuf dix onze douze",
  es: "cero _ dos tres cuatro cinco seis siete ocho nueve diez once doce",
  it: "zero _ due tre quattro cinque sei sette otto nove dieci undici dodici",
  nl: "nul _ twee drie vier vijf zes zeven acht negen tien elf twaalf",
  pt: "zero _ dois três quatro cinco seis sete oito nove dez onze doze",
};
const months = [
  "january jan januar jänner janvier enero gennaio januari janeiro",
  "february feb februar février febrero febbraio februari fevereiro",
  "march mar märz mars marzo maart março",
  "april apr avril abril aprile",
  "may mai mayo maggio mei maio",
  "june jun juni juin junio giugno junho",
  "july jul juli juillet julio luglio julho",
  "august aug août agosto augustus",
  "september sep sept septembre septiembre settembre setembro",
  "october oct oktober okt octobre octubre ottobre outubro",
  "november nov novembre noviembre novembro",
  "december dec dezember dez décembre diciembre dicembre dezembro",
];

const smallValues = new Map<string, number>();
for (const [value, word] of units.entries()) smallValues.set(word, value);
for (const [value, word] of ordinals.entries()) if (value > 1) smallValues.set(word, value);
for (const [at, word] of tens.entries()) {
  smallValues.set(word, 20 + 10 * at);
  smallValues.set(`${word.slice(0, -1)}ieth`, 20 + 10 * at);
}
smallValues.set("dozen", 12);
const scales = new Map<string, number>([
  ["hundred", 100],
  ["hundreds", 100],
  ["hundredth", 100],
  ["thousand", 1e3],
  ["thousandth", 1e3],
  ["million", 1e6],
  ["millionth", 1e6],
  ["billion", 1e9],
  ["trillion", 1e12],
]);
const monthNumbers = new Map(
  months.flatMap((names, at) => names.split(" ").map((name): [string, number] => [name, at + 1])),
);
const numerals = new Map(
  Object.entries(otherNumerals).map(([language, words]): [string, ReadonlyMap<string, number>] => [
    language,
    new Map(words.split(" ").flatMap((word, value): [string, number][] => (word === "_" ? [] : [[word, value]]))),
  ]),
);

/** Value of a word that is a numeral by itself, scales left out. */
export function valueOfNumeral(word: string, language: string): number | undefined {
  return language === "" || language === "en" ? smallValues.get(word) : numerals.get(language)?.get(word);
}

/** Value of a word that multiplies the numeral before it: `hundred`, `million`. */
export function valueOfScale(word: string): number | undefined {
  return scales.get(word);
}

/** Number of a month's name, from 1. */
export function numberOfMonth(word: string): number | undefined {
  return monthNumbers.get(word);
}

/** Months that are also ordinary words: only a number beside them tells. */
export const ambiguousMonths: ReadonlySet<string> = new Set(
  "may march mar mars mai marzo mei dec jan sep sept aug".split(" "),
);

/**
 * Value of a word of digits: `1,000` is 1000, `1960s` is 1960, `21st` is 21.
 *
 * **Shape** a plain string, so that values compare by identity; `undefined` for a word that is more than a number (`sha256`, `3.2.1`).
 */
export function valueOfDigits(word: string, language: string): string | undefined {
  const bare = /^(\p{Nd}[\p{Nd}.,]*)(?:s|st|nd|rd|th|er|e|º|ª)?$/u.exec(word)?.[1];
  if (bare === undefined) return undefined;
  const continental = language !== "" && language !== "en" && language !== "zh" && language !== "ja";
  const plain = (continental && /^\d{1,3}(?:\.\d{3})+$/u.test(bare) ? bare.replaceAll(".", "") : bare).replaceAll(
    ",",
    "",
  );
  if (!/^\d+(?:\.\d+)?$/u.test(plain)) return /^\d+(?:\.\d+)+$/u.test(plain) ? plain : undefined;
  return plain.length > 15 ? plain : String(Number(plain));
}

const roman = /^(?=[IVX]{2,})X{0,3}(?:IX|IV|V?I{0,3})$/u;

/** Value of a Roman number of at least two capitals: `II` in `World War II`. */
export function valueOfRoman(word: string): number | undefined {
  if (!roman.test(word)) return undefined;
  let value = 0;
  for (const [at, letter] of Array.from(word).entries()) {
    const worth = letter === "X" ? 10 : letter === "V" ? 5 : 1;
    const next = word[at + 1];
    const smaller = letter === "I" && (next === "V" || next === "X");
    value += smaller ? -worth : worth;
  }
  return value;
}

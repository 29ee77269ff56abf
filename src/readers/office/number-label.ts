const romans: readonly (readonly [string, number])[] = [
  ["m", 1000],
  ["cm", 900],
  ["d", 500],
  ["cd", 400],
  ["c", 100],
  ["xc", 90],
  ["l", 50],
  ["xl", 40],
  ["x", 10],
  ["ix", 9],
  ["v", 5],
  ["iv", 4],
  ["i", 1],
];
const hanDigits = "〇一二三四五六七八九";
const hanUnits = ["", "十", "百", "千"];

/**
 * A number as a list shows it.
 *
 * **Shape** `format` is one of the names that Word and PowerPoint use. An unknown one gives plain digits, and so do numbers without signs in a format.
 * **Source** ISO/IEC 29500-1, 17.18.59 (number formats) and 20.1.10.61 (automatic numbers of slides).
 */
export function formatNumber(value: number, format: string): string {
  switch (format) {
    case "none":
      return "";
    case "decimalZero":
      return String(value).padStart(2, "0");
    case "lowerLetter":
      return toLetters(value);
    case "upperLetter":
      return toLetters(value).toUpperCase();
    case "lowerRoman":
      return toRoman(value);
    case "upperRoman":
      return toRoman(value).toUpperCase();
    case "ordinal":
      return `${value}${ordinalEnding(value)}`;
    case "decimalEnclosedCircle":
      return value >= 1 && value <= 20 ? String.fromCharCode(0x245f + value) : String(value);
    case "decimalFullWidth":
      return String(value).replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    case "chineseCounting":
    case "chineseCountingThousand":
    case "taiwaneseCountingThousand":
    case "taiwaneseCounting":
    case "japaneseCounting":
      return toHan(value);
    default:
      return String(value);
  }
}

/** `a` to `z`, then `aa` to `zz`: the letter is repeated. */
function toLetters(value: number): string {
  if (value < 1 || value > 780) return String(value);
  return String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}

function toRoman(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let rest = value;
  let text = "";
  for (const [sign, worth] of romans) {
    for (; rest >= worth; rest -= worth) text += sign;
  }
  return text;
}

function ordinalEnding(value: number): string {
  const tens = value % 100;
  return tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][value % 10] ?? "th");
}

function toHan(value: number): string {
  if (value < 1 || value > 9999) return String(value);
  const digits = Array.from(String(value), Number);
  let text = "";
  let skipped = false;
  for (const [index, digit] of digits.entries()) {
    if (digit === 0) {
      skipped = true;
      continue;
    }
    if (skipped) text += "〇";
    skipped = false;
    text += `${hanDigits[digit] ?? ""}${hanUnits[digits.length - 1 - index] ?? ""}`;
  }
  return value >= 10 && value < 20 ? text.slice(1) : text;
}

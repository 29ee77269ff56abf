/** A number of a cell as a person reads it. */
export interface FormattedNumber {
  readonly text: string;
  readonly kind: "number" | "date";
}

/** Turns the numbers of one format code into text. */
export type NumberFormat = (value: number) => FormattedNumber;

/**
 * Codes of the built-in number formats that a workbook names by number only.
 *
 * **Source** ISO/IEC 29500-1, 18.8.30. Codes 27 to 36 and 50 to 58 are dates in East Asian workbooks.
 */
const builtIn: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  14: "yyyy-mm-dd",
  15: "yyyy-mm-dd",
  16: "yyyy-mm-dd",
  17: "yyyy-mm",
  18: "h:mm",
  19: "h:mm:ss",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0",
  38: "#,##0",
  39: "#,##0.00",
  40: "#,##0.00",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss",
};

/** The code of a built-in format; `"General"` for those that are not numbers or not known. */
export function builtInFormat(id: number): string {
  const isEastAsianDate = (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58);
  return builtIn[id] ?? (isEastAsianDate ? "yyyy-mm-dd" : "General");
}

/**
 * Reads a format code. Dates become ISO 8601 dates (a space before the time); percentages, fixed decimals, thousands and currency signs are kept. Any other
 * request, such as fractions, conditions or fillers, is left out and the number shown as it is.
 *
 * **Shape** days count from the end of 1899, or from 1904 with `from1904`. **Cost** constant a number.
 * **Source** ISO/IEC 29500-1, 18.8.31 (codes) and 18.17.4.1 (dates; 1900 counts as a leap year there).
 */
export function readNumberFormat(code: string, from1904 = false): NumberFormat {
  const sections = splitSections(code.slice(0, 255));
  const [first = "General"] = sections;
  const date = readDateParts(first);
  if (date !== undefined) return (value) => formatDate(value, date, from1904);
  const positive = readPattern(first);
  const negative = sections[1] === undefined ? undefined : readPattern(sections[1]);
  if (positive === undefined) return (value) => ({ text: formatGeneral(value), kind: "number" });
  return (value) => {
    const signed = value < 0 && negative === undefined ? "-" : "";
    const pattern = value < 0 && negative !== undefined ? negative : positive;
    const digits = formatPattern(Math.abs(value), pattern);
    // A number that rounds to zero has no sign.
    const sign = /[1-9]/.test(digits) ? signed : "";
    return { text: `${sign}${pattern.before}${digits}${pattern.after}`.trim(), kind: "number" };
  };
}

/** Fifteen significant digits, as spreadsheets show: sums of decimal fractions have no tail. */
export function formatGeneral(value: number): string {
  return String(Number(value.toPrecision(15)));
}

/** Parts between semicolons that are neither quoted nor escaped. */
function splitSections(code: string): string[] {
  return (code.match(/(?:"[^"]*"?|\\.|\[[^\]]*\]?|[^;])+|(?<=;)(?=;|$)/gsu) ?? []).map((section) => section);
}

interface DateParts {
  readonly day: boolean;
  readonly date: boolean;
  readonly time: boolean;
  readonly seconds: boolean;
  readonly elapsed: boolean;
}

function readDateParts(section: string): DateParts | undefined {
  const elapsed = /\[(?:h+|m+|s+)\]/iu.test(section);
  const letters = section.replace(/"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]?/gsu, "").toLowerCase();
  if (/general/u.test(letters) || /[#?]/u.test(letters)) return undefined;
  const time = elapsed || /[hs]/u.test(letters);
  const day = /d/u.test(letters);
  const date = day || /[ye]/u.test(letters.replace(/e[+-]/gu, "")) || (/m/u.test(letters) && !time);
  if (!date && !time) return undefined;
  return { day, date, time, seconds: /s/u.test(letters), elapsed };
}

const secondsADay = 86_400;

function formatDate(
  value: number,
  { day, date, time, seconds, elapsed }: DateParts,
  from1904: boolean,
): FormattedNumber {
  const general: FormattedNumber = { text: formatGeneral(value), kind: "number" };
  if (!Number.isFinite(value)) return general;
  const total = Math.round(value * secondsADay);
  const clock = (whole: number): string => {
    const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
    if (seconds || whole % 60 !== 0) parts.push(whole % 60);
    return parts.map((part) => String(part).padStart(2, "0")).join(":");
  };
  if (elapsed) return { text: (total < 0 ? "-" : "") + clock(Math.abs(total)), kind: "date" };
  const days = Math.floor(total / secondsADay);
  const rest = total - days * secondsADay;
  if (days < 0 || days > 2_958_465) return general;
  const clockText = clock(rest);
  if (!date) return { text: clockText, kind: "date" };
  // Day 60 is the 29th of February 1900, which there was not; days before it are one less.
  const serial = from1904 ? days + 1462 : days < 60 ? days + 1 : days;
  const iso = new Date((serial - 25_569) * secondsADay * 1000).toISOString().slice(0, 10);
  const shown = day || time ? iso : iso.slice(0, 7);
  return { text: time ? `${shown} ${clockText}` : shown, kind: "date" };
}

interface Pattern {
  readonly before: string;
  readonly after: string;
  /** Digits before the point, at least. */
  readonly whole: number;
  /** Digits behind it, at least and at most. */
  readonly fewest: number;
  readonly most: number;
  readonly grouped: boolean;
  /** Factor of the number: hundred for percentages, a thousandth for each comma at the end. */
  readonly scale: number;
}

/** A number between literals; `undefined` for what this does not read. */
function readPattern(section: string): Pattern | undefined {
  const plain = section
    .replace(/\[\$([^\]-]*)[^\]]*\]/gu, (_, sign: string) => quote(sign))
    .replace(/\[[^\]]*\]/gu, "")
    .replace(/_./gsu, " ")
    .replace(/\*./gsu, "")
    .replace(/\\(.)/gsu, (_, letter: string) => quote(letter));
  const match =
    /^(?<before>(?:"[^"]*"|[^"#0?.,])*)(?<digits>[#0?,]*)(?:\.(?<decimals>[#0?]*))?(?<commas>,*)(?<after>(?:"[^"]*"|[^"#0?.,])*)$/su.exec(
      plain,
    );
  const { before = "", digits = "", decimals = "", commas = "", after = "" } = match?.groups ?? {};
  if (match === null || (digits === "" && decimals === "")) return undefined;
  const literals = before.replace(/"[^"]*"/gu, "") + after.replace(/"[^"]*"/gu, "");
  // Letters that are not quoted mean something: exponents, dates, "General", "@".
  if (/[\p{L}@/]/u.test(literals.replace(/[€£¥$₹₽₩¢]/gu, ""))) return undefined;
  const trailing = commas.length + (digits.length - digits.replace(/,+$/u, "").length);
  return {
    before: before.replaceAll('"', ""),
    after: after.replaceAll('"', ""),
    whole: digits.replace(/[^0]/gu, "").length,
    fewest: decimals.replace(/[^0]/gu, "").length,
    most: decimals.length,
    grouped: /[#0?],+[#0?]/u.test(digits),
    scale: (literals.includes("%") ? 100 : 1) / 1000 ** Math.min(4, trailing),
  };
}

function quote(text: string): string {
  return `"${text.replaceAll('"', "")}"`;
}

function formatPattern(value: number, { whole, fewest, most, grouped, scale }: Pattern): string {
  const scaled = Number((value * scale).toPrecision(15));
  if (!(scaled < 1e21)) return formatGeneral(value);
  const fixed = scaled.toFixed(Math.min(100, most));
  const [front = "0", back = ""] = fixed.split(".");
  const kept = back.slice(0, fewest) + back.slice(fewest).replace(/0+$/u, "");
  const padded = (front === "0" && whole === 0 && kept !== "" ? "" : front).padStart(whole, "0");
  const shown = grouped ? padded.replace(/\B(?=(?:\d{3})+$)/gu, ",") : padded;
  return kept === "" ? shown : `${shown}.${kept}`;
}

const list = (words: string): readonly string[] => words.trim().split(/\s+/u);

/**
 * Units, currencies and weekdays, in English and German. A letter alone is one as it is written here: `m` is a metre, `M` is none.
 *
 * **Source** ibid's own choice.
 */
const units: Readonly<Record<string, string>> = {
  millisecond: "millisecond milliseconds ms msec millisekunde millisekunden",
  second: "second seconds sec secs s sekunde sekunden sek",
  minute: "minute minutes min mins minuten",
  hour: "hour hours hr hrs h hourly stunde stunden std stündlich",
  day: "day days daily tag tage tagen tages täglich",
  week: "week weeks wk wks weekly woche wochen wöchentlich",
  month: "month months mo monthly monat monate monaten monats monatlich",
  quarter: "quarter quarters quarterly quartal quartale quartalen",
  year: "year years yr yrs yearly annually annual annum jahr jahre jahren jahres jährlich",
  decade: "decade decades jahrzehnt jahrzehnte jahrzehnten",
  century: "century centuries jahrhundert jahrhunderte jahrhunderten",
  millimetre: "mm millimetre millimetres millimeter millimeters millimetern",
  centimetre: "cm centimetre centimetres centimeter centimeters zentimeter zentimetern",
  metre: "m metre metres meter meters metern",
  kilometre: "km kms kilometre kilometres kilometer kilometers kilometern",
  inch: "inch inches zoll",
  foot: "ft foot feet fuß",
  yard: "yd yards",
  mile: "mi mile miles meile meilen",
  milligram: "mg milligram milligrams milligramm",
  gram: "g gram grams gramm",
  kilogram: "kg kgs kilo kilos kilogram kilograms kilogramm",
  ounce: "oz ounce ounces unze unzen",
  tonne: "tonne tonnes ton tons tonnen",
  millilitre: "ml millilitre millilitres milliliter milliliters",
  litre: "l litre litres liter liters litern",
  gallon: "gal gallon gallons gallone gallonen",
  bit: "bit bits",
  byte: "byte bytes bytes",
  kilobyte: "kb kib kilobyte kilobytes",
  megabyte: "mb mib megabyte megabytes",
  gigabyte: "gb gib gigabyte gigabytes",
  terabyte: "tb tib terabyte terabytes",
  petabyte: "pb pib petabyte petabytes",
  kilobit: "kbit kbps kilobit kilobits",
  megabit: "mbit mbps megabit megabits",
  gigabit: "gbit gbps gigabit gigabits",
  hertz: "hz hertz",
  kilohertz: "khz kilohertz",
  megahertz: "mhz megahertz",
  gigahertz: "ghz gigahertz",
  watt: "w watt watts",
  kilowatt: "kw kilowatt kilowatts",
  megawatt: "mw megawatt megawatts",
  volt: "v volt volts",
  ampere: "ampere amperes amp amps",
  celsius: "celsius",
  fahrenheit: "fahrenheit",
  kelvin: "kelvin",
  percent: "percent pct prozent",
  permille: "permille promille",
  euro: "euro euros eur",
  dollar: "dollar dollars usd",
  pound: "pound pounds gbp pfund",
  franc: "franc francs chf franken",
  yen: "yen jpy",
  yuan: "yuan renminbi cny",
  rupee: "rupee rupees inr rupie rupien",
  krona: "krona kronor krone kroner sek nok dkk kronen",
  cent: "cent cents",
  am: "am a.m",
  pm: "pm p.m",
  monday: "monday mondays montag montags",
  tuesday: "tuesday tuesdays dienstag dienstags",
  wednesday: "wednesday wednesdays mittwoch mittwochs",
  thursday: "thursday thursdays donnerstag donnerstags",
  friday: "friday fridays freitag freitags",
  saturday: "saturday saturdays samstag samstags sonnabend",
  sunday: "sunday sundays sonntag sonntags",
};

/** Units that are words of other meanings where no number stands beside them. */
const onlyBesideNumbers: ReadonlySet<string> = new Set(
  list(
    "second quarter foot yard pound cent am pm kilo min mo std s h m g l w v mi gal sek ms bit watt ton tons gram amp",
  ),
);

const dimensions: Readonly<Record<string, string>> = {
  time: "millisecond second minute hour day week month quarter year decade century",
  length: "millimetre centimetre metre kilometre inch foot yard mile",
  mass: "milligram gram kilogram ounce tonne pound",
  volume: "millilitre litre gallon",
  data: "bit byte kilobyte megabyte gigabyte terabyte petabyte kilobit megabit gigabit",
  frequency: "hertz kilohertz megahertz gigahertz",
  power: "watt kilowatt megawatt",
  temperature: "celsius fahrenheit kelvin",
  share: "percent permille",
  money: "euro dollar pound franc yen yuan rupee krona cent",
  clock: "am pm",
  weekday: "monday tuesday wednesday thursday friday saturday sunday",
};

const unitOfWord = new Map(
  Object.entries(units).flatMap(([unit, words]) => list(words).map((word): [string, string] => [word, unit])),
);

const dimensionOf = new Map(
  Object.entries(dimensions).flatMap(([dimension, names]) =>
    list(names).map((name): [string, string] => [name, dimension]),
  ),
);

/** The unit that a word names; `""` for none. **Shape** one name for all its spellings. */
export function unitOf(text: string, isBesideNumber: boolean): string {
  const word = text.length === 1 ? text : text.toLowerCase();
  const unit = unitOfWord.get(word) ?? "";
  if (unit === "" || isBesideNumber) return unit;
  return onlyBesideNumbers.has(word) || onlyBesideNumbers.has(unit) ? "" : unit;
}

export function dimensionOfUnit(unit: string): string {
  return dimensionOf.get(unit) ?? unit;
}

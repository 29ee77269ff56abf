/** Runs of digits, thousands separators left out: `1960` of "the 1960s", `19000` of "19,000". */
export function digitsOf(text: string): ReadonlySet<string> {
  return new Set(text.replaceAll(/(?<=\p{Nd})[,.’'\u00A0\u202F](?=\p{Nd}{3}(?!\p{Nd}))/gu, "").match(/\p{Nd}+/gu));
}

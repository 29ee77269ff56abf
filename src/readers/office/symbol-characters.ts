/**
 * Characters of the fonts Symbol and Wingdings, which Word writes by their number in the font.
 *
 * **Source** Adobe's Symbol encoding vector (PDF 32000-1, annex D.5); for Wingdings, the signs that lists, forms and arrows use.
 */
const symbol = new Map<number, string>([
  ...sequence(0x41, "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"),
  ...sequence(0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"),
  ...sequence(0xa2, "′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…"),
  ...sequence(0xc0, "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈"),
  [0xe5, "∑"],
  [0xf1, "〉"],
  [0xf2, "∫"],
  [0x22, "∀"],
  [0x24, "∃"],
  [0x27, "∋"],
  [0x40, "≅"],
  [0x5e, "⊥"],
  [0x7e, "∼"],
]);
const wingdings = new Map<number, string>([
  [0x4a, "☺"],
  [0x6c, "●"],
  [0x6e, "■"],
  [0x6f, "□"],
  [0xa7, "▪"],
  [0xa8, "☐"],
  [0xd8, "➢"],
  [0xdf, "←"],
  [0xe0, "→"],
  [0xe1, "↑"],
  [0xe2, "↓"],
  [0xf0, "⇨"],
  [0xfb, "✗"],
  [0xfc, "✓"],
  [0xfd, "☒"],
  [0xfe, "☑"],
]);

function sequence(from: number, signs: string): (readonly [number, string])[] {
  return Array.from(signs, (sign, index) => [from + index, sign] as const);
}

/** The character that a font shows for a number in hexadecimal digits; `""` for a sign that stands for nothing written. */
export function readSymbol(font: string, digits: string): string {
  const code = Number.parseInt(digits, 16);
  if (!(code > 0 && code < 0xfffe)) return "";
  // Fonts of signs have their characters in a private area, from F000 on.
  const isPrivate = code >= 0xf000 && code <= 0xf0ff;
  const index = isPrivate ? code - 0xf000 : code;
  if (/^symbol$/i.test(font)) return symbol.get(index) ?? (index < 0x80 ? String.fromCharCode(index) : "");
  if (/^wingdings/i.test(font)) return wingdings.get(index) ?? "";
  return isPrivate || (code >= 0xd800 && code <= 0xf8ff) ? "" : String.fromCharCode(code);
}

/** Named characters that matter to what a reader sees: marks of Markdown and HTML, quotation marks, spaces and common letters. **Source** HTML, named character references. */
const named: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'amp & AMP & lt < LT < gt > GT > quot " QUOT " apos \' colon : sol / bsol \\ period . comma , semi ; excl ! quest ? num # percnt % equals = commat @ lowbar _ UnderBar _',
    "lbrack [ lsqb [ rbrack ] rsqb ] lpar ( rpar ) lbrace { lcub { rbrace } rcub } ast * midast * grave ` DiacriticalGrave ` vert | verbar | hyphen ‐ dollar $ plus + Hat ^",
    "ldquo “ OpenCurlyDoubleQuote “ rdquo ” rdquor ” CloseCurlyDoubleQuote ” bdquo „ ldquor „ lsquo ‘ OpenCurlyQuote ‘ rsquo ’ rsquor ’ CloseCurlyQuote ’ sbquo ‚ lsquor ‚ laquo « raquo » lsaquo ‹ rsaquo ›",
    "ndash – mdash — hellip … mldr … bull • middot · deg ° copy © reg ® trade ™ euro € pound £ yen ¥ cent ¢ sect § para ¶ times × divide ÷ plusmn ± minus − le ≤ ge ≥ ne ≠ rarr → larr ← frac12 ½",
    "auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è ecirc ê agrave à aacute á acirc â ccedil ç iacute í oacute ó ocirc ô uacute ú ntilde ñ aring å oslash ø aelig æ",
  ]
    .join(" ")
    .split(" ")
    .reduce<[string, string][]>(
      (pairs, part, at, all) => (at % 2 === 0 ? [...pairs, [part, all[at + 1]!]] : pairs),
      [],
    ),
);
const spaces = new Set(
  "nbsp ensp emsp emsp13 emsp14 thinsp ThinSpace hairsp VeryThinSpace numsp puncsp MediumSpace NonBreakingSpace Tab NewLine".split(
    " ",
  ),
);
const unseen = new Set(
  "shy zwj zwnj lrm rlm ZeroWidthSpace NegativeVeryThinSpace NegativeThinSpace NegativeMediumSpace NegativeThickSpace NoBreak af ApplyFunction it InvisibleTimes ic InvisibleComma".split(
    " ",
  ),
);

/** A reference at the beginning of a text. */
export const characterReference = /^&(?:#[xX]([0-9a-fA-F]{1,6})|#(\d{1,7})|([A-Za-z][A-Za-z0-9]{1,31}));/u;
/** Start of a reference that more text may complete. */
export const unfinishedReference = /^&(?:#(?:[xX][0-9a-fA-F]{0,6}|\d{0,7})?|[A-Za-z][A-Za-z0-9]{0,31})?$/u;

/** The character that a reference stands for. **Shape** `undefined` for a name outside the table; white space as a space; `""` for what has no shape. */
export function decodeCharacter([, hex, decimal, name]: RegExpExecArray): string | undefined {
  if (name !== undefined)
    return spaces.has(name) ? " " : unseen.has(name) ? "" : Object.hasOwn(named, name) ? named[name] : undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code === 0 || code > 0x10_ffff || (code >= 0xd800 && code < 0xe000)) return "";
  const character = String.fromCodePoint(code);
  return /[\s\p{Cc}]/u.test(character) ? " " : character;
}

import type { PdfMark, PdfTextItem } from "./pdf-runs.ts";

/** Signs of a page in the order of drawing, without spaces. */
export interface DrawnSigns {
  readonly signs: string;
  /** By sign, how the next one follows it. */
  readonly after: readonly Follows[];
}

/**
 * `"apart"` is a space, `"parted"` one between words whose letters are set apart, `"set"` the usual gap between these letters, `"moved"` another
 * piece of drawing.
 */
type Follows = "touching" | "set" | "apart" | "parted" | "moved";

/** A gap of more than this between two glyphs of one piece is a space; fonts have none that is narrower. **Units** thousandths of the letter height. */
const space = 170;
/** Letters are set apart where their usual gap is between these. **Units** as above. */
const [leastSpread, mostSpread] = [60, 1100];
/** From this gap on, letters set apart look as words of one letter do. **Units** as above. */
const looseSpread = 250;
/** So many gaps tell how far the letters of a piece are set apart. */
const minGaps = 4;

/** Collects the glyphs of one piece of drawing after another. **Cost** linear. */
export function collectSigns(pieces: Iterable<readonly unknown[]>): DrawnSigns {
  const signs: string[] = [];
  const after: Follows[] = [];
  let hasSpace = false;
  for (const piece of pieces) {
    const gaps: number[] = [];
    const spaced: boolean[] = [];
    const first = signs.length;
    let gap = 0;
    let letters = 0;
    for (const glyph of piece) {
      if (typeof glyph === "number") gap -= glyph;
      else if (typeof glyph === "object" && glyph !== null && "unicode" in glyph) {
        const text = String(glyph.unicode).normalize("NFKC");
        // Letters of formulas are words of their own.
        if (/^[\p{L}--[\u{1D400}-\u{1D7FF}]]/v.test(String(glyph.unicode))) letters += text.length;
        for (const sign of text) {
          if (/\s/u.test(sign)) hasSpace = true;
          else {
            if (signs.length > first) {
              gaps.push(gap);
              spaced.push(hasSpace);
            } else if (hasSpace && after.length > 0) after[after.length - 1] = "apart";
            signs.push(sign);
            [gap, hasSpace] = [0, false];
          }
        }
      }
    }
    const isWorded = letters > (signs.length - first) * 0.6;
    const isCapital = signs.slice(first).every((sign) => /\p{Lu}/u.test(sign));
    const { least, usual } = isWorded ? leastSpace(gaps, spaced, isCapital) : tight;
    const near = usual > 0 ? "set" : "touching";
    for (const [at, width] of gaps.entries()) {
      if (spaced[at] !== true && width <= least) after.push(near);
      else after.push(usual > 0 && width <= usual * 2 + widestSpace ? "parted" : "apart");
    }
    if (signs.length > first) after.push("moved");
  }
  // A sign beyond the first plane takes two code units, as in the text of a run.
  return {
    signs: signs.join(""),
    after: after.flatMap((follows, at) => (signs[at]!.length > 1 ? ["touching", follows] : [follows])),
  };
}

/** No word of a piece has letters set apart. */
const tight = { least: space, usual: 0 } as const;
/** Letters set apart are words of their own where more of the letters beside them touch. */
const [fewTouching, mostTouching] = [0.1, 0.5];
/** A space between words is no wider, beside the gaps on both sides of it. **Units** thousandths of the letter height. */
const widestSpace = 500;

/**
 * The least gap that is a space in one piece of words, and the usual one between letters that are set apart. **Shape** `usual` is 0 where none are.
 *
 * Words of one letter stand apart too, but letters of other words beside them touch. Words that are set wide, some pairs aside, have wider gaps between
 * them, or are one word in capitals.
 */
function leastSpace(
  gaps: readonly number[],
  spaced: readonly boolean[],
  isCapital: boolean,
): { readonly least: number; readonly usual: number } {
  const within = gaps.filter((_, at) => spaced[at] !== true).toSorted((one, other) => one - other);
  if (within.length < minGaps) return tight;
  const wide = within.filter((gap) => gap >= leastSpread);
  const telling = wide.length * 2 >= within.length ? wide : within;
  const usual = telling[telling.length >> 1]!;
  if (usual < leastSpread || usual > mostSpread) return tight;
  const least = usual * 1.5 + (spaced.includes(true) ? 250 : 80);
  const touching = within.filter((gap) => gap < usual * 0.6).length / within.length;
  if (usual > looseSpread && touching > fewTouching) {
    const isParted = spaced.includes(true) || within.at(-1)! > least;
    if (touching > mostTouching || !(isParted || isCapital)) return tight;
  }
  return { least, usual };
}

/** Signs that may stand between a run and the next one in the order of drawing. */
const nearSigns = 200;

/**
 * Takes out the spaces that PDF.js reads into words whose letters are set apart or kerned. Runs into which it cuts such words are joined.
 *
 * **Shape** a run whose signs are not drawn one after another stays. **Cost** each run looks for its signs.
 */
export function closeWords(
  items: readonly (PdfTextItem | PdfMark)[],
  { signs, after }: DrawnSigns,
): readonly (PdfTextItem | PdfMark)[] {
  const closed: (PdfTextItem | PdfMark)[] = [];
  let reached = 0;
  /** The run that ends where `reached` is, while nothing but white space follows it. */
  let open: number | undefined;
  for (const item of items) {
    if (!("str" in item)) {
      open = undefined;
      closed.push(item);
      continue;
    }
    const own = spell(item.str).replace(/\s/gu, "");
    if (own === "") {
      closed.push(item);
      continue;
    }
    const next = signs.slice(reached, reached + nearSigns + own.length).indexOf(own);
    const at = next === -1 && isSpread(item.str) ? signs.indexOf(own) : next === -1 ? -1 : reached + next;
    if (at === -1 || item.dir === "rtl") {
      open = undefined;
      closed.push(item);
      continue;
    }
    const run = { ...item, str: closeWord(item.str, at, after) };
    const last = open === undefined ? undefined : (closed[open] as PdfTextItem);
    const follows = after[at - 1];
    const goesOn =
      last !== undefined &&
      at === reached &&
      (follows === "touching" || follows === "set" || follows === "parted") &&
      last.fontName === run.fontName &&
      last.transform[5] === run.transform[5] &&
      last.transform[0] === run.transform[0] &&
      last.transform[1] === 0;
    reached = at + own.length;
    if (goesOn) {
      const isParted = follows === "parted";
      closed[open!] = {
        ...last,
        str: isParted ? `${last.str.trimEnd()} ${run.str.trimStart()}` : last.str + run.str,
        width: run.transform[4]! + run.width - last.transform[4]!,
        ...(isParted && { spread: true }),
      };
    } else {
      open = closed.length;
      closed.push(run);
    }
  }
  return closed;
}

/** Signs as they are compared: each by itself, so that their number tells where they stand. */
function spell(text: string): string {
  return text.replace(/\S/gu, (sign) => sign.normalize("NFKC"));
}

/** The text of a run, whose signs stand from `at` on, without the spaces between letters that touch. */
function closeWord(text: string, at: number, after: readonly Follows[]): string {
  if (!/\S\s+\S/u.test(text)) return text;
  const isWide = isSpread(text);
  let sign = at - 1;
  return text.replace(/\s+|\S/gu, (part, place: number) => {
    if (part.trim() !== "") {
      sign += spell(part).replace(/\s/gu, "").length;
      return part;
    }
    const follows = after[sign];
    // Letters that are drawn one by one, in a run of nothing else.
    if (isWide && follows === "moved" && place > 0 && place + part.length < text.length) return "";
    if (follows === "set") return "";
    const isWithin = /\p{L}$/u.test(text.slice(0, place)) && /^\p{L}/u.test(text.slice(place + part.length));
    return follows === "touching" && isWithin ? "" : part;
  });
}

/** A run of so many pieces may be words set wide. */
const minPieces = 6;
/** Pieces of words set wide are no longer than this on average. **Units** UTF-16 code units. */
const longestSpread = 1.7;

/** Whether a run is letters with a space after nearly each: words set wide. */
function isSpread(text: string): boolean {
  const pieces = text.trim().split(/\s+/u);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const signs = text.replace(/\s/gu, "").length;
  return pieces.length >= minPieces && signs < pieces.length * longestSpread && letters > signs * 0.8;
}

/** Whether some words of a page look torn, or whole lines of it are drawn letter by letter. **Cost** linear. */
export function isAnyTorn(items: readonly PdfTextItem[]): boolean {
  let single = 0;
  for (const { str } of items) {
    if (isTorn(str)) return true;
    if (/^\s*\p{L}(?: \p{L})*\s*$/u.test(str)) single += str.trim().split(" ").length;
    else if (str.trim() !== "") single = 0;
    if (single >= minPieces) return true;
  }
  return false;
}

/** Whether a run looks as if a letter of a word stood apart: `REAC T`. */
function isTorn(text: string): boolean {
  return (
    /\p{Lu}{2,} \p{Lu}(?![\p{L}.])|(?<!\p{L})\p{Lu} \p{Lu}{2,}|(?<!\p{L})[b-df-hj-np-tvwxz] \p{Ll}{2}/u.test(text) ||
    isSpread(text)
  );
}

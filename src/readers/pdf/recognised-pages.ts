import { IbidError } from "../../contracts/errors.ts";
import type { ExtractionInput, OcrProvider, PageText, RecognisedWord } from "../../contracts/extraction.ts";
import { abortError } from "../../runtime/abort.ts";
import type { PdfRun } from "./pdf-runs.ts";
import type { ReadPage } from "./read-page.ts";

/** Heights of letters as parts of their size, in usual fonts: from the baseline up to a capital, up to an x, and down. */
const em = { capital: 0.72, x: 0.5, below: 0.21 };

/** Letters that reach above an x, and those that reach below the baseline. Other scripts count as reaching up. */
const tall = /[^acegmnopqrsuvwxyz.,;:\-–—_~+=<>]/u;
const deep = /[gjpqy,;()[\]{}|@Qµçß]/u;

/** Sizes nearer to one another than this part of them are one: a scan is not measured more exactly. */
const sameSize = 0.2;

/** A gap from so many sizes of letters on separates columns. */
const columnGap = 1.2;

/** Pages with what was recognised on them, as if the file had the text itself. */
export function addRecognised(pages: readonly ReadPage[], recognised: readonly PageText[]): readonly ReadPage[] {
  if (recognised.length === 0) return pages;
  const measured = new Map(
    recognised.map(({ page, words = [] }) => {
      const { width = 0, height = 0 } = pages[page - 1] ?? {};
      const placed = words.map((word) => inPoints(word, width, height));
      const angle = angleOf(placed);
      return [page, { angle, lines: linesOf(placed.map((word) => turnUpright(word, angle))) }] as const;
    }),
  );
  const shown = shownSizes([...measured.values()].flatMap(({ lines }) => lines));
  return pages.map((page, index) => {
    const found = measured.get(index + 1);
    if (found === undefined) return page;
    const { angle, lines } = found;
    const runs = lines
      .flatMap((line) => runsOf(line, shown.get(line) ?? line.size))
      .map((run) => (angle === 0 ? run : { ...run, angle }));
    return { ...page, sides: [{ angle, runs }, ...page.sides.filter((side) => side.angle !== angle)], tree: null };
  });
}

/** A page as the source map keeps it: its words and their places. */
export function placesOf({ page, text, words = [] }: PageText): PageText {
  return { page, text, words };
}

/** **Units** points, from parts of the page. */
function inPoints(word: RecognisedWord, width: number, height: number): RecognisedWord {
  return {
    ...word,
    x: word.x * width,
    y: word.y * height,
    width: word.width * width,
    height: word.height * height,
  };
}

/** Quarter turns clockwise: the direction in which most words of a page follow one another in their lines. **Units** degrees, as those of a `PdfSide`. */
type Angle = 0 | 90 | 180 | -90;

function angleOf(words: readonly RecognisedWord[]): Angle {
  const votes = new Map<Angle, number>([[0, 0]]);
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    // Words of other scripts than those written from the left follow one another as their provider has it.
    if (before?.line !== word.line || rightToLeft.test(before.text + word.text)) continue;
    const across = word.x + word.width / 2 - before.x - before.width / 2;
    const down = word.y + word.height / 2 - before.y - before.height / 2;
    const angle = Math.abs(across) >= Math.abs(down) ? (across >= 0 ? 0 : 180) : down >= 0 ? 90 : -90;
    votes.set(angle, (votes.get(angle) ?? 0) + 1);
  }
  const most = Math.max(...votes.values());
  return [...votes].find(([, count]) => count === most)?.[0] ?? 0;
}

const rightToLeft = /[\p{sc=Arabic}\p{sc=Hebrew}]/u;

/** A word's box where its side has it: turned back by the side's own angle. */
function turnUpright(word: RecognisedWord, angle: Angle): RecognisedWord {
  const { x, y, width, height } = word;
  if (angle === 0) return word;
  if (angle === 180) return { ...word, x: -x - width, y: -y - height };
  const turned = { ...word, width: height, height: width };
  return angle === 90 ? { ...turned, x: y, y: -x - width } : { ...turned, x: -y - height, y: x };
}

/** A line of recognised words, in points of their side. */
interface MeasuredLine {
  readonly words: readonly RecognisedWord[];
  readonly size: number;
  /** Downwards. */
  readonly baseline: number;
  readonly letters: number;
}

function linesOf(words: readonly RecognisedWord[]): MeasuredLine[] {
  return [...Map.groupBy(words.flatMap(withoutRules), ({ line }) => line).values()].map((line) => {
    const measured = line.map((word) => {
      const above = tall.test(word.text) ? em.capital : em.x;
      const below = deep.test(word.text) ? em.below : 0;
      const size = word.height / (above + below);
      return { size, letters: word.text.length, baseline: word.y + word.height - below * size };
    });
    // The middle of its words: a stroke of a table or a stain makes one of them higher.
    const size = usualSize(measured);
    const baseline = measured.map((word) => word.baseline).toSorted((a, b) => a - b)[measured.length >> 1] ?? 0;
    return { words: line, size, baseline, letters: measured.reduce((sum, { letters }) => sum + letters, 0) };
  });
}

/** The lines of a table are taken for letters: a word that they run through is two. */
function withoutRules(word: RecognisedWord): RecognisedWord[] {
  const { text, x, width } = word;
  if (!text.includes("|")) return [word];
  const parts: RecognisedWord[] = [];
  for (const { 0: found, index } of text.matchAll(/[^|[\]{}]+/gu)) {
    if (!/[\p{L}\p{N}]/u.test(found)) continue;
    const part = { x: x + (width * index) / text.length, width: (width * found.length) / text.length };
    parts.push({ ...word, ...part, text: found });
  }
  return parts;
}

/** The size of most letters. */
function usualSize(lines: readonly Pick<MeasuredLine, "size" | "letters">[]): number {
  const sorted = lines.toSorted((one, other) => one.size - other.size);
  const half = sorted.reduce((sum, { letters }) => sum + letters, 0) / 2;
  let passed = 0;
  return sorted.find(({ letters }) => (passed += letters) >= half)?.size ?? 0;
}

/** One size for lines of about one size: headings of one level are set alike, however the scanner saw them. */
function shownSizes(lines: readonly MeasuredLine[]): ReadonlyMap<MeasuredLine, number> {
  const usual = usualSize(lines);
  const shown = new Map<MeasuredLine, number>();
  let least = 0;
  let group = 0;
  for (const line of lines.toSorted((one, other) => one.size - other.size)) {
    if (Math.abs(line.size - usual) < usual * sameSize) shown.set(line, usual);
    else {
      if (line.size > least * (1 + sameSize)) [least, group] = [line.size, line.size];
      shown.set(line, group);
    }
  }
  return shown;
}

function runsOf({ words, baseline }: MeasuredLine, shown: number): PdfRun[] {
  return words.map(({ text, x, width }, index) => {
    const next = words[index + 1];
    const gap = next === undefined ? Infinity : next.x - x - width;
    // Words stand apart by a space, which reaches to the next; columns stand further apart.
    const isFollowed = gap > 0 && gap < shown * columnGap;
    return {
      text: isFollowed ? `${text} ` : text,
      x,
      right: isFollowed ? next!.x : x + width,
      y: baseline,
      size: shown,
      bold: false,
      mono: false,
      rtl: /^[^\p{sc=Latin}]*[\p{sc=Arabic}\p{sc=Hebrew}]/u.test(text),
    };
  });
}

/** Whether a provider's words have the shape that they must have. */
export function isWords(given: unknown): given is readonly RecognisedWord[] {
  if (!Array.isArray(given)) return false;
  const numbers = ["x", "y", "width", "height", "line"] as const;
  return given.every(
    (word: Partial<RecognisedWord> | null) =>
      typeof word === "object" &&
      word !== null &&
      typeof word.text === "string" &&
      numbers.every((name) => Number.isFinite(word[name])),
  );
}

/** The provider's answer. **Errors** `timeout` for one that does not come, `aborted`. */
export async function answerInTime(
  ocr: OcrProvider,
  request: ExtractionInput,
  timeoutMs: number,
): Promise<readonly PageText[]> {
  const { uri, signal, pages = [] } = request;
  const late = Promise.withResolvers<never>();
  // Pages take their time one by one; a provider of ibid ends each by itself.
  const allowed = Math.min(timeoutMs * Math.max(1, pages.length), 2 ** 31 - 1);
  const timer = setTimeout(() => late.reject(tooSlow(ocr, uri, allowed)), allowed);
  const abort = (): void => late.reject(abortError(signal!, `Reading ${uri}`, { uri }));
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([ocr.extractText(request), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function tooSlow({ name }: OcrProvider, uri: string, allowed: number): IbidError {
  return new IbidError(
    "timeout",
    `${name} gave no text for ${uri} in ${(allowed / 1000).toLocaleString("en")} seconds.`,
    {
      hint: "See whether the provider works, or raise the limit timeoutMs.",
      uri,
      details: { limit: "timeoutMs", max: allowed },
    },
  );
}

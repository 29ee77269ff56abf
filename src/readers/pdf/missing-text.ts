import { IbidError } from "../../contracts/errors.ts";
import type { OcrProvider, PageText } from "../../contracts/extraction.ts";
import type { ReadResult } from "../../contracts/reader.ts";

import { mapsPackage } from "./character-maps.ts";
import type { ReadPage } from "./read-page.ts";

/** Notes about pages whose text is missing or recognised, as sentences for the caller. */
export function notesOn({
  pages,
  silent,
  broken,
  recognised,
  ocr,
  maps,
  isXfa,
}: {
  readonly pages: readonly ReadPage[];
  readonly silent: readonly number[];
  readonly broken: ReadonlyMap<number, unknown>;
  readonly recognised: readonly PageText[];
  readonly ocr: OcrProvider | undefined;
  readonly maps: string | undefined;
  /** Whether its form is one of XFA only. */
  readonly isXfa: boolean;
}): Pick<ReadResult, "notes"> {
  const read = new Set(recognised.map(({ page }) => page));
  const left = [...broken.keys()].filter((page) => !read.has(page));
  const missing = silent.filter(
    (page) => !read.has(page) && !broken.has(page) && pages[page - 1]?.hasLostText !== true,
  );
  const lost = pages.flatMap(({ hasLostText }, index) => (hasLostText && !read.has(index + 1) ? [index + 1] : []));
  const notes: string[] = [];
  if (left.length > 0) {
    const [are, they] = left.length === 1 ? ["Page", "is"] : ["Pages", "are"];
    notes.push(`${are} ${nameRanges(left)} ${they} broken and left out.`);
  }
  if (missing.length > 0) {
    const [are, have] = missing.length === 1 ? ["Page", "has"] : ["Pages", "have"];
    const hint =
      ocr === undefined
        ? "; text recognition (OCR) would read what looks scanned"
        : " that text recognition could read";
    notes.push(`${are} ${nameRanges(missing)} ${have} no text layer${hint}.`);
  }
  if (lost.length > 0)
    notes.push(
      `Some text on ${lost.length === 1 ? "page" : "pages"} ${nameRanges(lost)} is left out: ${whyLost}${maps === undefined ? `; the package ${mapsPackage}, when installed, brings maps for many such fonts` : ""}.`,
    );
  if (read.size > 0) {
    const list = nameRanges([...read].toSorted((a, b) => a - b));
    notes.push(`The text of ${read.size === 1 ? "page" : "pages"} ${list} was recognised by ${ocr?.name}.`);
  }
  notes.push(...doubtful(recognised));
  if (isXfa)
    notes.push(
      "Not read: the form in it (XFA), which Adobe's programs show in place of these pages; print it from there as a PDF.",
    );
  return notes.length === 0 ? {} : { notes };
}

/** Mean confidence below which most words of a page are wrong. **Units** percent. */
export const leastSure = 60;

/** A note about pages whose words were recognised with little confidence: they are turned, blurred, or in another language. */
export function doubtful(recognised: readonly PageText[]): readonly string[] {
  const pages = recognised.filter(({ confidence = 100 }) => confidence < leastSure).map(({ page }) => page);
  if (pages.length === 0) return [];
  const which = `${pages.length === 1 ? "page" : "pages"} ${nameRanges(pages.toSorted((a, b) => a - b))}`;
  return [`Most words of ${which} may be wrong: turn them upright, scan them sharper, or name their language.`];
}

/** `1 to 3, 7` for 1, 2, 3, 7. */
function nameRanges(pages: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const page of pages) {
    const last = ranges.at(-1);
    if (last !== undefined && page === last[1] + 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(", ");
}

/** Character maps of East Asian encodings are not among what PDF.js brings here. */
const whyLost = "its font is not embedded with a character map, and cannot be read";

/** The refusal of a file whose text is there, and cannot be read. */
export function lostText(uri: string, maps: string | undefined): IbidError {
  const install =
    maps === undefined ? `Install the maps of East Asian encodings with: npm install ${mapsPackage}. Or save` : "Save";
  return new IbidError("unreadable", `${uri} has text, but ${whyLost}.`, {
    hint: `${install} it again with all fonts embedded (PDF/A does that), or give the PDF reader an \`ocr\` provider.`,
    uri,
  });
}

/** The refusal of a file whose pages show nothing at all. */
export function blankPages(uri: string, pages: number): IbidError {
  return new IbidError("empty", `${uri} is blank: its ${pages === 1 ? "page shows" : `${pages} pages show`} nothing.`, {
    hint: "Give a file with text on its pages.",
    uri,
    details: { pages },
  });
}

/** The refusal of a file without any text. */
export function withoutText(uri: string, pages: number, ocr: OcrProvider | undefined): IbidError {
  const where = pages === 1 ? "page" : `${pages} pages`;
  return new IbidError(
    "empty",
    ocr === undefined
      ? `${uri} has no text layer on its ${where}: it looks scanned.`
      : `${uri} has no text layer on its ${where}, and ${ocr.name} recognised none.`,
    {
      hint:
        ocr === undefined
          ? 'Have its text recognised (OCR): `ibid ingest --ocr eng` at a terminal, reading: { ocr: "eng" } in a program.'
          : "Check that the scan is sharp and upright, and that the provider knows its language.",
      uri,
      details: { pages },
    },
  );
}

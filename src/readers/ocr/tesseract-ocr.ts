import { availableParallelism } from "node:os";
import { IbidError } from "../../contracts/errors.ts";
import type { ExtractionInput, OcrProvider, PageText } from "../../contracts/extraction.ts";
import { anySignal, throwIfAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { leastSure } from "../pdf/missing-text.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import { encodePng } from "./encode-png.ts";
import { drawPictures } from "./page-picture.ts";
import { picturePages } from "./picture-sizes.ts";
import {
  checkLanguages,
  findProgram,
  findTesseractPackage,
  type OcrEngine,
  openProgram,
  openTesseractPackage,
} from "./tesseract-engines.ts";

/**
 * A page that was recognised, for a display.
 *
 * @experimental
 */
export interface OcrProgress {
  readonly uri: string;
  /** Pages of the file that are done. */
  readonly done: number;
  /** Pages of the file that are asked for. */
  readonly pages: number;
}

/**
 * Options of text recognition by Tesseract.
 *
 * @experimental
 */
export interface TesseractOptions {
  /** Languages as Tesseract names them, joined by `+`: `"eng+deu"`. Default `"eng"`. */
  readonly languages?: string | undefined;
  /** `"program"` is the installed `tesseract`, `"package"` the npm package `tesseract.js`. Default `"auto"`: the program, else the package. */
  readonly engine?: "auto" | "program" | "package" | undefined;
  /** Limit for one page. **Units** milliseconds. Default 60,000. */
  readonly pageTimeoutMs?: number | undefined;
  /** Pages that are recognised at the same time. Default: the cores of the machine but one. */
  readonly concurrency?: number | undefined;
  /** Called after each page. */
  readonly onPage?: ((progress: OcrProgress) => void) | undefined;
}

/**
 * Recognises the text of scanned pages and of pictures with Tesseract, on this machine.
 *
 * The pictures of a PDF's page are put together where they stand. Each page is recognised in a process or a thread of its own, and gives words with their places.
 * A page whose words are unsure is looked at once more, as one that stands on its side or upside down. The program needs its data `osd` for that.
 *
 * **Shape** an `OcrProvider` for `createPdfReader` and `createImageReader`, whose `name` has engine, version and languages. `close` ends its threads.
 * **Errors** `dependency-missing` where neither engine is installed, or not a language, naming what to install. While reading: `timeout` for a page that takes too long,
 * `unreadable` for one that the engine refuses, `aborted`.
 * **Cost** 1 to 5 seconds for each page and core. **Source** Tesseract 5; nothing is downloaded.
 *
 * @experimental
 * @example openKnowledgeBase({ readers: [createPdfReader({ ocr: await openTesseractOcr({ languages: "eng+deu" }) })] })
 */
export async function openTesseractOcr(
  options: TesseractOptions = {},
): Promise<OcrProvider & { readonly close: () => Promise<void> }> {
  const names = { languages: true, engine: true, pageTimeoutMs: true, concurrency: true, onPage: true } as const;
  checkOptions("openTesseractOcr", options, names);
  const { pageTimeoutMs = 60_000, concurrency = Math.max(1, availableParallelism() - 1), onPage } = options;
  checkText("openTesseractOcr", "languages", options.languages ?? "eng");
  checkGiven("openTesseractOcr", "pageTimeoutMs", pageTimeoutMs, "count");
  checkGiven("openTesseractOcr", "concurrency", concurrency, "count");
  if (onPage !== undefined) checkGiven("openTesseractOcr", "onPage", onPage, "function");
  const languages = (options.languages ?? "eng").split("+");
  checkLanguages(languages);
  const engine = await openEngine(options.engine ?? "auto", languages);
  const turns = createTurns(concurrency);

  const recognise = async (picture: Uint8Array, { uri, signal }: ExtractionInput, page: number) => {
    const late = AbortSignal.timeout(pageTimeoutMs);
    try {
      return await recogniseAnyTurn(engine, picture, signal === undefined ? late : anySignal([late, signal]));
    } catch (error) {
      throwIfAborted(signal, `Reading ${uri}`, { uri });
      throw late.aborted ? tooSlow(uri, page, pageTimeoutMs) : refused(uri, page, error);
    }
  };
  /** Recognises pages in turns. `pictureOf` gives none for a page without a picture. */
  const readPages = async (
    input: ExtractionInput,
    pages: readonly number[],
    pictureOf: (page: number) => Promise<Uint8Array | undefined>,
  ): Promise<readonly PageText[]> => {
    const { uri, signal } = input;
    let done = 0;
    const texts = pages.map((page) =>
      turns(async (): Promise<readonly PageText[]> => {
        throwIfAborted(signal, `Reading ${uri}`, { uri });
        const picture = await pictureOf(page);
        const read = picture === undefined ? [] : await recognise(picture, input, page);
        onPage?.({ uri, done: ++done, pages: pages.length });
        return read.map((one) => ({ ...one, page }));
      }),
    );
    // All of them end before the file is closed.
    const settled = await Promise.allSettled(texts);
    return settled.flatMap((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
  };
  return {
    name: `${engine.name}+${languages.join("+")}`,
    isScanned: () => true,
    async extractText(input) {
      if (input.mediaType.startsWith("image/")) {
        const pictures = picturePages(input.bytes);
        const pages = pictures.map((_, index) => index + 1);
        return readPages(input, pages, (page) => Promise.resolve(pictures[page - 1]!()));
      }
      // Pictures are decoded here; the reader itself never does.
      const pdf = await openPdf(input, undefined, { maxImageSize: mostImagePixels });
      try {
        const asked = input.pages ?? Array.from({ length: pdf.numPages }, (_, index) => index + 1);
        return await readPages(input, asked, async (page) => {
          const picture = await drawPictures(pdf, page).catch(() => undefined);
          return picture && encodePng(picture);
        });
      } finally {
        await pdf.loadingTask.destroy();
      }
    },
    close: () => engine.close(),
  };
}

/** The words of a page as it stands; where most are unsure, also as one that is turned. **Shape** the surer of the two. */
async function recogniseAnyTurn(
  engine: OcrEngine,
  picture: Uint8Array,
  signal: AbortSignal,
): Promise<readonly Required<PageText>[]> {
  const pages = await engine.recognise(picture, signal);
  if (engine.recogniseTurned === undefined || pages.every(({ confidence }) => confidence >= leastSure)) return pages;
  const turned = await engine.recogniseTurned(picture, signal);
  const sureOf = (read: readonly Required<PageText>[]): number =>
    read.reduce((sum, { words, confidence }) => sum + words.length * confidence, 0);
  return sureOf(turned) > sureOf(pages) ? turned : pages;
}

/** A scanner's largest sheet at 600 dots per inch. **Units** pixels. */
const mostImagePixels = 150_000_000;

async function openEngine(
  wanted: NonNullable<TesseractOptions["engine"]>,
  languages: readonly string[],
): Promise<OcrEngine> {
  if (!["auto", "program", "package"].includes(wanted)) {
    throw new IbidError("invalid-argument", `engine is ${JSON.stringify(wanted)}.`, {
      hint: 'It is "auto", "program" or "package".',
    });
  }
  const program = wanted === "package" ? undefined : await findProgram();
  const lacking = languages.filter((language) => program?.languages.includes(language) !== true);
  if (program !== undefined && lacking.length === 0) return openProgram(languages, program);
  const installed = wanted === "program" ? undefined : findTesseractPackage(languages);
  if (installed !== undefined && installed.missing.length === 0) return openTesseractPackage(installed);
  const packages = installed?.missing ?? [
    "tesseract.js",
    ...languages.map((language) => `@tesseract.js-data/${language}`),
  ];
  const byProgram =
    program === undefined
      ? "install the program tesseract with the data of its languages"
      : `add the data of ${lacking.join(", ")} to the installed program tesseract`;
  throw new IbidError(
    "dependency-missing",
    installed === undefined && program === undefined
      ? "Text recognition needs Tesseract, which is not installed."
      : `Text recognition has no data for ${languages.join("+")}.`,
    { hint: wanted === "program" ? `Please ${byProgram}.` : `Run npm install ${packages.join(" ")}, or ${byProgram}.` },
  );
}

/** Lets so many tasks run at a time, in their order. */
function createTurns(most: number): <Value>(task: () => Promise<Value>) => Promise<Value> {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((wake) => waiting.push(wake));
    try {
      return await task();
    } finally {
      // The turn goes to the next that waits.
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

function tooSlow(uri: string, page: number, max: number): IbidError {
  const seconds = (max / 1000).toLocaleString("en");
  return new IbidError("timeout", `The text of page ${page} of ${uri} was not recognised in ${seconds} seconds.`, {
    hint: "Raise pageTimeoutMs, or scan the page at 300 dots per inch.",
    uri,
    details: { page, limit: "pageTimeoutMs", max },
  });
}

function refused(uri: string, page: number, cause: unknown): IbidError {
  return new IbidError("unreadable", `Tesseract could not read the picture of page ${page} of ${uri}.`, {
    hint: "Check that the page opens in a viewer, and save its picture as PNG or TIFF.",
    uri,
    cause,
  });
}

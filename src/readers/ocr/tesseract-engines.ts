import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import type { PageText } from "../../contracts/extraction.ts";
import { findPackage, loadModule } from "../../runtime/packages.ts";
import { readTsv } from "./read-tsv.ts";

/** A recogniser of pictures: bytes of a picture to Tesseract's table. */
export interface OcrEngine {
  /** Names it and its version. */
  readonly name: string;
  /** **Errors** `aborted` by the signal's own reason; others as the program says. */
  recognise(picture: Uint8Array, signal: AbortSignal): Promise<readonly Required<PageText>[]>;
  /**
   * Looks at a picture once more, as one that may be turned. Words stand where the picture has them.
   *
   * **Shape** absent where the engine cannot. **Errors** as `recognise`.
   */
  readonly recogniseTurned?: OcrEngine["recognise"];
  close(): Promise<void>;
}

/** Names of languages, as Tesseract has them: `eng`, `chi_sim`, `Latin`. */
export function checkLanguages(languages: readonly string[]): void {
  const wrong = languages.find((language) => !/^[A-Za-z][A-Za-z_]{1,30}$/u.test(language));
  if (languages.length > 0 && wrong === undefined) return;
  throw new IbidError("invalid-argument", `"${wrong ?? ""}" is no language of Tesseract.`, {
    hint: 'Give three letters, such as "eng", or several: "eng+deu".',
  });
}

/** Version and languages of the program `tesseract`; `undefined` where it is not installed. */
export async function findProgram(): Promise<
  { readonly version: string; readonly languages: readonly string[] } | undefined
> {
  try {
    const about = await run(["--version"], undefined, AbortSignal.timeout(startMs));
    const list = await run(["--list-langs"], undefined, AbortSignal.timeout(startMs));
    return {
      version: /tesseract v?(\d[\d.]*)/u.exec(about)?.[1] ?? "",
      languages: list
        .split("\n")
        .slice(1)
        .map((line) => line.trim()),
    };
  } catch {
    return undefined;
  }
}

const startMs = 10_000;
/** Finds blocks of text, also of lines that run downwards; the other finds first how the page is turned. **Source** Tesseract, modes of page segmentation. */
const [pageMode, turnedPageMode] = ["3", "1"];

/** The installed program, one process for each picture. It finds how a page is turned by data of its own, `osd`. */
export function openProgram(
  languages: readonly string[],
  { version, languages: installed }: NonNullable<Awaited<ReturnType<typeof findProgram>>>,
): OcrEngine {
  const recognise =
    (mode: string): OcrEngine["recognise"] =>
    async (picture, signal) =>
      readTsv(await run(["stdin", "stdout", "-l", languages.join("+"), "--psm", mode, "tsv"], picture, signal));
  return {
    name: `tesseract-${version}`,
    recognise: recognise(pageMode),
    ...(installed.includes("osd") && { recogniseTurned: recognise(turnedPageMode) }),
    close: () => Promise.resolve(),
  };
}

/** Runs the program. **Errors** its own words; the signal's reason. */
async function run(args: readonly string[], input: Uint8Array | undefined, signal: AbortSignal): Promise<string> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const { PATH, TESSDATA_PREFIX, LANG, TMPDIR } = process.env;
  const child = spawn("tesseract", args, {
    // One process for a core: threads of its own make it slower.
    env: { PATH, LANG, TMPDIR, ...(TESSDATA_PREFIX && { TESSDATA_PREFIX }), OMP_THREAD_LIMIT: "1" },
    stdio: ["pipe", "pipe", "pipe"],
    killSignal: "SIGKILL",
    signal,
  });
  const out: Buffer[] = [];
  let said = "";
  child.stdout.on("data", (piece: Buffer) => out.push(piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (said = (said + piece).slice(-2000)));
  child.on("error", (error) => reject(signal.aborted ? (signal.reason as Error) : error));
  child.on("close", (code) => {
    if (code === 0) resolve(Buffer.concat(out).toString("utf8"));
    else
      reject(
        signal.aborted
          ? (signal.reason as Error)
          : new Error(said.trim().split("\n").at(-1) ?? `it ended with ${code}`),
      );
  });
  // A program that ends at once does not take its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return promise;
}

/** The part of `tesseract.js` that is used. */
interface TesseractModule {
  readonly createWorker: (
    languages: readonly string[],
    mode: number,
    options: Readonly<Record<string, unknown>>,
  ) => Promise<TesseractWorker>;
}

interface TesseractWorker {
  readonly setParameters: (parameters: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly recognize: (
    picture: Buffer,
    options: object,
    output: object,
  ) => Promise<{ readonly data: { readonly tsv: string | null } }>;
  readonly terminate: () => Promise<unknown>;
}

/** The package and its data for languages; a name stands in for what is missing. */
export interface FoundPackage {
  readonly path: string;
  readonly version: string;
  readonly data: readonly { readonly code: string; readonly file: string }[];
  /** Packages that are not installed. */
  readonly missing: readonly string[];
}

/** Finds `tesseract.js`, and the packages of its languages, which it would download otherwise. `undefined` without the package itself. */
export function findTesseractPackage(languages: readonly string[]): FoundPackage | undefined {
  const places = [import.meta.url, join(process.cwd(), "package.json")];
  const path = findPackage("tesseract.js", places);
  const facts = findPackage("tesseract.js/package.json", places);
  if (path === undefined || facts === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(facts, "utf8")) as { readonly version: string };
  const found = languages.map((code) => {
    const own = findPackage(`@tesseract.js-data/${code}/package.json`, places);
    const file = ["4.0.0_best_int", "4.0.0"]
      .map((quality) => join(dirname(own ?? ""), quality, `${code}.traineddata.gz`))
      .find((candidate) => own !== undefined && existsSync(candidate));
    return { code, file };
  });
  return {
    path,
    version,
    data: found.flatMap(({ code, file }) => (file === undefined ? [] : [{ code, file }])),
    missing: found.flatMap(({ code, file }) => (file === undefined ? [`@tesseract.js-data/${code}`] : [])),
  };
}

/** The package, in a thread of its own for each picture that is recognised at the same time. */
export function openTesseractPackage({ path, version, data }: FoundPackage): OcrEngine {
  const idle: TesseractWorker[] = [];
  // The package reads all languages from one folder.
  let folder: string | undefined;
  const folderOfData = (): string => {
    if (folder === undefined) {
      folder = mkdtempSync(join(tmpdir(), "ibid-ocr-"));
      for (const { code, file } of data) copyFileSync(file, join(folder, `${code}.traineddata.gz`));
    }
    return folder;
  };
  const start = async (failed: (error: unknown) => void): Promise<TesseractWorker> => {
    const { createWorker } = loadModule(path) as TesseractModule;
    const options = { langPath: folderOfData(), cacheMethod: "none", errorHandler: failed };
    const worker = await createWorker(
      data.map(({ code }) => code),
      1,
      options,
    );
    // The package takes a page for one block of text, and writes to the terminal, if nothing else is said.
    await worker.setParameters({ tessedit_pageseg_mode: pageMode, debug_file: "/dev/null" });
    return worker;
  };
  const recognise = async (picture: Uint8Array, signal: AbortSignal, rotateRadians = 0): Promise<string> => {
    // A worker that cannot start never answers, so its errors are listened for.
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {});
    const abort = (): void => failed.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    let worker = idle.pop();
    const starting = worker === undefined ? start(failed.reject) : undefined;
    try {
      worker ??= await Promise.race([starting!, failed.promise]);
      const { data } = await Promise.race([
        worker.recognize(asStored(picture), { rotateRadians }, { tsv: true, text: false, blocks: false }),
        failed.promise,
      ]);
      idle.push(worker);
      return data.tsv ?? "";
    } catch (error) {
      // A thread goes on with its picture until it is ended.
      void (worker === undefined ? starting?.then((late) => late.terminate()) : worker.terminate())?.catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
  return {
    name: `tesseract.js-${version}`,
    recognise: async (picture, signal) => readTsv(await recognise(picture, signal)),
    // A page on its side is found by its lines; one that stands the other way round is not.
    recogniseTurned: async (picture, signal) => readTsv(await recognise(picture, signal, Math.PI)).map(turnedBack),
    async close() {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      folder = undefined;
    },
  };
}

/** A page whose picture was turned upside down, with its words where the picture has them. */
export function turnedBack(page: Required<PageText>): Required<PageText> {
  const back = (start: number, length: number): number => Math.round((1 - start - length) * 10_000) / 10_000;
  return {
    ...page,
    words: page.words.map((word) => ({ ...word, x: back(word.x, word.width), y: back(word.y, word.height) })),
  };
}

/** Where the package looks for how a JPEG is turned. **Source** Exif 3.0, 4.6.4 (tag 274, Orientation), in the order of bytes that cameras write. */
const orientation = Buffer.from([1, 18, 0, 3, 0, 0, 0, 1, 0]);

/** A copy of a picture whose pixels the package leaves as they are stored, since words have their places there. */
function asStored(picture: Uint8Array): Buffer {
  const copy = Buffer.from(picture);
  const at = copy.subarray(0, 500).indexOf(orientation);
  if (at !== -1 && at + orientation.length < copy.length) copy[at + orientation.length] = 1;
  return copy;
}

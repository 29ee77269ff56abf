import type { Complete } from "../../contracts/complete.ts";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { IbidError } from "../../contracts/errors.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { abortError } from "../../runtime/abort.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { extensionOf, fileNameOf } from "../file-name.ts";

/**
 * Options of a converting reader.
 *
 * @experimental
 */
export interface ConverterOptions {
  /** The office program: a name on the path, or a path. Default `"soffice"`. */
  readonly program?: string | undefined;
  /** Media types that are converted. Default: Pages, Numbers, Keynote, Hangul, Publisher and Visio files. */
  readonly mediaTypes?: readonly string[] | undefined;
  /** **Units** milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Limit for the address space of the program, where the system has one (not on Windows). **Units** bytes. Default 4 GiB. */
  readonly maxMemoryBytes?: number | undefined;
}

/** Formats without an honest reader in JavaScript that LibreOffice imports. */
const usualTypes: readonly string[] = [
  "application/vnd.apple.pages",
  "application/vnd.apple.numbers",
  "application/vnd.apple.keynote",
  "application/vnd.apple.iwork",
  "application/x-hwp",
  "application/vnd.ms-publisher",
  "application/vnd.visio",
];

/**
 * Reads files by LibreOffice (`soffice --headless`), which must be installed: it converts each to PDF, and the reader of PDF reads that.
 *
 * **Shape** as the PDF: its pages are the places. A note names the program. Each file has a process, a profile and a folder of its own, which are removed. The program
 * gets no environment but the path.
 * **Errors** `dependency-missing` without the program, `timeout`, `unreadable` where it converts nothing, those of the reader of PDF. `aborted`.
 * **Cost** 2 to 10 seconds for each file, and up to `maxMemoryBytes`. **Source** LibreOffice Help, "Starting LibreOffice Software With Parameters".
 *
 * @experimental
 * @example openKnowledgeBase({ readers: [createConverterReader()] })
 */
export function createConverterReader(options: ConverterOptions = {}): Reader {
  checkGiven("createConverterReader", "options", options, "object");
  checkOptions("createConverterReader", options, {
    program: true,
    mediaTypes: true,
    timeoutMs: true,
    maxMemoryBytes: true,
  });
  const { program = "soffice", mediaTypes = usualTypes, timeoutMs = 60_000, maxMemoryBytes = 4 * 2 ** 30 } = options;
  checkText("createConverterReader", "program", program);
  checkGiven("createConverterReader", "mediaTypes", mediaTypes, "list");
  checkGiven("createConverterReader", "timeoutMs", timeoutMs, "count");
  checkGiven("createConverterReader", "maxMemoryBytes", maxMemoryBytes, "count");
  const accepted = new Set(mediaTypes);
  return {
    name: `converter/1+${fileNameOf(program)}`,
    accepts: (mediaType) => accepted.has(mediaType),
    read: (input) => readConverted(input, { program, timeoutMs, maxMemoryBytes }),
  };
}

async function readConverted(
  input: ReadInput,
  { program, timeoutMs, maxMemoryBytes }: Complete<Omit<ConverterOptions, "mediaTypes">>,
): Promise<ReadResult> {
  const { uri, bytes, signal, readPart } = input;
  if (readPart === undefined) {
    throw new IbidError("unsupported-media", `${uri} is converted to PDF, and no reader of PDF was given.`, {
      hint: "Read it together with the reader of PDF, as a knowledge base does.",
      uri,
    });
  }
  const folder = await mkdtemp(join(tmpdir(), "ibid-convert-"));
  try {
    const extension = extensionOf(fileNameOf(uri)).replace(/\W/gu, "");
    const file = join(folder, `file.${extension === "" ? "bin" : extension}`);
    await writeFile(file, bytes);
    const out = join(folder, "out");
    const profile = pathToFileURL(join(folder, "profile")).href;
    const args = [
      "--headless",
      "--norestore",
      `-env:UserInstallation=${profile}`,
      "--convert-to",
      "pdf",
      "--outdir",
      out,
      file,
    ];
    await run(program, args, { uri, folder, timeoutMs, maxMemoryBytes, signal });
    const [made] = await readdir(out).catch((): string[] => []);
    if (made === undefined) {
      throw new IbidError("unreadable", `${uri} was not converted: ${fileNameOf(program)} made no PDF of it.`, {
        hint: "Check that the file opens in LibreOffice, or export it as PDF from the program that made it.",
        uri,
      });
    }
    const { mediaType: _, ...result } = await readPart({
      name: "converted.pdf",
      bytes: new Uint8Array(await readFile(join(out, made))),
      mediaType: "application/pdf",
    });
    const title = result.title === "converted.pdf" ? fileNameOf(uri) : result.title;
    return {
      ...result,
      title,
      root: { ...result.root, title },
      notes: [
        ...(result.notes ?? []),
        `It was converted to PDF by ${fileNameOf(program)}; pages are those of the PDF.`,
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Run {
  readonly uri: string;
  readonly folder: string;
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Runs the program to its end; what it says is not looked at. **Errors** `dependency-missing`, `timeout`, `aborted`. */
async function run(
  program: string,
  args: readonly string[],
  { uri, folder, timeoutMs, maxMemoryBytes, signal }: Run,
): Promise<void> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const isWindows = process.platform === "win32";
  const kibibytes = Math.floor(maxMemoryBytes / 1024);
  const [command, given] = isWindows
    ? [program, args]
    : ["/bin/sh", ["-c", `ulimit -v ${kibibytes}; exec "$0" "$@"`, program, ...args]];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(command, given, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder },
    stdio: "ignore",
    // A group of its own: the program starts others, which end with it.
    detached: !isWindows,
  });
  const stop = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(isWindows ? child.pid : -child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const end = (error: unknown): void => {
    reject(error);
    stop();
  };
  const timer = setTimeout(() => end(tooSlow(uri, timeoutMs)), timeoutMs);
  const abort = (): void => end(abortError(signal!, `Reading ${uri}`, { uri }));
  signal?.addEventListener("abort", abort, { once: true });
  child.on("error", () => reject(missing(uri, program)));
  // The shell answers 127 for a program that is not there.
  child.on("close", (code) => (code === 127 ? reject(missing(uri, program)) : resolve()));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    stop();
  }
}

function missing(uri: string, program: string): IbidError {
  return new IbidError("dependency-missing", `${uri} is read by ${program}, which is not installed.`, {
    hint: "Install LibreOffice, give the path of its program, or export the file as PDF.",
    uri,
  });
}

function tooSlow(uri: string, max: number): IbidError {
  return new IbidError("timeout", `${uri} was not converted in ${(max / 1000).toLocaleString("en")} seconds.`, {
    hint: "Raise timeoutMs of createConverterReader, or export the file as PDF.",
    uri,
    details: { limit: "timeoutMs", max },
  });
}

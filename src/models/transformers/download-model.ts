import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DownloadProgress } from "../../contracts/download-progress.ts";
import { IbidError } from "../../contracts/errors.ts";
import { anySignal, abortError, throwIfAborted } from "../../runtime/abort.ts";
import type { LocalModel, ModelFile } from "../local-models.ts";

/** Place and way of a download. */
export interface DownloadOptions {
  /** Folder of the model's files. */
  readonly folder: string;
  /** Address of the Hub, or of a mirror in its shape. */
  readonly hub: string;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the next bytes. **Units** milliseconds. Default 30 seconds. */
  readonly idleMs?: number | undefined;
}

/** Most connections for one file. Each must bring bytes. */
const mostConnections = 20;

/** The files of a model that a folder lacks, or has with another size or checksum. **Cost** reads every file. */
export async function findMissingFiles({ files }: LocalModel, folder: string): Promise<readonly ModelFile[]> {
  const missing: ModelFile[] = [];
  for (const file of files) if (!(await isFile(join(folder, file.path), file))) missing.push(file);
  return missing;
}

/**
 * Brings the missing files of a model into a folder, each under its own name once its checksum is right.
 *
 * **Shape** a connection that breaks off is followed by another one from where it stopped. A download that was stopped leaves `….part` files, from which the next
 * one goes on. Several processes may download into one folder: equal bytes are written to equal places.
 * **Errors** `model-failed` for an answer other than the file, a connection that brings nothing, and a folder that cannot be written; `invalid-response` for another
 * size or checksum, and nothing of the file is kept; `timeout` when no byte arrives for `idleMs`; `aborted`.
 * **Source** the Hub's `<repository>/resolve/<revision>/<path>`; RFC 9110, 14.2 "Range".
 */
export async function downloadModel(
  model: LocalModel,
  missing: readonly ModelFile[],
  options: DownloadOptions,
): Promise<void> {
  const total = model.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = total - missing.reduce((sum, { bytes }) => sum + bytes, 0);
  const report = (received: number): void => {
    try {
      options.onProgress?.({ model: model.name, received: done + received, total });
    } catch {
      // A display that fails is no reason to stop.
    }
  };
  report(0);
  for (const file of missing) {
    await fetchFile(model, file, options, report).catch((error: unknown) => {
      throw nameModel(error, model.name);
    });
    done += file.bytes;
  }
}

/** The same error with the model in its details. */
function nameModel(error: unknown, model: string): unknown {
  if (!IbidError.isInstance(error)) return error;
  const { code, message, hint, uri, cause, details } = error;
  return new IbidError(code, message, { hint, uri, cause, details: { ...details, provider: "local", model } });
}

async function fetchFile(
  { name, repository, revision }: LocalModel,
  file: ModelFile,
  { folder, hub, signal, idleMs = 30_000 }: DownloadOptions,
  report: (received: number) => void,
): Promise<void> {
  const target = join(folder, file.path);
  const part = `${target}.part`;
  const url = `${hub.replace(/\/+$/u, "")}/${repository}/resolve/${revision}/${file.path}`;
  const handle = await openPart(part, name);
  try {
    let at = Math.min((await handle.stat()).size, file.bytes);
    for (let connection = 1; at < file.bytes; connection++) {
      throwIfAborted(signal, "The download", { uri: url });
      const before = at;
      const ended = await receive(url, handle, { from: at, file, signal, idleMs, report });
      at = ended.at;
      if (at < file.bytes && (at <= before || connection === mostConnections))
        throw brokeOff(name, url, at, file, { ...ended, folder });
    }
  } finally {
    await handle.close();
  }
  const found = await checksum(part);
  if (found !== file.sha256) {
    await rm(part, { force: true });
    throw new IbidError(
      "invalid-response",
      `The file ${file.path} of the model ${name} has the checksum ${found}; it must have ${file.sha256}.`,
      {
        hint: `Nothing was kept. Check that ${hub} has the revision ${revision}.`,
        uri: url,
        details: { retryable: false },
      },
    );
  }
  await rename(part, target).catch(async (error: unknown) => {
    // Another process was faster.
    if (!(await isFile(target, file))) throw cannotWrite(part, name, error);
  });
}

/** Place at which a connection ended, with the reason where it broke off. */
interface Received {
  readonly at: number;
  readonly cause?: unknown;
}

/** Writes one answer to the file. **Shape** ends without an error when the connection breaks off. */
async function receive(
  url: string,
  handle: FileHandle,
  {
    from,
    file,
    signal,
    idleMs,
    report,
  }: {
    readonly from: number;
    readonly file: ModelFile;
    readonly signal: AbortSignal | undefined;
    readonly idleMs: number;
    readonly report: (received: number) => void;
  },
): Promise<Received> {
  const idle = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(), idleMs);
  };
  let at = from;
  try {
    wait();
    const response = await fetch(url, {
      // A compressed answer has other positions.
      headers: { "accept-encoding": "identity", ...(from > 0 && { range: `bytes=${from}-` }) },
      signal: signal === undefined ? idle.signal : anySignal([signal, idle.signal]),
    });
    if (response.status === 206) at = startOf(response, from);
    else if (response.status === 200) at = 0;
    else throw refused(url, response.status);
    // An answer from another place than the one asked for would leave a hole.
    if (at > from) throw refused(url, response.status);
    for await (const chunk of response.body ?? []) {
      wait();
      if (at + chunk.length > file.bytes) throw tooLong(url, file);
      // A file handle may write less than it is given.
      for (let written = 0; written < chunk.length;)
        written += (await handle.write(chunk, written, chunk.length - written, at + written)).bytesWritten;
      at += chunk.length;
      report(at);
    }
    return { at };
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    if (signal?.aborted === true) throw abortError(signal, "The download", { uri: url });
    if (idle.signal.aborted) {
      throw new IbidError("timeout", `${new URL(url).host} sent nothing for ${idleMs / 1000} seconds.`, {
        hint: "Try again: the download goes on where it stopped.",
        uri: url,
        details: { received: at, bytes: file.bytes, retryable: true },
        cause,
      });
    }
    return { at, cause };
  } finally {
    clearTimeout(timer);
  }
}

/** Place at which a partial answer begins; by default, the place that was asked for. */
function startOf(response: Response, from: number): number {
  const start = /^bytes (\d+)-/u.exec(response.headers.get("content-range") ?? "")?.[1];
  return start === undefined ? from : Number(start);
}

function refused(url: string, status: number): IbidError {
  return new IbidError("model-failed", `${url} cannot be downloaded: the server answered ${status}.`, {
    hint:
      status === 404
        ? "The server does not have this file. For a mirror, set HF_ENDPOINT to an address that has the Hub's paths."
        : "Try again later, or put the model's files into a folder and give that.",
    uri: url,
    details: { status, retryable: status === 429 || status >= 500 },
  });
}

function tooLong(url: string, { path, bytes }: ModelFile): IbidError {
  return new IbidError("invalid-response", `The file ${path} is longer than the ${bytes} bytes that it must have.`, {
    hint: "Check that the server has the revision of the model.",
    uri: url,
    details: { bytes, retryable: false },
  });
}

function brokeOff(
  name: string,
  url: string,
  at: number,
  { path, bytes }: ModelFile,
  { cause, folder }: Received & { readonly folder: string },
): IbidError {
  const { code } = (cause instanceof Error ? (cause.cause ?? cause) : {}) as { readonly code?: unknown };
  const reason = typeof code === "string" ? ` (${code})` : "";
  return new IbidError(
    "model-failed",
    at === 0
      ? `The model ${name} cannot be downloaded: ${new URL(url).host} cannot be reached${reason}.`
      : `The download of ${path} of the model ${name} broke off after ${at} of ${bytes} bytes${reason}.`,
    {
      hint: `Try again: the download goes on where it stopped. Without a network, put the model's files into ${folder}.`,
      uri: url,
      details: { received: at, bytes, retryable: true },
      cause,
    },
  );
}

async function openPart(part: string, name: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(part), { recursive: true });
    // Neither truncated nor appended to: bytes are written at their places.
    return await open(part, constants.O_RDWR | constants.O_CREAT);
  } catch (error) {
    throw cannotWrite(part, name, error);
  }
}

function cannotWrite(path: string, name: string, cause: unknown): IbidError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new IbidError("model-failed", `The model ${name} cannot be kept at ${dirname(path)}: ${reason}.`, {
    hint: "Name a folder that can be written to with cacheFolder, or in IBID_MODELS.",
    uri: path,
    cause,
  });
}

async function isFile(path: string, { bytes, sha256 }: ModelFile): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.size === bytes && (await checksum(path)) === sha256;
}

/** SHA-256 of a file, as 64 hexadecimal digits. **Cost** about a second for a gigabyte. */
export async function checksum(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}

import { DetailedError, Upload } from "tus-js-client";

/** Bytes of one request, and so the most that a break sends again. */
const pieceBytes = 8 * 2 ** 20;
/** Waits between attempts that bring nothing further, two minutes in all. **Units** milliseconds. */
const retryDelays = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 60_000];
/** Statuses after which the file goes on from where it is. 0: no answer came. */
const passing = new Set([0, 409, 423, 429, 502, 503, 504]);

/** A file to send, and the ways to hear of it. Given by the page, so that this part loads nothing of it again. */
export interface Sending {
  readonly uri: string;
  readonly batch: string;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  /** The service has a job for the file. An upload of an earlier visit has the batch of that visit. */
  readonly onBegin: (job: string, batch: string) => void;
  readonly onProgress: (share: number) => void;
  /** The connection broke; the upload goes on by itself. */
  readonly onBreak: () => void;
  /** The error of an answer, or of none. */
  readonly failureOf: (response: Response | undefined) => Promise<Error>;
}

/**
 * Sends a file by tus. **Shape** ends when the service has all of it. A file that an earlier visit left goes on where it was.
 * **Errors** `Failure`; `AbortError` after the signal, which also removes the bytes from the service.
 */
export async function sendFile(
  file: File,
  { uri, batch, headers, signal, onBegin, onProgress, onBreak, failureOf }: Sending,
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const facts = JSON.stringify({ fileName: file.name, modifiedAt: new Date(file.lastModified).toISOString() });
  let jobBatch = batch;
  const upload = new Upload(file, {
    endpoint: new URL("uploads", location.href).href,
    headers,
    metadata: { uri, filetype: file.type, metadata: facts, batch },
    chunkSize: pieceBytes,
    retryDelays,
    removeFingerprintOnSuccess: true,
    // Two files of one folder may be alike in all but their path.
    fingerprint: async () => ["ibid", location.origin, uri, file.size, file.lastModified].join("|"),
    onUploadUrlAvailable: () => onBegin(new URL(upload.url!).searchParams.get("id")!, jobBatch),
    onProgress: (sent, total) => onProgress(total === 0 ? 1 : sent / total),
    onShouldRetry({ originalResponse }) {
      const isPassing = passing.has(originalResponse?.getStatus() ?? 0);
      if (isPassing) onBreak();
      return isPassing;
    },
    // The client begins a new upload after any refusal of HEAD, also a passing one.
    onAfterResponse(request, response) {
      if (request.getMethod() === "HEAD" && passing.has(response.getStatus())) throw new Error("Not now.");
    },
    onSuccess: () => done.resolve(),
    onError: (error) => done.reject(error),
  });
  const stop = (): void => {
    done.reject(signal.reason);
    // Without a connection the service removes the bytes by itself, later.
    upload.abort(true).catch(() => {});
  };
  const [earlier] = await upload.findPreviousUploads();
  if (earlier !== undefined) {
    upload.resumeFromPreviousUpload(earlier);
    jobBatch = earlier.metadata["batch"] ?? batch;
  }
  signal.throwIfAborted();
  signal.addEventListener("abort", stop, { once: true });
  upload.start();
  try {
    await done.promise;
  } catch (error) {
    if (signal.aborted) throw error;
    const response = error instanceof DetailedError ? error.originalResponse : undefined;
    const status = response?.getStatus() ?? 0;
    throw await failureOf(status < 400 ? undefined : new Response(response!.getBody(), { status }));
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

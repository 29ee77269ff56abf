/**
 * Errors of PDF.js for a broken file. It fetches the page tree ahead and does not await every fetch; on Node such a
 * rejected promise ends the process.
 */
const ownErrors: ReadonlySet<string> = new Set([
  "AbortException",
  "FormatError",
  "InvalidPDFException",
  "MissingDataException",
  "ParserEOFException",
  "UnknownErrorException",
  "XRefEntryException",
  "XRefParseException",
]);

let readings = 0;

/**
 * Runs a reading, during which a promise that PDF.js left behind ends nothing. Rejections of others go on as they would.
 *
 * **Cost** one listener on the process, however many readings there are. Listeners of the application's own still hear of such a promise.
 */
export async function keepRejections<T>(reading: () => Promise<T>): Promise<T> {
  if (readings++ === 0) process.on("unhandledRejection", passOn);
  try {
    return await reading();
  } finally {
    // Node reports rejections after the turn in which they happened.
    setImmediate(() => {
      if (--readings === 0) process.off("unhandledRejection", passOn);
    });
  }
}

function passOn(reason: unknown): void {
  if (reason instanceof Error && ownErrors.has(reason.name)) return;
  // With no other listener Node would make it an uncaught exception, and that is what throwing here does.
  if (process.listenerCount("unhandledRejection") === 1) throw reason;
}

const kibibyte = 1024;

/**
 * Largest file that is read in this process, by the name of its reader: some ten milliseconds at most, however it is written.
 *
 * A worker costs its start and the transfer there and back; a folder of pages should not pay for it. Readers outside this table always use the worker:
 * those that unpack, and code, whose parser can be slow on small files.
 */
const readHereUpTo: Readonly<Record<string, number>> = {
  // Each reads its text in one or two passes, with pauses for other work. A worker would take longer, and twice the
  // memory.
  "plain-text": Infinity,
  csv: Infinity,
  markdown: 128 * kibibyte,
  html: 128 * kibibyte,
  feed: 64 * kibibyte,
  markup: 32 * kibibyte,
};

/** Whether a file is read in a worker. **Shape** `reader` is a reader's name, `html/1`. **Source** `npm run fuzz` for how long little can take. */
export function needsWorker(reader: string, bytes: number): boolean {
  const [kind = ""] = reader.split("/");
  return bytes > (readHereUpTo[kind] ?? 0);
}

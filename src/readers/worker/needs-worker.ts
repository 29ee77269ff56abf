const kibibyte = 1024;

/**
 * Up to which size a file is read here, by the name of its reader: what takes some ten milliseconds at most, however it is written.
 *
 * A worker costs its start and the way there and back; a folder of pages should not pay for it. Who is not named here always reads there: what
 * unpacks, and code, whose parser can be slow on little.
 */
const readHereUpTo: Readonly<Record<string, number>> = {
  // A walk or two over the text, which let others have their turn: the way to a worker and back would take longer, and twice the memory.
  "plain-text": Infinity,
  csv: Infinity,
  markdown: 128 * kibibyte,
  html: 128 * kibibyte,
  feed: 64 * kibibyte,
};

/** Whether a file is read in a worker. **Shape** `reader` is a reader's name, `html/1`. **Source** `npm run fuzz` for how long little can take. */
export function needsWorker(reader: string, bytes: number): boolean {
  const [kind = ""] = reader.split("/");
  return bytes > (readHereUpTo[kind] ?? 0);
}

const kibibyte = 1024;

/**
 * Up to which size a format is read here, without a worker: what takes some ten milliseconds at most, however it is written.
 *
 * A worker costs its start and the way there and back; a folder of pages should not pay for it.
 */
const readHereUpTo: readonly (readonly [mediaType: RegExp, bytes: number])[] = [
  [/^text\/(?:plain|x-log|x-rst|asciidoc)$/, 1024 * kibibyte],
  [/^(?:text\/|application\/(?:xhtml\+xml|json|x-ndjson|yaml|x-yaml|toml|xml)$)/, 128 * kibibyte],
];

/** Whether a file is read in a worker: whatever can unpack to more than it is, or is large. **Source** measured by `bench/readers.ts`. */
export function needsWorker(mediaType: string, bytes: number): boolean {
  const [, here = 0] = readHereUpTo.find(([pattern]) => pattern.test(mediaType)) ?? [];
  return bytes > here;
}

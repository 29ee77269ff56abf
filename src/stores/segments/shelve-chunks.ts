import type { Chunk } from "../../contracts/chunk.ts";
import type { TextDocument } from "../../contracts/document.ts";
import { createByteReader, createByteWriter } from "../../engine/segments/bytes.ts";
import { type ChunkTerms, decodeTerms, encodeTerms } from "../../engine/segments/chunk-terms.ts";
import { decodeVectors, encodeVectors } from "../../engine/vectors/stored-vector.ts";
import type { IncomingChunk } from "./replace-document.ts";
import type { Shelf } from "./shelf.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** A chunk without the words that its document has too. */
type ShelvedChunk = Omit<Chunk, "urtext" | "text"> & { readonly urtext?: string; readonly text?: string };

/**
 * Keeps chunks of one document as bytes until they are written. The bytes hold computed terms, vectors, and texts that are no slice of the
 * document.
 *
 * **Cost** memory for one chunk at a time, and what the shelf takes.
 */
export function createChunkShelf(
  shelf: Pick<Shelf, "each"> & Partial<Pick<Shelf, "put">>,
  { text }: TextDocument,
  analyze: (chunk: Chunk) => ChunkTerms,
): { put(incoming: IncomingChunk, analyzed: boolean): void; each(): Generator<IncomingChunk, undefined> } {
  const writer = createByteWriter(4096);

  function putBytes(bytes: Uint8Array): void {
    writer.varint(bytes.length);
    writer.bytes(bytes);
  }

  return {
    put(incoming, analyzed) {
      const { urtext, text: own, ...chunk } = incoming.chunk;
      const shelved: ShelvedChunk = {
        ...chunk,
        ...(text.slice(chunk.start, chunk.end) === urtext ? {} : { urtext }),
        ...(own === urtext ? {} : { text: own }),
      };
      writer.text(JSON.stringify(shelved));
      putBytes(encodeVectors(incoming.vectors));
      putBytes(analyzed ? encodeTerms(incoming.terms()) : new Uint8Array(0));
      shelf.put?.(writer.take());
    },
    *each() {
      for (const bytes of shelf.each()) {
        const reader = createByteReader(bytes);
        const take = (): Uint8Array => reader.bytes(reader.varint());
        const shelved = parseStored(reader.text()) as ShelvedChunk;
        const urtext = shelved.urtext ?? text.slice(shelved.start, shelved.end);
        const chunk: Chunk = { ...shelved, urtext, text: shelved.text ?? urtext };
        // Numbers and terms are read in place, and the place may be another's by the next chunk.
        const vectors = take().slice();
        const terms = take().slice();
        const incoming = { chunk, vectors: decodeVectors(vectors) };
        if (terms.length === 0) yield { ...incoming, terms: () => analyze(chunk) };
        else yield { ...incoming, terms: () => decodeTerms(terms), encoded: { terms, vectors } };
      }
      return undefined;
    },
  };
}

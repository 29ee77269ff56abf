import type { Chunk } from "../../contracts/chunk.ts";
import type { ChunkTransformer, TransformContext } from "../../contracts/chunker.ts";
import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { giveTurn } from "../../runtime/next-turn.ts";
import { walkSections } from "../../text/walk-sections.ts";
import { checkTransformerName, markChanged } from "./create-transformer.ts";

/** Chunks that are cut between two looks at the clock. */
const cutAtOnce = 8;

/** Fields that citations, ids and places depend on. */
const fixed = ["id", "documentId", "urtext", "start", "end"] as const;

/**
 * Sends chunks through transformers: each gets the result of the one before. (Embabel's `enhance` gave each the original, so that only the
 * last counted.)
 *
 * **Shape** as many chunks as came in, in order; those that a transformer changed are marked `transform_<name>: true`. No transformers: the chunks as they are.
 * **Errors** `invalid-argument` for a transformer without a name; `invalid-response` when one changes an id, urtext or position, or gives no text. An error of a
 * transformer is thrown.
 * **Source** Embabel `ChunkTransformer`, `ChainedChunkTransformer`.
 */
export async function transformChunks(
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  transformers: readonly ChunkTransformer[],
  context: TransformContext,
): Promise<Chunk[]> {
  for (const transformer of transformers) checkTransformerName(transformer.name);
  const cut = await collect(chunks);
  if (transformers.length === 0) return cut;
  const seen = { chunks: cut, ...context };
  const sections = new Map(Array.from(walkSections(context.document.root), (section) => [section.id, section]));
  const transformed: Chunk[] = [];
  for (const original of cut) {
    throwIfAborted(context.signal, "The transforming of chunks", { uri: original.uri });
    let chunk = original;
    const section = sections.get(original.sectionId);
    const around = section === undefined ? seen : { ...seen, section };
    for (const transformer of transformers) {
      const made = transformer.transform(chunk, around);
      chunk = marked(made instanceof Promise ? await made : made, chunk, original, transformer.name);
    }
    transformed.push(chunk);
  }
  return transformed;
}

/** A chunker of one pass cuts a text of a mebibyte in a tenth of a second: others have their turn meanwhile. */
async function collect(chunks: Iterable<Chunk> | AsyncIterable<Chunk>): Promise<Chunk[]> {
  const collected: Chunk[] = [];
  if (Symbol.iterator in chunks) {
    for (const chunk of chunks) {
      if (collected.push(chunk) % cutAtOnce === 0) await giveTurn();
    }
  } else for await (const chunk of chunks) collected.push(chunk);
  return collected;
}

function marked(chunk: Chunk, before: Chunk, original: Chunk, name: string): Chunk {
  const changed = fixed.find((key) => chunk?.[key] !== original[key]);
  if (changed !== undefined || typeof chunk.text !== "string") {
    throw new IbidError(
      "invalid-response",
      `The chunk transformer "${name}" changed ${changed ?? "text"} of a chunk to an invalid value.`,
      {
        hint: "Change text and metadata alone; id, documentId, urtext, start and end must stay.",
        uri: original.uri,
        details: { transformer: name, changed: changed ?? "text", index: original.index },
      },
    );
  }
  return markChanged(before, chunk, name);
}

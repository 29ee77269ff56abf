import type { Chunk } from "../../contracts/chunk.ts";
import type { ChunkTransformer, TransformContext } from "../../contracts/chunker.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";

export interface TransformerParts {
  readonly name: string;
  /** Added to the chunk's metadata; wins over what is there. */
  readonly metadata?: ((chunk: Chunk, context: TransformContext) => Metadata | Promise<Metadata>) | undefined;
  /** The new `text`. It sees the chunk with its new metadata. */
  readonly text?: ((chunk: Chunk, context: TransformContext) => string | Promise<string>) | undefined;
}

/** **Shape** the key under which a chunk says that a transformer has changed it. */
export function transformMark(name: string): `transform_${string}` {
  return `transform_${name}`;
}

/** Marks a chunk that a transformer has changed: its text, or its metadata. One that it left as it was gets no mark. */
export function markChanged(before: Chunk, after: Chunk, name: string): Chunk {
  const mark = transformMark(name);
  const isSame = after.text === before.text && JSON.stringify(after.metadata) === JSON.stringify(before.metadata);
  return isSame || after.metadata[mark] === true ? after : { ...after, metadata: { ...after.metadata, [mark]: true } };
}

/** **Errors** `invalid-argument` for a blank name: it marks chunks and enters the pipeline fingerprint. */
export function checkTransformerName(name: string): void {
  if (typeof name !== "string" || name.trim() === "") {
    throw new IbidError("invalid-argument", "A chunk transformer needs a name.", {
      hint: 'Give a name such as "add-titles".',
    });
  }
}

/**
 * A transformer from the two things that one usually changes: metadata, then text; then the mark, where one of them changed.
 *
 * **Errors** `invalid-argument` for a blank name or an unknown option. **Source** Embabel `AbstractChunkTransformer`.
 *
 * @experimental
 */
export function createTransformer(parts: TransformerParts): ChunkTransformer {
  checkGiven("createTransformer", "parts", parts, "object");
  checkOptions("createTransformer", parts, { name: true, metadata: true, text: true });
  checkTransformerName(parts.name);
  return {
    name: parts.name,
    async transform(chunk, context) {
      const added = await parts.metadata?.(chunk, context);
      const described = added === undefined ? chunk : { ...chunk, metadata: { ...chunk.metadata, ...added } };
      const text = parts.text === undefined ? described.text : await parts.text(described, context);
      return markChanged(chunk, { ...described, text }, parts.name);
    },
  };
}

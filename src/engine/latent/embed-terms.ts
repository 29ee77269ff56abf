import type { TermCounts, TermRow, TermVector } from "../../contracts/corpus-model.ts";
import { projectLatent, toUnit } from "./project-latent.ts";
import { differences, hashForms } from "./hash-forms.ts";

/** Behind the model's own dimensions stands how terms are written. */
export const formDimensions = 256;
/**
 * **Source** `bench/latent-semantic.ts`: from a third to one for the first, and a third of it for the second, quality hardly differs. With more, Vaswani loses
 * precision, with less, CACM recall.
 */
const latentShare = 0.6;
const formShare = 0.2;
const largest = 127;

/**
 * Embeds a text by its terms: what they mean in this corpus, and how they are written.
 *
 * A chunk's vector has both as directions of length 1. A query's has what the model captures of it, weighted, and its forms, weighted; so one cosine is the weighted sum.
 *
 * **Shape** the same terms and rows give the same vector, in whatever order, on every machine. A chunk without any term that the model knows is compared by its forms, which
 * then count √2 times as much.
 * **Cost** one row per term, and the letters of all of them.
 */
export function embedTerms(
  text: TermCounts,
  dimensions: number,
  find: (term: string) => TermRow | undefined,
  purpose: "document" | "query",
): TermVector {
  // Rows may come from a database: each is asked for once.
  const rows = text.terms.map((term) => find(term));
  const lookUp = (_: string, at: number): TermRow | undefined => rows[at];
  const { direction, energy } = projectLatent(text, dimensions, lookUp);
  const forms = hashForms(text, formDimensions, lookUp);
  const isQuery = purpose === "query";
  const chunkLength = dimensions > 0 ? Math.SQRT2 : 1;
  const [meaning, form] = isQuery ? [latentShare * energy, formShare] : [1, 1];
  const { vector, squares } = joinParts(direction, meaning, forms, form);
  return { vector, energy, weight: isQuery ? chunkLength * Math.sqrt(squares) : 1 };
}

/** A text's two directions behind one another, each weighted, rounded so that the largest coordinate is {@link largest}. */
export function joinParts(
  direction: Float64Array,
  meaning: number,
  forms: Float64Array,
  form: number,
): { readonly vector: Int8Array; readonly squares: number } {
  const dimensions = direction.length;
  const joined = new Float64Array(dimensions + formDimensions);
  for (let d = 0; d < dimensions; d++) joined[d] = meaning * direction[d]!;
  for (let d = 0; d < formDimensions; d++) joined[dimensions + d] = form * forms[d]!;
  let squares = 0;
  for (let d = 0; d < joined.length; d++) squares += joined[d]! * joined[d]!;
  return { vector: toBytes(joined), squares };
}

/** Room for two directions on their way into bytes. */
let room = new Float64Array(0);

/** The vector of {@link joinParts} with both weights 1, from directions of any length. `hashed` is before its {@link differences}. **Cost** no array but the vector. */
export function joinUnits(direction: Float64Array, hashed: Float64Array): Int8Array {
  const dimensions = direction.length;
  if (room.length !== dimensions + formDimensions) room = new Float64Array(dimensions + formDimensions);
  room.set(direction);
  differences(hashed, room.subarray(dimensions));
  toUnit(room.subarray(0, dimensions));
  toUnit(room.subarray(dimensions));
  return toBytes(room);
}

/** Rounded so that the largest coordinate is {@link largest}. */
function toBytes(joined: Float64Array): Int8Array {
  let most = 0;
  for (let d = 0; d < joined.length; d++) {
    const size = Math.abs(joined[d]!);
    if (size > most) most = size;
  }
  const vector = new Int8Array(joined.length);
  if (most > 0) for (let d = 0; d < joined.length; d++) vector[d] = Math.round((joined[d]! / most) * largest);
  return vector;
}

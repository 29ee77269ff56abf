import type { EmbeddingInput, EmbeddingModel, EmbedOptions } from "../contracts/embedding-model.ts";
import type { Embedding } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkKind } from "./check-subject.ts";

/**
 * Options of {@link createFixedEmbeddingModel}: its identity, and its treatment of other texts.
 *
 * @experimental
 */
export interface FixedEmbeddingModelOptions {
  /** Name of the model. Default `"fixed"`. */
  readonly model?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly maxBatchSize?: number | undefined;
  /** Say `undefined` outright for a model that tells its dimensions only by answering. Default: the length of the first vector. */
  readonly dimensions?: number | undefined;
  /** The vector of a text that is not in the list. Default: an `invalid-argument` error. */
  readonly otherwise?: ((text: string) => Embedding) | undefined;
}

/**
 * A model that knows its vectors by heart, and what it was asked.
 *
 * @experimental
 */
export interface FixedEmbeddingModel extends EmbeddingModel {
  /** One entry for each call, in order. */
  readonly calls: readonly { readonly inputs: readonly EmbeddingInput[]; readonly purpose: EmbedOptions["purpose"] }[];
}

/**
 * An embedding model for tests: text to vector by a list, so that expected similarities can be computed by hand.
 *
 * **Errors** `unsupported-input` for media, `invalid-argument` for a text that it does not know, `aborted`.
 *
 * @experimental
 */
export function createFixedEmbeddingModel(
  vectors: Readonly<Record<string, readonly number[]>>,
  options: FixedEmbeddingModelOptions = {},
): FixedEmbeddingModel {
  checkKind("createFixedEmbeddingModel", "the vectors", vectors, "object");
  checkKind("createFixedEmbeddingModel", "the options", options, "object");
  const known = new Map(Object.entries(vectors));
  const calls: FixedEmbeddingModel["calls"][number][] = [];
  const embedOne = (input: EmbeddingInput): Embedding => {
    if (typeof input !== "string" && input.type !== "text-chunk") {
      throw new IbidError("unsupported-input", `The fixed model reads text, not a document of type "${input.type}".`);
    }
    const text = typeof input === "string" ? input : input.text;
    const vector = known.get(text) ?? options.otherwise?.(text);
    if (vector === undefined) {
      throw new IbidError("invalid-argument", "The fixed model was asked for a text that it was not given.", {
        hint: "Add the text to its list, or give `otherwise`.",
      });
    }
    return Array.isArray(vector) ? (vector as readonly number[]).slice() : vector;
  };
  return {
    provider: "testing",
    model: options.model ?? "fixed",
    kind: "dense",
    dimensions: "dimensions" in options ? options.dimensions : known.values().next().value?.length,
    ...(options.fingerprint === undefined ? {} : { fingerprint: options.fingerprint }),
    ...(options.maxBatchSize === undefined ? {} : { maxBatchSize: options.maxBatchSize }),
    calls,
    async embed(inputs, { purpose, signal }) {
      throwIfAborted(signal);
      calls.push({ inputs: [...inputs], purpose });
      return { embeddings: inputs.map(embedOne) };
    },
  };
}

/** **Errors** `aborted`, with the signal's reason as its cause, when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new IbidError("aborted", "The caller stopped the work.", { cause: signal.reason });
}

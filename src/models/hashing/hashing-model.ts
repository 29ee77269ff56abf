import type { EmbeddingInput, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { createFeatureHasher } from "../../text/feature-hasher.ts";
import { inputText } from "../embedder/input-text.ts";

/** Change it when the same text would get another vector. */
const version = 1;

/**
 * Options of {@link createHashingModel}.
 *
 * @experimental
 */
export interface HashingModelOptions {
  /** Default 256. */
  readonly dimensions?: number | undefined;
  /**
   * `"features"` (default) finds texts that share words and parts of words. `"fnv"` has the values of Wesichain's `HashEmbedder`, which tell equal texts from others and
   * nothing more.
   */
  readonly variant?: "features" | "fnv" | undefined;
}

/**
 * An embedding model without a download: words and character n-grams, hashed into a fixed number of dimensions.
 *
 * It sees spelling, not meaning (`similarity: "form"`). Tests, examples and small corpora use it: unlike a lexical index, it forgives inflection and
 * misspelling.
 *
 * **Shape** unit vectors; a text without a letter or digit gives the zero vector; purpose makes no difference. The same text gives the same vector on
 * every machine, but for letters newer than the engine's Unicode tables.
 * **Errors** `invalid-argument` for dimensions that are not a whole number from 1 to 65,536; `unsupported-input` for anything but text; `aborted`.
 * **Cost** linear, without allocation per n-gram.
 * **Source** feature hashing: Weinberger et al., ICML 2009; n-grams within words: Bojanowski et al., TACL 2017. Wesichain's `HashEmbedder` for its purpose.
 *
 * @experimental
 */
export function createHashingModel(options: HashingModelOptions = {}): EmbeddingModel {
  checkOptions("createHashingModel", options, { dimensions: true, variant: true });
  const { dimensions = 256, variant = "features" } = options;
  if (variant !== "features" && variant !== "fnv")
    throw new IbidError("invalid-argument", `createHashingModel: variant cannot be "${String(variant)}".`, {
      hint: "Choose from features, fnv.",
    });
  if (!Number.isSafeInteger(dimensions) || dimensions < 1 || dimensions > 65_536) {
    throw new IbidError(
      "invalid-argument",
      `createHashingModel: dimensions must be a whole number from 1 to 65536, not ${String(dimensions)}.`,
      {
        hint: "256 serves most corpora.",
      },
    );
  }
  const hasher =
    variant === "fnv" ? { hash: (text: string) => hashFnv(text, dimensions) } : createFeatureHasher(dimensions);

  function embedOne(input: EmbeddingInput): Float32Array {
    const text = inputText(input);
    if (text === undefined) {
      const type = (input as { readonly type?: unknown }).type;
      throw new IbidError(
        "unsupported-input",
        "Unsupported chunk type. Expected a string or elements of type 'text-chunk'.",
        {
          hint: "Use an embedding model that takes media, or describe the media in words.",
          details: { type },
        },
      );
    }
    return hasher.hash(text);
  }

  return {
    provider: "ibid",
    model: variant === "fnv" ? "fnv" : "hashing",
    kind: "dense",
    dimensions,
    fingerprint: `v${version}`,
    similarity: "form",
    embed: async (inputs, { signal }) => {
      throwIfAborted(signal, "The embedding");
      return { embeddings: inputs.map(embedOne) };
    },
  };
}

/** Halves of the offset 0xcbf29ce484222325. */
const [fnvHigh, fnvLow] = [0xcbf29ce4, 0x84222325];
/** The prime is 2^40 and this. */
const fnvPrime = 0x1b3;

/**
 * FNV-1a of 64 bits for each dimension, whose index is mixed into the offset, as a number from 0 to 1. **Source** Wesichain `HashEmbedder`.
 *
 * **Cost** a hash is two halves of 32 bits, and their products stay below 2^53: the machine's own numbers are far faster than `BigInt`.
 */
function hashFnv(text: string, dimensions: number): Float32Array {
  const bytes = new TextEncoder().encode(text);
  return Float32Array.from({ length: dimensions }, (_, index) => {
    let [high, low] = [fnvHigh, (fnvLow ^ index) >>> 0];
    for (const byte of bytes) {
      const mixed = (low ^ byte) >>> 0;
      const product = mixed * fnvPrime;
      low = product >>> 0;
      high = (high * fnvPrime + (product - low) / 2 ** 32 + ((mixed << 8) >>> 0)) >>> 0;
    }
    return (((high % 10_000) * (2 ** 32 % 10_000) + low) % 10_000) / 10_000;
  });
}

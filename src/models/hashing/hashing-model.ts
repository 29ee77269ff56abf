import type { EmbeddingInput, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { createFeatureHasher } from "../../text/feature-hasher.ts";
import { inputText } from "../embedder/input-text.ts";

/** Change it when the same text would get another vector. */
const version = 1;

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
export function createHashingModel(options: { readonly dimensions?: number } = {}): EmbeddingModel {
  checkOptions("createHashingModel", options, { dimensions: true });
  const { dimensions = 256 } = options;
  if (!Number.isSafeInteger(dimensions) || dimensions < 1 || dimensions > 65_536) {
    throw new IbidError(
      "invalid-argument",
      `createHashingModel: dimensions must be a whole number from 1 to 65536, not ${String(dimensions)}.`,
      {
        hint: "256 serves most corpora.",
      },
    );
  }
  const hasher = createFeatureHasher(dimensions);

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
    model: "hashing",
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

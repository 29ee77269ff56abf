/** Models that ibid names itself, each with the exact files that it was chosen with. */
import { IbidError } from "../contracts/errors.ts";

/** One file of a model: its path at the Hub, its size and its checksum. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * A model for this process, of which revision and files are fixed.
 *
 * @experimental
 */
export interface LocalModel {
  /** Name behind `local/`, and the model's name in status and in {@link EmbeddingVersion}. */
  readonly name: string;
  readonly kind: "embedding" | "reranker";
  /** Repository at the Hugging Face Hub. */
  readonly repository: string;
  /** Commit of the repository. */
  readonly revision: string;
  /** SPDX identifier. */
  readonly licence: string;
  /** Languages that it was trained for, as BCP 47 tags. */
  readonly languages: readonly string[];
  /** Longest input. **Units** tokens. */
  readonly maxTokens: number;
  /** Pooling of token vectors. Default `mean`. */
  readonly pooling?: "mean" | "cls" | "last" | undefined;
  /** Texts before queries and documents. Default: none. */
  readonly prefixes?: { readonly query?: string | undefined; readonly document?: string | undefined } | undefined;
  /** Length of the vectors; absent for a reranker. */
  readonly dimensions?: number | undefined;
  /** Whether the figures of the manual were measured with these weights, or the wiring alone was tested. */
  readonly quality: "measured" | "wired, not measured";
  /** All files, the weights as `onnx/model_quantized.onnx` (8 bits) or `onnx/model.onnx`. */
  readonly files: readonly ModelFile[];
}

/**
 * The recommended models. The first of a kind is the one that `"local"` means.
 *
 * **Source** the repositories at the Hub. Sizes and checksums of each commit are those that the Hub states for it; `maxTokens` of the embedding model is
 * `max_seq_length` of sentence-transformers/all-MiniLM-L6-v2.
 *
 * @experimental
 */
export const localModels: readonly LocalModel[] = [
  {
    name: "all-MiniLM-L6-v2",
    kind: "embedding",
    repository: "Xenova/all-MiniLM-L6-v2",
    revision: "751bff37182d3f1213fa05d7196b954e230abad9",
    licence: "Apache-2.0",
    languages: ["en"],
    maxTokens: 256,
    dimensions: 384,
    quality: "measured",
    files: [
      {
        path: "config.json",
        bytes: 650,
        sha256: "7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7",
      },
      {
        path: "tokenizer.json",
        bytes: 711_661,
        sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
      },
      {
        path: "tokenizer_config.json",
        bytes: 366,
        sha256: "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3",
      },
      {
        path: "onnx/model_quantized.onnx",
        bytes: 22_972_370,
        sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
      },
    ],
  },
  {
    name: "ms-marco-MiniLM-L-6-v2",
    kind: "reranker",
    repository: "Xenova/ms-marco-MiniLM-L-6-v2",
    revision: "a09144355adeed5f58c8ed011d209bf8ee5a1fec",
    licence: "Apache-2.0",
    languages: ["en"],
    maxTokens: 512,
    quality: "wired, not measured",
    files: [
      {
        path: "config.json",
        bytes: 824,
        sha256: "d827779a72d27ae68cf878a6fc2e954542663fe21ca515d9f4783fc96be2d37e",
      },
      {
        path: "tokenizer.json",
        bytes: 711_396,
        sha256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
      },
      {
        path: "tokenizer_config.json",
        bytes: 1242,
        sha256: "0b29c7bfc889e53b36d9dd3e686dd4300f6525110eaa98c76a5dafceb2029f53",
      },
      {
        path: "onnx/model_quantized.onnx",
        bytes: 23_143_499,
        sha256: "e9d8ebf845c413e981c175bfe49a3bfa9b3dcce2a3ba54875ee5df5a58639fbe",
      },
    ],
  },
];

/** Canonical name of a model by name: `local` alone is the recommended one, under its own name. Other names stay. */
export function nameLocalModel(name: string, kind: LocalModel["kind"]): string {
  return name === "local" ? `local/${findLocalModel(name, kind).name}` : name;
}

/** Finds the model behind `local` or `local/<name>`. **Errors** `not-found`, with the names that there are. */
export function findLocalModel(name: string, kind: LocalModel["kind"]): LocalModel {
  const ofKind = localModels.filter((model) => model.kind === kind);
  const found = name === "local" ? ofKind[0] : ofKind.find((model) => name === `local/${model.name}`);
  if (found !== undefined) return found;
  throw new IbidError("not-found", `There is no local ${kind === "embedding" ? "embedding model" : kind} ${name}.`, {
    hint: `Known names: local, ${ofKind.map((model) => `local/${model.name}`).join(", ")}; local:<folder> for a model of your own.`,
  });
}

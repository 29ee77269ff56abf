/** Model names and the models behind them; AI SDK models are wrapped. */
import type { AiSdkEmbeddingModel, AiSdkLanguageModel, AiSdkRerankingModel } from "./ai-sdk/ai-sdk-model.ts";
import { fromAiSdkEmbeddingModel } from "./ai-sdk/embedding-model.ts";
import { fromAiSdkLanguageModel } from "./ai-sdk/language-model.ts";
import { fromAiSdkRerankingModel } from "./ai-sdk/reranking-model.ts";
import {
  resolveChatModel,
  type ResolveEmbeddingModelOptions,
  type ResolveModelOptions,
  resolveEmbeddingModel as resolveNamedEmbeddingModel,
  resolveReranker as resolveNamedReranker,
} from "./hosted/resolve-model.ts";
import { inProcess, isLocal } from "./hosted/model-name.ts";
import { purposesOf } from "./hosted/model-purposes.ts";
import type { DownloadProgress } from "../contracts/download-progress.ts";
import { type LocalModelOptions, openLocalEmbeddingModel, openLocalReranker } from "./transformers/local-model.ts";
import {
  createTransformersEmbeddingModel as createBareTransformersEmbeddingModel,
  type TransformersEmbeddingOptions,
} from "./transformers/transformers-embedding-model.ts";
import { createTransformersReranker } from "./transformers/transformers-reranker.ts";
import type { ChatModel } from "../contracts/chat.ts";
import type { EmbeddingModel } from "../contracts/embedding-model.ts";
import type { Reranker } from "../contracts/retriever.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";

/** An embedding model of one's own, of the AI SDK, or by its name. */
export type AnyEmbeddingModel = EmbeddingModel | AiSdkEmbeddingModel | string;

/**
 * An embedding model that runs in this process, with the prefixes that well-known models want, unless others are given.
 *
 * **Shape** `name` is an id at the Hugging Face Hub, or a folder that holds the model.
 *
 * @experimental
 */
export function createTransformersEmbeddingModel(
  name: string,
  options: TransformersEmbeddingOptions = {},
): EmbeddingModel {
  checkGiven("createTransformersEmbeddingModel", "name", name, "text");
  checkGiven("createTransformersEmbeddingModel", "options", options, "object");
  const prefixes = options.prefixes ?? purposesOf("transformers", name).prefixes;
  return createBareTransformersEmbeddingModel(name, { ...options, prefixes });
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Options for models by name: a name alone gives no permission to download. */
function mayDownload(env: Variables = process.env): { readonly allowDownload: boolean } {
  return { allowDownload: env["IBID_ALLOW_DOWNLOAD"] === "1" };
}

/** Options of a local model by name. */
type LocalNames = Pick<LocalModelOptions, "env" | "onDownload">;

/**
 * Finds an embedding model by its name. `local`, `local/<name>` and `local:<folder>` are {@link openLocalEmbeddingModel}; `transformers/…` is
 * {@link createTransformersEmbeddingModel}, which downloads only where `IBID_ALLOW_DOWNLOAD` is 1. Other names are a provider's.
 *
 * @experimental
 */
export async function resolveEmbeddingModel(
  name: string,
  options: ResolveEmbeddingModelOptions & LocalNames = {},
): Promise<EmbeddingModel> {
  checkGiven("resolveEmbeddingModel", "name", name, "text");
  if (isLocal(name)) {
    const given: LocalNames = options;
    checkOptions("resolveEmbeddingModel of a local model", given, { env: true, onDownload: true });
    return openLocalEmbeddingModel(name, given);
  }
  const local = inProcess.exec(name)?.[1];
  if (local === undefined) return resolveNamedEmbeddingModel(name, options);
  const taken: Pick<ResolveEmbeddingModelOptions, "env" | "prefixes"> = options;
  checkOptions("resolveEmbeddingModel of a model in this process", taken, { env: true, prefixes: true });
  const { env, prefixes } = taken;
  return createTransformersEmbeddingModel(local, { ...mayDownload(env), ...(prefixes && { prefixes }) });
}

/**
 * Finds a reranker by its name. `local`, `local/<name>` and `local:<folder>` are {@link openLocalReranker}; `transformers/…` is `createTransformersReranker`, which
 * downloads only where `IBID_ALLOW_DOWNLOAD` is 1. Other names are a provider's.
 *
 * @experimental
 */
export async function resolveReranker(name: string, options: ResolveModelOptions & LocalNames = {}): Promise<Reranker> {
  checkGiven("resolveReranker", "name", name, "text");
  if (isLocal(name)) {
    const given: LocalNames = options;
    checkOptions("resolveReranker of a local model", given, { env: true, onDownload: true });
    return openLocalReranker(name, given);
  }
  const local = inProcess.exec(name)?.[1];
  if (local === undefined) return resolveNamedReranker(name, options);
  const taken: Pick<ResolveModelOptions, "env"> = options;
  checkOptions("resolveReranker of a model in this process", taken, { env: true });
  return createTransformersReranker(local, mayDownload(taken.env));
}

/** A model of the caller's own as it is, an AI SDK one made ours, one by name loaded. **Errors** as {@link resolveChatModel}. */
function chooseChatModel(model: AnyChatModel): ChatModel | Promise<ChatModel> {
  if (typeof model === "string") return resolveChatModel(model);
  return "specificationVersion" in model ? fromAiSdkLanguageModel(model) : model;
}

/** The same for embedding models. **Errors** as {@link resolveEmbeddingModel}. */
async function chooseEmbeddingModel(
  model: AnyEmbeddingModel,
  { onDownload }: Pick<ModelChoices, "onDownload">,
): Promise<EmbeddingModel> {
  if (typeof model === "string") return await resolveEmbeddingModel(model, isLocal(model) ? { onDownload } : {});
  return "specificationVersion" in model ? fromAiSdkEmbeddingModel(model) : model;
}

/** The same for rerankers; `"proximity"` stays: it needs no model. **Errors** as {@link resolveReranker}. */
async function chooseReranker(
  model: AnyReranker,
  { onDownload }: Pick<ModelChoices, "onDownload">,
): Promise<Reranker | "proximity"> {
  if (model === "proximity") return model;
  if (typeof model === "string") return await resolveReranker(model, isLocal(model) ? { onDownload } : {});
  return "specificationVersion" in model ? fromAiSdkRerankingModel(model) : model;
}

/** A chat model of your own, an AI SDK one, or `"provider/model"`. */
export type AnyChatModel = ChatModel | AiSdkLanguageModel | string;

/** A reranker of your own, an AI SDK one, `"provider/model"`, or `"proximity"`, which needs no model. */
export type AnyReranker = Reranker | AiSdkRerankingModel | string;

/** Models of a knowledge base, each in any form. */
export interface ModelChoices {
  readonly chat?: AnyChatModel | undefined;
  readonly judge?: AnyChatModel | undefined;
  readonly embedding?: AnyEmbeddingModel | null | undefined;
  readonly formerEmbeddings?: readonly AnyEmbeddingModel[] | undefined;
  readonly reranker?: AnyReranker | undefined;
  /** Receives the state of a local model's download. */
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
}

/** The same models, loaded. */
export interface ChosenModels {
  readonly chat?: ChatModel | undefined;
  readonly judge?: ChatModel | undefined;
  readonly embedding?: EmbeddingModel | null | undefined;
  readonly formerEmbeddings?: readonly EmbeddingModel[] | undefined;
  readonly reranker?: Reranker | "proximity" | undefined;
}

/** Loads every model that is given by name and wraps those of the AI SDK. **Errors** as `resolveChatModel`. */
export async function chooseModels(choices: ModelChoices): Promise<ChosenModels> {
  const { chat, judge, embedding, formerEmbeddings = [], reranker } = choices;
  return {
    chat: chat === undefined ? undefined : await chooseChatModel(chat),
    judge: judge === undefined ? undefined : await chooseChatModel(judge),
    embedding:
      embedding === undefined || embedding === null ? embedding : await chooseEmbeddingModel(embedding, choices),
    reranker: reranker === undefined ? undefined : await chooseReranker(reranker, choices),
    formerEmbeddings: await Promise.all(formerEmbeddings.map((one) => chooseEmbeddingModel(one, choices))),
  };
}

/**
 * Which models go by which names, and how a model of the AI SDK becomes one of ours.
 */
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
import { purposesOf } from "./hosted/model-purposes.ts";
import {
  createTransformersEmbeddingModel as createBareTransformersEmbeddingModel,
  type TransformersEmbeddingOptions,
} from "./transformers/transformers-embedding-model.ts";
import { createTransformersReranker } from "./transformers/transformers-reranker.ts";
import type { ChatModel } from "../contracts/chat.ts";
import type { EmbeddingModel } from "../contracts/embedding-model.ts";
import type { Reranker } from "../contracts/retriever.ts";
import { checkOptions } from "../runtime/check-options.ts";

/** An embedding model of one's own, of the AI SDK, or by its name. */
export type AnyEmbeddingModel = EmbeddingModel | AiSdkEmbeddingModel | string;

/**
 * See `adapters/transformers/transformers-embedding-model.ts`; with the prefixes that well-known models want, unless others are given.
 *
 * @experimental
 */
export function createTransformersEmbeddingModel(
  name: string,
  options: TransformersEmbeddingOptions = {},
): EmbeddingModel {
  const prefixes = options.prefixes ?? purposesOf("transformers", name).prefixes;
  return createBareTransformersEmbeddingModel(name, { ...options, prefixes });
}

/** `transformers/…` runs in this process; every other name is a provider's. */
const inProcess = /^transformers[/:](.+)$/su;

type Variables = Readonly<Record<string, string | undefined>>;

/** Of models by name: who writes one down need not be who may download. */
function mayDownload(env: Variables = process.env): { readonly allowDownload: boolean } {
  return { allowDownload: env["IBID_ALLOW_DOWNLOAD"] === "1" };
}

/**
 * See `adapters/ai-sdk/resolve-model.ts` for providers; `transformers/…` is {@link createTransformersEmbeddingModel}, which downloads only where
 * `IBID_ALLOW_DOWNLOAD` is 1.
 */
export async function resolveEmbeddingModel(
  name: string,
  options: ResolveEmbeddingModelOptions = {},
): Promise<EmbeddingModel> {
  const local = inProcess.exec(name)?.[1];
  if (local === undefined) return resolveNamedEmbeddingModel(name, options);
  checkOptions("resolveEmbeddingModel of a model in this process", options, ["env", "prefixes"]);
  const { env, prefixes } = options;
  return createTransformersEmbeddingModel(local, { ...mayDownload(env), ...(prefixes && { prefixes }) });
}

/** See `adapters/ai-sdk/resolve-model.ts` for providers; `transformers/…` is `createTransformersReranker`, which downloads only where `IBID_ALLOW_DOWNLOAD` is 1. */
export async function resolveReranker(name: string, options: ResolveModelOptions = {}): Promise<Reranker> {
  const local = inProcess.exec(name)?.[1];
  if (local === undefined) return resolveNamedReranker(name, options);
  checkOptions("resolveReranker of a model in this process", options, ["env"]);
  return createTransformersReranker(local, mayDownload(options.env));
}

/** A model of the caller's own as it is, an AI SDK one made ours, one by name loaded. **Errors** as {@link resolveChatModel}. */
function chooseChatModel(model: ChatModel | AiSdkLanguageModel | string): ChatModel | Promise<ChatModel> {
  if (typeof model === "string") return resolveChatModel(model);
  return "specificationVersion" in model ? fromAiSdkLanguageModel(model) : model;
}

/** The same for embedding models; `null` stays: none. **Errors** as {@link resolveEmbeddingModel}. */
function chooseEmbeddingModel(model: AnyEmbeddingModel): Promise<EmbeddingModel>;
function chooseEmbeddingModel(model: AnyEmbeddingModel | null): Promise<EmbeddingModel | null>;
async function chooseEmbeddingModel(model: AnyEmbeddingModel | null): Promise<EmbeddingModel | null> {
  if (model === null) return null;
  if (typeof model === "string") return await resolveEmbeddingModel(model);
  return "specificationVersion" in model ? fromAiSdkEmbeddingModel(model) : model;
}

/** The same for rerankers; `"proximity"` stays: it needs no model. **Errors** as {@link resolveReranker}. */
async function chooseReranker(model: Reranker | AiSdkRerankingModel | string): Promise<Reranker | "proximity"> {
  if (model === "proximity") return model;
  if (typeof model === "string") return await resolveReranker(model);
  return "specificationVersion" in model ? fromAiSdkRerankingModel(model) : model;
}

/** The models of a knowledge base, each one of the caller's own, an AI SDK one, or by name. */
export interface ModelChoices {
  /** A model of your own, any AI SDK language model, or `"provider/model"`. */
  readonly model?: ChatModel | AiSdkLanguageModel | string;
  /** The same, for who decides whether what the model answers is grounded. Default: nobody; words decide. */
  readonly judge?: ChatModel | AiSdkLanguageModel | string;
  /** A model of your own, any AI SDK embedding model, or `"provider/model"`. Default: none but the store's own, fitted on what it holds; `null`: not even that. */
  readonly embeddingModel?: AnyEmbeddingModel | null;
  /** Models that were used before, named in the same ways; see `AssembleOptions`. */
  readonly formerEmbeddingModels?: readonly AnyEmbeddingModel[];
  /** A reranker of your own, any AI SDK reranking model, `"provider/model"`, or `"proximity"`, which needs no model. Default: none. */
  readonly reranker?: Reranker | AiSdkRerankingModel | string;
}

/** Those models as ours; what was not chosen stays out. */
export interface ChosenModels {
  readonly model?: ChatModel;
  readonly judge?: ChatModel;
  readonly embeddingModel?: EmbeddingModel | null;
  readonly formerEmbeddingModels?: readonly EmbeddingModel[];
  readonly reranker?: Reranker | "proximity";
}

/** Every model that a knowledge base was given, made ours. **Errors** as `resolveChatModel`. */
export async function chooseModels(choices: ModelChoices): Promise<ChosenModels> {
  const { model, judge, embeddingModel, formerEmbeddingModels, reranker } = choices;
  return {
    ...(model === undefined ? {} : { model: await chooseChatModel(model) }),
    ...(judge === undefined ? {} : { judge: await chooseChatModel(judge) }),
    ...(embeddingModel === undefined ? {} : { embeddingModel: await chooseEmbeddingModel(embeddingModel) }),
    ...(reranker === undefined ? {} : { reranker: await chooseReranker(reranker) }),
    ...(formerEmbeddingModels && {
      formerEmbeddingModels: await Promise.all(formerEmbeddingModels.map((one) => chooseEmbeddingModel(one))),
    }),
  };
}

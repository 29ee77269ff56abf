import type { ChatModel } from "../../contracts/chat.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { chooseChatModel, chooseEmbeddingModel } from "./choose-model.ts";
import type { AiSdkEmbeddingModel } from "./embedding-model.ts";
import type { AiSdkLanguageModel } from "./language-model.ts";

/** The models of a knowledge base, each one of the caller's own, an AI SDK one, or by name. */
export interface ModelChoices {
  /** A model of your own, any AI SDK language model, or `"provider/model"`. */
  readonly model?: ChatModel | AiSdkLanguageModel | string;
  /** The same, for who decides whether what the model answers is grounded. Default: nobody; words decide. */
  readonly judge?: ChatModel | AiSdkLanguageModel | string;
  /** A model of your own, any AI SDK embedding model, or `"provider/model"`. Default: none but the store's own, fitted on what it holds; `null`: not even that. */
  readonly embeddingModel?: EmbeddingModel | AiSdkEmbeddingModel | string | null;
  /** Models that were used before, named in the same ways; see `AssembleOptions`. */
  readonly formerEmbeddingModels?: readonly (EmbeddingModel | AiSdkEmbeddingModel | string)[];
}

/** Those models as ours; what was not chosen stays out. */
export interface ChosenModels {
  readonly model?: ChatModel;
  readonly judge?: ChatModel;
  readonly embeddingModel?: EmbeddingModel | null;
  readonly formerEmbeddingModels?: readonly EmbeddingModel[];
}

/** Every model that a knowledge base was given, made ours. **Errors** as `resolveChatModel`. */
export async function chooseModels(choices: ModelChoices): Promise<ChosenModels> {
  const { model, judge, embeddingModel, formerEmbeddingModels } = choices;
  return {
    ...(model === undefined ? {} : { model: await chooseChatModel(model) }),
    ...(judge === undefined ? {} : { judge: await chooseChatModel(judge) }),
    ...(embeddingModel === undefined ? {} : { embeddingModel: await chooseEmbeddingModel(embeddingModel) }),
    ...(formerEmbeddingModels && {
      formerEmbeddingModels: await Promise.all(formerEmbeddingModels.map((one) => chooseEmbeddingModel(one))),
    }),
  };
}

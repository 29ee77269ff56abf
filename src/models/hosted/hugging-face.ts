import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { readAddress } from "../../runtime/read-address.ts";
import {
  type AiSdkEmbeddingOptions,
  aiSdkEmbeddingOptionNames,
  fromAiSdkEmbeddingModel,
} from "../ai-sdk/embedding-model.ts";
import { openWire, wireError } from "./wire-call.ts";

/**
 * Options of a model of Hugging Face's hosted API.
 *
 * @experimental
 */
export interface HuggingFaceOptions extends AiSdkEmbeddingOptions {
  /** Such as `sentence-transformers/all-MiniLM-L6-v2`. */
  readonly model: string;
  readonly accessToken: string;
  /** Default `https://router.huggingface.co/hf-inference`. An inference endpoint of one's own has the same form. */
  readonly serviceUrl?: string | undefined;
  /** How long nothing may come before a call is given up. **Units** milliseconds. Default 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

const usualService = "https://router.huggingface.co/hf-inference";
const bytesPerVector = 200_000;
const optionNames = { model: true, accessToken: true, serviceUrl: true, timeoutMs: true } as const;

/**
 * Embeddings of Hugging Face's hosted API.
 *
 * **Shape** `POST serviceUrl/models/<model>/pipeline/feature-extraction` with `{ inputs }`; one vector comes for each text.
 * **Errors** at once `configuration-missing` for a blank token, `invalid-argument` for the address. When called, `invalid-response` for a model that gives a vector for
 * each token; those of every hosted model besides. **Source** Hugging Face, "Feature Extraction" of its inference providers; Semantic Kernel's connector.
 *
 * @experimental
 */
export function createHuggingFaceEmbeddingModel(options: HuggingFaceOptions): EmbeddingModel {
  const where = "createHuggingFaceEmbeddingModel";
  checkGiven(where, "options", options, "object");
  checkOptions(where, options, { ...optionNames, ...aiSdkEmbeddingOptionNames });
  const { model, accessToken, serviceUrl = usualService, timeoutMs, ...embedding } = options;
  checkText(where, "model", model);
  if (typeof accessToken !== "string" || accessToken.trim() === "") {
    throw new IbidError("configuration-missing", "Hugging Face needs an access token, and it is blank.", {
      hint: "Pass accessToken from the settings of your account.",
    });
  }
  const baseURL = readAddress(serviceUrl, "serviceUrl").href.replace(/\/+$/u, "");
  const place = { provider: "huggingface", baseURL, token: accessToken.trim(), timeoutMs };
  return fromAiSdkEmbeddingModel(
    {
      specificationVersion: "v4",
      provider: "huggingface.embedding",
      modelId: model,
      maxEmbeddingsPerCall: 128,
      async doEmbed({
        values,
        abortSignal,
      }: {
        readonly values: readonly string[];
        readonly abortSignal?: AbortSignal;
      }) {
        const endpoint = `/models/${model}/pipeline/feature-extraction`;
        let text = "";
        const most = 2 ** 20 + values.length * bytesPerVector;
        for await (const piece of openWire(place, endpoint, { inputs: values }, abortSignal, most, true)) text += piece;
        return { embeddings: readVectors(text) };
      },
    },
    embedding,
  );
}

function readVectors(text: string): readonly unknown[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw wireError("AI_JSONParseError", "The answer is not JSON.");
  }
  if (!Array.isArray(answer)) throw wireError("AI_InvalidResponseDataError", "The answer has no list of embeddings.");
  const isVector = (one: unknown): boolean => Array.isArray(one) && one.every((value) => typeof value === "number");
  if (answer.every(isVector)) return answer;
  throw wireError(
    "AI_InvalidResponseDataError",
    "The answer has a vector for each token; use a model that pools them.",
  );
}

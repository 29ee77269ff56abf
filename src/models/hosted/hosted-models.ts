import type { ChatModel } from "../../contracts/chat.ts";
import type { EmbeddingInput, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { untilAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { readAddress } from "../../runtime/read-address.ts";
import {
  type AiSdkEmbeddingOptions,
  aiSdkEmbeddingOptionNames,
  fromAiSdkEmbeddingModel,
} from "../ai-sdk/embedding-model.ts";
import { fromAiSdkLanguageModel } from "../ai-sdk/language-model.ts";
import type { WirePlace } from "./wire-call.ts";
import { createWireEmbeddingModel } from "./wire-embedding-model.ts";
import { createWireLanguageModel } from "./wire-language-model.ts";

/**
 * Where a hosted service is, and by which token it knows who calls. **Source** Ballerina `Wso2ProviderConfig`.
 *
 * @experimental
 */
export interface HostedOptions {
  /** An http or https address; `/embeddings` and `/chat/completions` are below it. */
  readonly serviceUrl: string;
  /** Sent as a bearer token. */
  readonly accessToken: string;
  /** For services that have several. Default: the service decides, and the model is known by the service's host. */
  readonly model?: string | undefined;
  /** How long nothing may come before a call is given up. **Units** milliseconds. Default 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Options of a hosted embedding model: the service, and how documents and queries differ.
 *
 * @experimental
 */
export interface HostedEmbeddingOptions extends HostedOptions, AiSdkEmbeddingOptions {
  /** Further attempts after a failure that may pass: too many requests, a timeout, an error of the server. Default 0. */
  readonly maxRetries?: number | undefined;
}

/**
 * Options of a hosted chat model: the service, and the documents that it takes besides those of OpenAI's API.
 *
 * @experimental
 */
export interface HostedChatOptions extends HostedOptions {
  /** `"binary"`: bytes of any kind. `"addresses"`: files and recordings by their address. Default: neither. */
  readonly accepts?: readonly ("binary" | "addresses")[] | undefined;
}

const hostedOptionNames = { serviceUrl: true, accessToken: true, model: true, timeoutMs: true } as const;

/**
 * Embeddings from a hosted service that needs only its address and a token.
 *
 * **Shape** `POST serviceUrl/embeddings` in OpenAI's form, with the token as bearer. Without a name the model takes the service's host, so that two services never
 * share a version.
 * **Errors** at once `configuration-missing` for a blank token, `invalid-argument` ("Must be a valid URL") for the address. When called, in Ballerina's words:
 * `unsupported-input` for input that is not text, `invalid-response` for an empty answer, `embedding-failed` with its cause for a failed request. Also `rate-limited`,
 * `timeout` and `aborted` besides.
 * **Source** Ballerina `Wso2EmbeddingProvider`, whose service has this form.
 * @experimental
 * @example const embeddingModel = createHostedEmbeddingModel({ serviceUrl, accessToken });
 */
export function createHostedEmbeddingModel(options: HostedEmbeddingOptions): EmbeddingModel {
  checkGiven("createHostedEmbeddingModel", "options", options, "object");
  checkOptions("createHostedEmbeddingModel", options, {
    ...hostedOptionNames,
    ...aiSdkEmbeddingOptionNames,
    maxRetries: true,
  });
  const { serviceUrl, accessToken, model, timeoutMs, maxRetries = 0, ...embedding } = options;
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0) {
    throw new IbidError("invalid-argument", `maxRetries is ${String(maxRetries)}; it must be a whole number from 0.`, {
      hint: "Leave it out for no retries.",
    });
  }
  const { place, name, named } = hostedPlace({
    serviceUrl,
    accessToken,
    ...(model === undefined ? {} : { model }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const inner = fromAiSdkEmbeddingModel(createWireEmbeddingModel(place, name, named), embedding);
  return {
    ...inner,
    async embed(inputs, given) {
      inputs.forEach((input) => checkText(input, inputs.length));
      try {
        return await withRetries(() => inner.embed(inputs, given), maxRetries, given.signal);
      } catch (error) {
        throw IbidError.isInstance(error) ? inBallerinasWords(error) : error;
      }
    },
  };
}

/** First wait before another attempt, where the service names none; each further one is twice as long. **Units** milliseconds. */
const firstWaitMs = 250;

async function withRetries<Result>(
  call: () => Promise<Result>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isPassing = IbidError.isInstance(error) && error.details["retryable"] === true;
      if (!isPassing || attempt >= retries || signal?.aborted === true) throw error;
      const asked = error.details["retryAfterMs"];
      const waitMs = typeof asked === "number" ? asked : firstWaitMs * 2 ** attempt;
      await untilAborted(new Promise((resolve) => setTimeout(resolve, waitMs)), signal, "The embedding");
    }
  }
}

/**
 * A language model of a hosted service that asks for nothing but its address and a token.
 *
 * **Shape** `POST serviceUrl/chat/completions` as OpenAI has it, with the token as bearer; whole and streamed, with tools and pictures where the service takes them.
 * **Errors** at once as {@link createHostedEmbeddingModel}; when called see {@link ChatModel}. **Source** Ballerina `Wso2ModelProvider`.
 * @experimental
 * @example const model = createHostedChatModel({ serviceUrl, accessToken });
 */
export function createHostedChatModel(options: HostedChatOptions): ChatModel {
  checkGiven("createHostedChatModel", "options", options, "object");
  checkOptions("createHostedChatModel", options, { ...hostedOptionNames, accepts: true });
  const { accepts = [], ...service } = options;
  const unknown = accepts.find((kind) => kind !== "binary" && kind !== "addresses");
  if (unknown !== undefined) {
    throw new IbidError("invalid-argument", `accepts names ${JSON.stringify(unknown)}.`, {
      hint: 'Give a list of "binary" and "addresses".',
    });
  }
  const { place, name, named } = hostedPlace(service);
  const model = createWireLanguageModel({ ...place, takesAddresses: accepts.includes("addresses") }, name, named);
  return fromAiSdkLanguageModel(model, accepts.includes("binary") ? { accepts: ["binary"] } : {});
}

function hostedPlace({ serviceUrl, accessToken, model, timeoutMs }: HostedOptions): {
  readonly place: WirePlace;
  readonly name: string;
  readonly named: boolean;
} {
  const url = readAddress(serviceUrl, "serviceUrl");
  if (typeof accessToken !== "string" || accessToken.trim() === "") {
    throw new IbidError("configuration-missing", "The hosted service needs an access token, and it is blank.", {
      hint: "Pass accessToken as the service gave it to you.",
    });
  }
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new IbidError("invalid-argument", "timeoutMs must be a number above 0.", {
      hint: "Leave it out for 5 minutes.",
    });
  }
  return {
    place: { provider: "hosted", baseURL: url.href.replace(/\/+$/u, ""), token: accessToken.trim(), timeoutMs },
    name: model ?? url.host,
    named: model !== undefined,
  };
}

/** **Source** Ballerina's words for one chunk and for several. */
function checkText(input: EmbeddingInput, count: number): void {
  if (typeof input === "string" || ("text" in input && typeof input.text === "string")) return;
  throw new IbidError(
    "unsupported-input",
    count === 1
      ? "Unsupported chunk type. only 'ai:TextChunk|ai:TextDocument' is supported"
      : "Unsupported chunk type. Expected elements of type 'ai:TextChunk|ai:TextDocument'.",
    { hint: "Embed a text that describes it, or leave it out.", details: { type: input.type } },
  );
}

function inBallerinasWords(error: IbidError): IbidError {
  const rest = { ...(error.hint && { hint: error.hint }), details: error.details, cause: error.cause };
  if (error.code === "embedding-failed")
    return new IbidError(error.code, `Error generating embedding for provided chunk: ${error.message}`, rest);
  if (error.code === "invalid-response" && error.details["got"] === 0)
    return new IbidError(error.code, `No embeddings generated for the provided chunk: ${error.message}`, rest);
  return error;
}

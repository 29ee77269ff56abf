import type {
  ChatMessage,
  ChatModel,
  ChatOptions,
  ChatResult,
  ChatStreamPart,
  ChatUserMessage,
  ToolCall,
} from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import {
  type AiSdkLanguageModel,
  type AiSdkProviderOptions,
  checkAiSdkModel,
  isObject,
  providerName,
} from "./ai-sdk-model.ts";
import { createChatResult, readGeneration, readToolCall } from "../hosted/read-generation.ts";
import { abortedError, invalidResponse, type ModelCall, toModelError } from "../hosted/to-model-error.ts";
import { textsOf, toAiSdkTools, toPrompt } from "./to-prompt.ts";

export type { AiSdkLanguageModel } from "./ai-sdk-model.ts";

export interface AiSdkLanguageModelOptions {
  /** Sent with every call, as they are. */
  readonly providerOptions?: AiSdkProviderOptions | undefined;
  /** Documents that the model takes besides pictures, recordings and files. Default: none. */
  readonly accepts?: readonly "binary"[] | undefined;
}

/**
 * A language model of the AI SDK as one of ours.
 *
 * **Shape** specifications v2, v3 and v4. Pictures, recordings and files in a prompt travel whole; reasoning is not part of the answer. A stream that is left early is cancelled at
 * its provider.
 * **Errors** `invalid-argument` for something else than a language model; when called see {@link ChatModel}, and `configuration-missing` for a missing key. No retries.
 * **Source** Ballerina `ModelProvider`; AI SDK `LanguageModelV2`, `LanguageModelV3`, `LanguageModelV4`.
 *
 * @experimental
 */
export function fromAiSdkLanguageModel(model: AiSdkLanguageModel, options: AiSdkLanguageModelOptions = {}): ChatModel {
  checkAiSdkModel(model, "language");
  checkOptions("fromAiSdkLanguageModel", options, { providerOptions: true, accepts: true });
  const takesBinary = options.accepts?.includes("binary") === true;
  const provider = providerName(model);
  const generate = model.doGenerate.bind(model) as (call: object) => PromiseLike<unknown>;
  const openStream = model.doStream.bind(model) as (call: object) => PromiseLike<unknown>;

  const prepare = (
    messages: readonly ChatMessage[] | ChatUserMessage,
    chatOptions: ChatOptions,
  ): { readonly request: object; readonly call: ModelCall } => {
    checkChatOptions(chatOptions);
    const { tools, stop, temperature, maxOutputTokens, signal } = chatOptions;
    const prompt = toPrompt(messages, model, takesBinary);
    const call: ModelCall = { kind: "chat", provider, model: model.modelId, sent: textsOf(prompt), signal };
    if (signal?.aborted === true) throw abortedError(call);
    const request = {
      prompt,
      ...(tools === undefined || tools.length === 0 ? {} : { tools: toAiSdkTools(tools) }),
      ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: [...stop] }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(signal === undefined ? {} : { abortSignal: signal }),
      ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
    };
    return { request, call };
  };

  return {
    provider,
    model: model.modelId,
    async chat(messages, chatOptions = {}): Promise<ChatResult> {
      const { request, call } = prepare(messages, chatOptions);
      try {
        return readGeneration(await generate(request), call);
      } catch (error) {
        throw toModelError(error, call);
      }
    },
    async *stream(messages, chatOptions = {}): AsyncGenerator<ChatStreamPart, void, undefined> {
      const { request, call } = prepare(messages, chatOptions);
      try {
        yield* readStream(await openStream(request), call);
      } catch (error) {
        throw toModelError(error, call);
      }
    },
  };
}

/** The part of a `ReadableStream` reader that is used here. */
interface PartReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<unknown>;
}

async function* readStream(result: unknown, call: ModelCall): AsyncGenerator<ChatStreamPart, void, undefined> {
  const stream = isObject(result) ? (result["stream"] as { getReader?: () => PartReader } | undefined) : undefined;
  if (typeof stream?.getReader !== "function") throw invalidResponse(call, "it has no stream");
  const reader = stream.getReader();
  let ended = false;
  let text = "";
  const toolCalls: ToolCall[] = [];
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (call.signal?.aborted === true) throw abortedError(call);
      if (done) {
        ended = true;
        throw invalidResponse(call, "the stream ended before the answer did");
      }
      if (!isObject(part)) continue;
      if (part["type"] === "text-delta" && typeof part["delta"] === "string" && part["delta"] !== "") {
        text += part["delta"];
        yield { type: "text", delta: part["delta"] };
      } else if (part["type"] === "error") {
        throw toModelError(part["error"], call);
      } else if (part["type"] === "finish") {
        yield { type: "finish", result: createChatResult(text, toolCalls, part["finishReason"], part["usage"], call) };
        return;
      } else {
        readToolCall(part, toolCalls, call);
      }
    }
  } finally {
    // The consumer left, or something failed: the provider must stop writing. An error of the cancellation no longer matters.
    if (!ended) await reader.cancel().catch(() => {});
  }
}

function checkChatOptions(options: ChatOptions): void {
  checkOptions("chat", options, { tools: true, stop: true, temperature: true, maxOutputTokens: true, signal: true });
  const { temperature, maxOutputTokens } = options;
  if (temperature !== undefined && !(Number.isFinite(temperature) && temperature >= 0)) {
    throw new IbidError("invalid-argument", "temperature must be a number that is not negative.", {
      hint: "Pass a temperature from 0 up.",
    });
  }
  if (maxOutputTokens !== undefined && !(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens >= 1)) {
    throw new IbidError("invalid-argument", "maxOutputTokens must be a whole number of at least 1.", {
      hint: "Pass the largest number of tokens for the answer.",
    });
  }
}

import { type AiSdkLanguageModel, isObject } from "../ai-sdk/ai-sdk-model.ts";
import type { AiSdkMessage } from "../ai-sdk/to-prompt.ts";
import { callWire, maxTextBytes, openWire, tooLarge, wireError, type WirePlace } from "./wire-call.ts";
import { toWireMessages } from "./wire-messages.ts";

interface ChatCall {
  readonly prompt: readonly AiSdkMessage[];
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly inputSchema: unknown }[];
  readonly stopSequences?: readonly string[];
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly abortSignal?: AbortSignal;
}

/** A streamed answer carries each few characters in an event of some hundred bytes. The whole stream is never kept. */
const maxStreamBytes = 3 * maxTextBytes;
/** Characters of one event: a whole tool call at most. */
const maxEventLength = 2 ** 21;

/** A part as the AI SDK's streams have them, as far as they are read here. */
type StreamPart =
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: string }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "finish"; readonly finishReason: object; readonly usage: object };

/**
 * A language model behind OpenAI's `POST /chat/completions`, whole or streamed, in the form of the AI SDK.
 *
 * **Shape** without a name the service decides which model it is. **Source** OpenAI API reference, "Create chat completion"; WHATWG HTML, "Server-sent events";
 * AI SDK `LanguageModelV4`.
 */
export function createWireLanguageModel(place: WirePlace, modelId: string, named = true): AiSdkLanguageModel {
  const bodyOf = (call: ChatCall): object => {
    const { prompt, tools, stopSequences, temperature, maxOutputTokens } = call;
    return {
      ...(named && { model: modelId }),
      messages: toWireMessages(prompt, place.takesAddresses),
      ...(tools && {
        tools: tools.map(({ name, description, inputSchema }) => ({
          type: "function",
          function: { name, description, parameters: inputSchema },
        })),
      }),
      ...(stopSequences && { stop: stopSequences }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    };
  };
  return {
    specificationVersion: "v4",
    provider: `${place.provider}.chat`,
    modelId,
    async doGenerate(call: ChatCall) {
      return readCompletion(await callWire(place, "/chat/completions", bodyOf(call), call.abortSignal));
    },
    async doStream(call: ChatCall) {
      const body = { ...bodyOf(call), stream: true, stream_options: { include_usage: true } };
      const pieces = openWire(place, "/chat/completions", body, call.abortSignal, maxStreamBytes);
      // A refusal by the server is thrown before a stream is returned.
      const first = await pieces.next();
      const parts = readEvents(place, first, pieces);
      const getReader = () => ({ read: () => parts.next(), cancel: () => parts.return(undefined) });
      return { stream: { getReader } };
    },
  };
}

function readCompletion(answer: Readonly<Record<string, unknown>>): object {
  const choice = firstChoice(answer);
  const message = isObject(choice?.["message"]) ? choice["message"] : undefined;
  if (message === undefined) throw wireError("AI_InvalidResponseDataError", "The answer has no message.");
  const text = message["content"];
  const calls = Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as readonly unknown[]) : [];
  return {
    content: [
      ...(typeof text === "string" && text !== "" ? [{ type: "text", text }] : []),
      ...calls.map((call) => {
        const made = isObject(call) && isObject(call["function"]) ? call["function"] : {};
        return {
          type: "tool-call",
          toolCallId: isObject(call) ? call["id"] : undefined,
          toolName: made["name"],
          input: made["arguments"],
        };
      }),
    ],
    finishReason: finishOf(choice?.["finish_reason"]),
    usage: usageOf(answer["usage"]),
  };
}

async function* readEvents(
  place: WirePlace,
  first: IteratorResult<string, void>,
  pieces: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<StreamPart, void, undefined> {
  const calls = new Map<number, { id: string; name: string; input: string }>();
  let finish: unknown;
  let usage: unknown;
  let gathered = 0;
  for await (const data of readServerEvents(place, first, pieces)) {
    if (data === "[DONE]") break;
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      yield { type: "error", error: wireError("AI_JSONParseError", "A part of the stream is not JSON.") };
      return;
    }
    if (!isObject(event)) continue;
    if (event["error"] !== undefined && event["error"] !== null) {
      yield { type: "error", error: { error: event["error"] } };
      return;
    }
    usage = event["usage"] ?? usage;
    const choice = firstChoice(event);
    finish = choice?.["finish_reason"] ?? finish;
    const delta = isObject(choice?.["delta"]) ? choice["delta"] : {};
    if (typeof delta["content"] === "string" && delta["content"] !== "")
      yield { type: "text-delta", id: "0", delta: delta["content"] };
    if (!Array.isArray(delta["tool_calls"])) continue;
    gathered += data.length;
    if (gathered > maxEventLength) throw tooLarge(place, maxEventLength);
    gatherCalls(delta["tool_calls"], calls);
  }
  // A stream without a finish reason broke off: its missing finish part shows it to the consumer.
  if (finish === undefined) return;
  for (const { id: toolCallId, name: toolName, input } of calls.values())
    yield { type: "tool-call", toolCallId, toolName, input };
  yield { type: "finish", finishReason: finishOf(finish), usage: usageOf(usage) };
}

/** The `data` of each event. **Source** WHATWG HTML, 9.2.6, "Interpreting an event stream". */
async function* readServerEvents(
  place: WirePlace,
  first: IteratorResult<string, void>,
  pieces: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  let open = "";
  let data: string[] = [];
  let length = 0;
  try {
    for (let step = first; step.done !== true; step = await pieces.next()) {
      if (open.length + length > maxEventLength) throw tooLarge(place, maxEventLength);
      const lines = (open + step.value).split(/\r\n|\n|\r(?!$)/u);
      open = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "" && data.length > 0) {
          yield data.join("\n");
          data = [];
          length = 0;
          continue;
        }
        // Comments and empty lines count too, though none is kept.
        length += line.length + 1;
        if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
    }
  } finally {
    await pieces.return();
  }
}

/** Calls come in pieces: the first has id and name, each has some of the arguments. */
function gatherCalls(deltas: readonly unknown[], into: Map<number, { id: string; name: string; input: string }>): void {
  for (const delta of deltas) {
    if (!isObject(delta)) continue;
    const made = isObject(delta["function"]) ? delta["function"] : {};
    // Some servers send whole calls without an index.
    const index = typeof delta["index"] === "number" ? delta["index"] : into.size;
    const call = into.get(index) ?? { id: "", name: "", input: "" };
    into.set(index, call);
    if (typeof delta["id"] === "string") call.id ||= delta["id"];
    if (typeof made["name"] === "string") call.name ||= made["name"];
    if (typeof made["arguments"] === "string") call.input += made["arguments"];
  }
}

function firstChoice(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const choices = answer["choices"];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(first) ? first : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

function finishOf(reason: unknown): { readonly unified: string } {
  return {
    unified: typeof reason === "string" && Object.hasOwn(reasons, reason) ? (reasons[reason] ?? "other") : "other",
  };
}

function usageOf(usage: unknown): object {
  const counted = isObject(usage) ? usage : {};
  return { inputTokens: { total: counted["prompt_tokens"] }, outputTokens: { total: counted["completion_tokens"] } };
}

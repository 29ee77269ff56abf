import type { ChatAssistantMessage, ChatResult, ToolCall, Usage } from "../../contracts/chat.ts";
import type { JsonValue } from "../../contracts/metadata.ts";
import { isObject } from "../ai-sdk/ai-sdk-model.ts";
import { invalidResponse, type ModelCall } from "./to-model-error.ts";

/** Reads what `doGenerate` gave, whichever version gave it. **Errors** `invalid-response`. */
export function readGeneration(result: unknown, call: ModelCall): ChatResult {
  if (!isObject(result) || !Array.isArray(result["content"])) throw invalidResponse(call, "it has no content");
  let text = "";
  const toolCalls: ToolCall[] = [];
  for (const part of result["content"] as readonly unknown[]) {
    if (!isObject(part)) continue;
    // Reasoning, sources and files are no part of the answer.
    if (part["type"] === "text" && typeof part["text"] === "string") text += part["text"];
    else readToolCall(part, toolCalls, call);
  }
  return createChatResult(text, toolCalls, result["finishReason"], result["usage"], call);
}

/** **Shape** `content` is `null` when nothing was said; `usage` is left out when nothing was counted. **Errors** `invalid-response` for an answer that broke off. */
export function createChatResult(
  text: string,
  toolCalls: readonly ToolCall[],
  finishReason: unknown,
  usage: unknown,
  call: ModelCall,
): ChatResult {
  const message: ChatAssistantMessage = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
  const counted = readUsage(usage);
  return {
    message,
    finishReason: readFinishReason(finishReason, call),
    ...(counted === undefined ? {} : { usage: counted }),
  };
}

/** Adds a `tool-call` part to the calls. Calls that the provider carries out itself are none of ours. */
export function readToolCall(part: Readonly<Record<string, unknown>>, into: ToolCall[], call: ModelCall): void {
  if (part["type"] !== "tool-call" || part["providerExecuted"] === true) return;
  const { toolCallId: id, toolName: name, input } = part;
  if (typeof id !== "string" || typeof name !== "string") throw invalidResponse(call, "a tool call has no id or name");
  into.push({ id, name, arguments: readArguments(input, call) });
}

function readArguments(input: unknown, call: ModelCall): JsonValue {
  // A string of JSON in every version; some providers send nothing at all for a tool without parameters.
  if (typeof input !== "string") return (input ?? {}) as JsonValue;
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as JsonValue;
  } catch {
    throw invalidResponse(call, "the arguments of a tool call are not JSON");
  }
}

const reasons = new Set(["stop", "length", "tool-calls", "content-filter", "error"]);

/** A string in v2, an object with `unified` since v3. */
function readFinishReason(reason: unknown, call: ModelCall): string {
  const unified = isObject(reason) ? reason["unified"] : reason;
  // Since v4: the stream ended without a sign that the answer did.
  if (unified === "interrupted") throw invalidResponse(call, "it broke off before its end");
  return typeof unified === "string" && reasons.has(unified) ? unified : "other";
}

/** Numbers in v2, objects with `total` since v3. */
function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const inputTokens = readTokens(usage["inputTokens"]);
  const outputTokens = readTokens(usage["outputTokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

function readTokens(tokens: unknown): number | undefined {
  const total = isObject(tokens) ? tokens["total"] : tokens;
  return typeof total === "number" && Number.isFinite(total) ? total : undefined;
}

import type { Chunk } from "./chunk.ts";
import type { Document } from "./document.ts";
import type { JsonValue } from "./metadata.ts";

/**
 * A value between the strings of a prompt.
 *
 * @experimental
 */
export type Insertion = JsonValue | Document | Chunk | readonly (Document | Chunk)[];

/**
 * A template with its values still apart, so that documents can travel whole to a multimodal model.
 *
 * **Shape** `strings.length === insertions.length + 1`. **Source** Ballerina `Prompt`, a raw template.
 *
 * @experimental
 */
export interface Prompt {
  readonly strings: readonly string[];
  readonly insertions: readonly Insertion[];
}

/**
 * A message of the user.
 *
 * @experimental
 */
export interface ChatUserMessage {
  readonly role: "user";
  readonly content: string | Prompt;
  /** Tells participants of one role apart. */
  readonly name?: string;
}

/**
 * Instructions of the application to the model.
 *
 * @experimental
 */
export interface ChatSystemMessage {
  readonly role: "system";
  readonly content: string | Prompt;
}

/**
 * A message of the model. **Source** Ballerina.
 *
 * @experimental
 */
export interface ChatAssistantMessage {
  readonly role: "assistant";
  /** `null` when the model only called tools, or said nothing. */
  readonly content: string | null;
  readonly toolCalls?: readonly ToolCall[];
  readonly name?: string;
}

/**
 * The result of a tool call.
 *
 * @experimental
 */
export interface ChatFunctionMessage {
  readonly role: "function";
  readonly name: string;
  readonly id?: string;
  readonly content: string | null;
}

/**
 * One message of a conversation. **Source** Ballerina `ChatMessage`.
 *
 * @experimental
 */
export type ChatMessage = ChatUserMessage | ChatSystemMessage | ChatAssistantMessage | ChatFunctionMessage;

/**
 * A tool as a model sees it.
 *
 * @experimental
 */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: { readonly [key: string]: JsonValue };
}

/**
 * A tool that the model wants called, with its arguments.
 *
 * @experimental
 */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/**
 * Tokens, as the provider counted them, and what they cost where that is known.
 *
 * @experimental
 */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** In the currency of {@link Prices}; absent for a model without a price there, and where the provider does not count. */
  readonly cost?: number;
}

/**
 * Callback for the usage of one model call; `model` is `provider/model`. The usage is empty where the provider does not count.
 *
 * @experimental
 */
export type OnUsage = (usage: Usage, model: string) => void;

/**
 * Price of a model's tokens. **Units** the caller's own currency, per million tokens.
 *
 * @experimental
 */
export interface Price {
  readonly input: number;
  /** Default: what input costs; embedding models have none. */
  readonly output?: number;
}

/**
 * Prices by `provider/model`. Nobody's prices are known beforehand: they change, and an invented one is worse than none.
 *
 * @experimental
 */
export type Prices = Readonly<Record<string, Price>>;

/**
 * Options of one model call.
 *
 * @experimental
 */
export interface ChatOptions {
  readonly tools?: readonly ChatTool[] | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One whole answer of a model, and what it cost.
 *
 * @experimental
 */
export interface ChatResult {
  readonly message: ChatAssistantMessage;
  readonly usage?: Usage;
  /** Why the model stopped, in the provider's general terms: `stop`, `length`, `tool-calls`, `content-filter`, `error`, `other`. */
  readonly finishReason?: string;
}

/**
 * A part of a streamed answer.
 *
 * @experimental
 */
export type ChatStreamPart =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "finish"; readonly result: ChatResult };

/**
 * A language model.
 *
 * **Errors** `rate-limited` (with `details.retryAfterMs` when the provider says), `timeout`, `invalid-response`, `model-failed`; `aborted` when the signal fires.
 * **Source** Ballerina `ModelProvider`, including its single-message form.
 */
export interface ChatModel {
  readonly provider: string;
  readonly model: string;
  chat(messages: readonly ChatMessage[] | ChatUserMessage, options?: ChatOptions): Promise<ChatResult>;
  /** Text as it comes; the last part is always `finish`. */
  stream(messages: readonly ChatMessage[] | ChatUserMessage, options?: ChatOptions): AsyncIterable<ChatStreamPart>;
}

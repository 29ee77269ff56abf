/** What of this room is public. Only the doors read it. */
export { answerQuestion } from "./answer-question.ts";
export { augmentUserQuery } from "./prompts/augment-user-query.ts";
export { buildPrompt, type BuildPromptOptions, type BuiltPrompt } from "./prompts/build-prompt.ts";
export { checkAnswer, type CheckAnswerOptions } from "./citations/check-answer.ts";
export { createPromptBuilder, type PromptBuilder, type PromptBuilderOptions } from "./prompts/create-prompt-builder.ts";
export type { SupportDecision } from "./citations/decide-support.ts";
export { addUsage, withPrice } from "../models/price-usage.ts";
export { prompt } from "./prompts/prompt.ts";
export { readUIMessages, type UIQuestion } from "../integrations/ai-sdk/read-ui-messages.ts";
export { type ContentPart, type PromptPart, renderParts, splitPrompt } from "../models/render-parts.ts";
export { renderPrompt } from "../models/render-prompt.ts";
export type {
  UIAnswerData,
  UIAnswerMetadata,
  UICitation,
  UIGrounded,
  UIHit,
  UIMessageChunk,
} from "../integrations/ai-sdk/ui-message-chunk.ts";
export {
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
  type UIMessageStreamResponseOptions,
} from "../integrations/ai-sdk/ui-message-stream.ts";

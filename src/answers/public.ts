/** What of this room is public. Only the doors read it. */
export { answerQuestion } from "./answer-question.ts";
export { augmentUserQuery } from "./augment-user-query.ts";
export { buildPrompt, type BuildPromptOptions, type BuiltPrompt } from "./build-prompt.ts";
export { checkAnswer, type CheckAnswerOptions } from "./check-answer.ts";
export { createPromptBuilder, type PromptBuilder, type PromptBuilderOptions } from "./create-prompt-builder.ts";
export type { SupportDecision } from "./decide-support.ts";
export { addUsage, withPrice } from "./price-usage.ts";
export { prompt } from "./prompt.ts";
export { readUIMessages, type UIQuestion } from "./read-ui-messages.ts";
export { type ContentPart, type PromptPart, renderParts, splitPrompt } from "./render-parts.ts";
export { renderPrompt } from "./render-prompt.ts";
export type {
  UIAnswerData,
  UIAnswerMetadata,
  UICitation,
  UIGrounded,
  UIHit,
  UIMessageChunk,
} from "./ui-message-chunk.ts";
export {
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
  type UIMessageStreamResponseOptions,
} from "./ui-message-stream.ts";

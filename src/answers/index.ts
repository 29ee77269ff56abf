/** `ibid/answers`. */
export { checkAnswer, type CheckAnswerOptions } from "./citations/check-answer.ts";
export type { CheckedAnswer } from "./citations/judge-text.ts";
export { readAnswer, readCitations } from "./given/read-answer.ts";
export type {
  AnswerFormat,
  CheckedQuotation,
  GivenAnswer,
  GivenCitation,
  QuotationStatus,
  Verification,
  VerifyOptions,
} from "../contracts/verification.ts";
export { buildPrompt, type BuildPromptOptions, type BuiltPrompt } from "./prompts/build-prompt.ts";
export { createPromptBuilder, type PromptBuilder, type PromptBuilderOptions } from "./prompts/create-prompt-builder.ts";
export type {
  AnswerContext,
  AnswerKind,
  AnswerSentence,
  ContextOptions,
  JudgedBy,
  Quotation,
  IncompleteReason,
  RefusalReason,
  Relevance,
  Verdict,
  WithheldSentence,
} from "../contracts/answer.ts";
export type { DocumentSuspicion, Suspicion, SuspicionKind } from "../contracts/suspicion.ts";
export { findSuspicious } from "../text/untrusted/find-suspicious.ts";
export { neutraliseSource } from "../text/untrusted/neutralise-source.ts";

import type {
  AnswerContext,
  AnswerKind,
  AnswerSentence,
  Citation,
  IncompleteReason,
  Quotation,
  RefusalReason,
  Relevance,
  Support,
  WithheldSentence,
} from "../../contracts/answer.ts";
import type { Usage } from "../../contracts/chat.ts";

/** A source of a message's text, as the AI SDK shows it: an address to open, or a document. One for each document. */
export type UISourceChunk =
  | { readonly type: "source-url"; readonly sourceId: string; readonly url: string; readonly title: string }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename: string;
    };

/**
 * A citation in a message: its marker, its quote, and the source part that it belongs to.
 *
 * @experimental
 */
export interface UICitation extends Citation {
  readonly sourceId: string;
}

/**
 * A hit in a message: its place and a snippet, without the whole text.
 *
 * @experimental
 */
export interface UIHit {
  readonly rank: number;
  readonly score: number;
  readonly chunkId: string;
  readonly documentId: string;
  readonly uri: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly snippet: string;
}

/**
 * The verdict on a message's text, known when the text is complete.
 *
 * @experimental
 */
export interface UIGrounded {
  readonly kind: AnswerKind;
  readonly grounded?: boolean;
  readonly verbatim?: true;
  readonly support?: Support;
  readonly relevance?: Relevance;
  readonly refusal?: RefusalReason;
  readonly sentences: readonly AnswerSentence[];
  readonly withheld: readonly WithheldSentence[];
  readonly nearest: readonly Quotation[];
  readonly removedMarkers: readonly string[];
  readonly removedQuotes: readonly string[];
  readonly removedAddresses: readonly string[];
  readonly context?: AnswerContext;
  readonly searchedFor?: string;
}

/**
 * The data parts of our messages, for `UIMessage<UIAnswerMetadata, UIAnswerData>` in a client.
 *
 * @experimental
 */
export type UIAnswerData = {
  readonly hits: readonly UIHit[];
  readonly citation: UICitation;
  readonly grounded: UIGrounded;
};

/**
 * Facts about a finished message.
 *
 * @experimental
 */
export interface UIAnswerMetadata {
  readonly kind: AnswerKind;
  /** For a written answer. */
  readonly grounded?: boolean;
  /** `provider/model`, or `null` for quotations. */
  readonly model: string | null;
  readonly usage?: Usage & { readonly totalTokens?: number };
  readonly ms: number;
}

/** The citations of a complete text, as the AI SDK keeps them with the text part. */
export interface UITextCitation {
  readonly source:
    | {
        readonly type: "source";
        readonly sourceType: "url";
        readonly id: string;
        readonly url: string;
        readonly title: string;
      }
    | {
        readonly type: "source";
        readonly sourceType: "document";
        readonly id: string;
        readonly mediaType: string;
        readonly title: string;
        readonly filename: string;
      };
  readonly citedText: string;
}

/**
 * The parts of the AI SDK's UI message stream that an answer has.
 *
 * **Source** AI SDK UI message stream protocol v1, as `ai` 5 to 7 read it.
 *
 * @experimental
 */
export type UIMessageChunk =
  | { readonly type: "start"; readonly messageId?: string }
  | { readonly type: "start-step" }
  | { readonly type: "data-hits"; readonly id: string; readonly data: UIAnswerData["hits"] }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string; readonly citations?: readonly UITextCitation[] }
  | UISourceChunk
  | { readonly type: "data-citation"; readonly id: string; readonly data: UIAnswerData["citation"] }
  | { readonly type: "data-grounded"; readonly id: string; readonly data: UIAnswerData["grounded"] }
  | { readonly type: "finish-step" }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | IncompleteReason;
      readonly messageMetadata: UIAnswerMetadata;
    }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort"; readonly reason?: string };

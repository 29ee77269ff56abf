import { answerFormats } from "../../answers/given/read-answer.ts";
import type { VerifyOptions } from "../../contracts/verification.ts";
import { byHand, byRequest, inCode, objectWith, type RulesOf } from "../../runtime/plan-options.ts";
import { searchOptions } from "../../search/search-options.ts";
import { askOptions } from "./ask-options.ts";

const { scopes, strategy, signal } = searchOptions;

/** Options of `kb.verify`. */
export const verifyOptions = {
  citations: {
    doc: "Citations of a text that has none in itself.",
    kind: { type: "list", of: { type: "object" } },
    for: byRequest,
    bounds: { http: { max: 1000 } },
  },
  format: {
    doc: "Form of the answer and its citations.",
    kind: { type: "choice", values: answerFormats },
    otherwise: "detected by its shape",
    for: byHand,
  },
  minSupport: askOptions.minSupport,
  judge: { ...askOptions.judge, kind: objectWith("a chat model", "chat") },
  maxChecks: {
    doc: "Sentences, citations and quotations of the answer together; one with more is refused as `too-large`.",
    kind: { type: "integer", min: 1 },
    otherwise: "any number",
    for: inCode,
  },
  scopes,
  strategy,
  signal: { ...signal, doc: "Stops the verification." },
} as const satisfies RulesOf<VerifyOptions>;

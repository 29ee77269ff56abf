import { answerFormats } from "../../answers/given/read-answer.ts";
import type { Quotation } from "../../contracts/answer.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { AnswerFormat, GivenCitation, Verification } from "../../contracts/verification.ts";
import { createTool } from "./create-tool.ts";
import { showQuotation } from "./format-results.ts";
import { type Field, textField, toolInput } from "./tool-input.ts";
import { header, linkTo, placesOf, text, toolOutput } from "./tool-output.ts";

interface VerifyToolOptions {
  readonly scopes?: readonly Scope[] | undefined;
  readonly about?: string | undefined;
  readonly pageAddress?: string | undefined;
}

/** Longest answer, and most citations beside it. **Source** our own choice: a long report. */
const longestAnswer = 200_000;
const mostCitations = 1000;

/**
 * Makes `verify`: verdicts on the sentences and quotations of an answer that ibid did not write.
 *
 * **Shape** JSON: the fields of a verification. Words of documents are quoted data, and the answer's own words are as given. **Cost** as `kb.verify`.
 */
export function createVerifyTool(
  kb: Pick<KnowledgeBase, "verify">,
  { about = "the user's documents", scopes, pageAddress }: VerifyToolOptions,
): Tool {
  return createTool({
    name: "verify",
    title: "Verify an answer",
    description: `Checks each sentence and each quotation of an answer against ${about}, with a verdict for each. The answer is a text with markers such as [1] and a list of its sources, or a text with citations beside it.`,
    inputSchema: toolInput({
      answer: textField("The answer, in Markdown or as the JSON of an API's response.", longestAnswer),
      citations: citationsField,
      format: formatField,
    }),
    outputSchema: verificationSchema,
    async run({ answer, citations, format }, signal) {
      const verified = await kb.verify(readResponse(answer), { citations, format, scopes, signal });
      const data = showVerification(verified, pageAddress);
      return { text: JSON.stringify(data), data };
    },
  });
}

/** A response of an API, where the text is one. */
function readResponse(answer: string): string | object {
  if (!/^\s*[[{]/u.test(answer)) return answer;
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" && value !== null ? value : answer;
  } catch {
    // A text may begin with a marker.
    return answer;
  }
}

const citationsField: Field<readonly GivenCitation[] | undefined> = {
  required: false,
  schema: {
    type: "array",
    maxItems: mostCitations,
    items: {
      type: "object",
      properties: {
        marker: { type: "string", description: "As it stands in the text, such as [1]." },
        quote: { type: "string", description: "Words that it quotes." },
        uri: { type: "string" },
        title: { type: "string", description: "Title, file name or any text that names the source." },
      },
    },
    description: "Citations of a text that has none in itself.",
  },
  wrong(value) {
    const isList = Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
    if (!isList) return "must be a list of objects";
    return value.length > mostCitations ? `has more than ${mostCitations} entries` : undefined;
  },
};

const formatField: Field<AnswerFormat | undefined> = {
  required: false,
  schema: { type: "string", enum: Object.keys(answerFormats), description: "Default: detected by its shape." },
  wrong: (value) =>
    Object.keys(answerFormats).includes(value as string)
      ? undefined
      : `must be one of ${Object.keys(answerFormats).join(", ")}`,
};

const verificationSchema = toolOutput(
  {
    verified: { type: "boolean" },
    sentences: { type: "array", items: { type: "object", properties: { text, verdict: text } } },
    quotations: {
      type: "array",
      items: { type: "object", properties: { quote: text, status: text }, required: ["quote", "status"] },
    },
    citations: placesOf({ marker: text, quote: text, header }, ["quote"]),
  },
  ["verified", "sentences", "quotations", "citations"],
);

function showVerification(verification: Verification, page: string | undefined): Readonly<Record<string, unknown>> {
  const show = (one: Quotation): object => ({ ...showQuotation(one), url: linkTo(one, page) });
  const { sentences, quotations, citations } = verification;
  return {
    ...verification,
    sentences: sentences.map((sentence) => ({ ...sentence, quotes: sentence.quotes.map(show) })),
    quotations: quotations.map(({ place, ...rest }) => ({ ...rest, ...(place && { place: show(place) }) })),
    citations: citations.map(show),
  };
}

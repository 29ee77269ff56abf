import { checkGiven, checkNotRevoked } from "../../runtime/check-options.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { AnswerFormat, GivenAnswer, GivenCitation } from "../../contracts/verification.ts";
import { type Fields, listOf, positionOf, textOf, toFields } from "./json-fields.ts";
import { readMarkdown } from "./read-markdown.ts";
import {
  aiSdkSource,
  anthropicCitation,
  cohereCitations,
  isAiSdkSource,
  isAnthropicCitation,
  isCohereCitation,
  isOpenAiCitation,
  openAiCitation,
  readAiSdk,
  readAnthropic,
  readCohere,
  readOpenAi,
  type ReadResponse,
  readVertex,
} from "./read-responses.ts";

type ResponseFormat = Exclude<AnswerFormat, "markdown">;

/** Readers in the order in which their forms are tried: each knows its own and refuses the others. */
const readers: Readonly<Record<ResponseFormat, (value: unknown) => ReadResponse | undefined>> = {
  ibid: readOwn,
  anthropic: readAnthropic,
  openai: readOpenAi,
  vertex: readVertex,
  cohere: readCohere,
  "ai-sdk": readAiSdk,
};

/** Names of the forms, for options and messages. */
export const answerFormats: Readonly<Record<AnswerFormat, true>> = {
  "ai-sdk": true,
  anthropic: true,
  cohere: true,
  ibid: true,
  markdown: true,
  openai: true,
  vertex: true,
};

/**
 * Reads an answer with its citations: a text in Markdown, or a response of an API as JSON gives it.
 *
 * **Shape** the form is detected, unless `format` names it. **Errors** `invalid-argument` for a value in none of the forms, or not in the form that is named.
 *
 * @experimental
 */
export function readAnswer(answer: string | object, format?: AnswerFormat): GivenAnswer {
  checkNotRevoked("readAnswer", "answer", answer);
  if (format !== undefined) checkGiven("readAnswer", "format", format, "text");
  if (typeof answer === "string") {
    if (format !== undefined && format !== "markdown") throw notInForm(format);
    return readMarkdown(answer);
  }
  if (format === "markdown") throw notInForm(format);
  if (format !== undefined && !Object.hasOwn(readers, format)) throw notInForm(format);
  const names = format === undefined ? (Object.keys(readers) as ResponseFormat[]) : [format];
  for (const name of names) {
    const read = readers[name](answer);
    if (read !== undefined) return { ...read, format: name, asides: [] };
  }
  throw format === undefined
    ? new IbidError("invalid-argument", "The answer has none of the forms that are read.", {
        hint: `Give a text, or a whole response of one of these: ${Object.keys(readers).join(", ")}.`,
      })
    : notInForm(format);
}

function notInForm(format: AnswerFormat): IbidError {
  return new IbidError("invalid-argument", `The answer does not have the form "${format}".`, {
    hint:
      format === "markdown"
        ? "Give a text, or leave format out."
        : "Give the whole response as an object, or leave format out.",
  });
}

/**
 * Reads citations that stand beside a text, each in ibid's own form or in that of an API.
 *
 * **Errors** `invalid-argument` for an object that names no words, no source and no marker.
 *
 * @experimental
 */
export function readCitations(text: string, citations: readonly object[]): readonly GivenCitation[] {
  checkGiven("readCitations", "text", text, "text");
  checkGiven("readCitations", "citations", citations, "list");
  return citations.flatMap((one, index): readonly GivenCitation[] => {
    const citation = toFields(one);
    if (isAnthropicCitation(citation)) return [anthropicCitation(citation)];
    if (isOpenAiCitation(citation)) return [openAiCitation(citation, text)];
    if (isCohereCitation(citation)) return cohereCitations(citation, text, []);
    if (isAiSdkSource(citation)) return [aiSdkSource(citation)];
    const own = ownCitation(citation, text);
    if (own !== undefined) return [own];
    throw new IbidError("invalid-argument", `citations[${index}] names no words, no source and no marker.`, {
      hint: "Give quote, uri, title or marker; or give the whole response of the API in place of the text.",
    });
  });
}

function ownCitation(citation: Fields, text: string): GivenCitation | undefined {
  const [marker, quote, uri, title] = ["marker", "quote", "uri", "title"].map((name) => textOf(citation[name]));
  if ([marker, quote, uri, title].every((one) => one === undefined)) return undefined;
  const [from, to] = [positionOf(citation["textStart"]), positionOf(citation["textEnd"])];
  const isPlaced = from !== undefined && to !== undefined && from <= to && to <= text.length;
  return { marker, quote, uri, title, textStart: isPlaced ? from : undefined, textEnd: isPlaced ? to : undefined };
}

/** An answer of ibid, as the command line and the service print it. */
function readOwn(value: unknown): ReadResponse | undefined {
  const { text, kind, citations } = toFields(value);
  if (typeof text !== "string" || typeof kind !== "string" || !Array.isArray(citations)) return undefined;
  const marked = listOf(citations).flatMap((citation) => ownCitation(citation, text) ?? []);
  // A marker may stand behind several sentences that its quotation carries.
  const carried = listOf(toFields(value)["sentences"]).flatMap(({ start, end, quotes }) =>
    listOf(quotes).flatMap(({ quote, uri }) => ownCitation({ quote, uri, textStart: start, textEnd: end }, text) ?? []),
  );
  return { text, citations: [...marked, ...carried] };
}

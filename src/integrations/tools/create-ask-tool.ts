import type { Answer, AnswerSentence } from "../../contracts/answer.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Tool } from "../../contracts/tool.ts";
import { createTool } from "./create-tool.ts";
import { type FixedLimits, ofThePast } from "./fixed-view.ts";
import { asData, showQuotation } from "./format-results.ts";
import { narrow, narrowingFields, type Narrowing } from "./narrowing.ts";
import { textField, toolInput } from "./tool-input.ts";
import { header, linkTo, placesOf, text, toolOutput } from "./tool-output.ts";

interface AskToolOptions extends FixedLimits {
  readonly about?: string | undefined;
  readonly pageAddress?: string | undefined;
  /** Whether a call may narrow the search by a filter, a scope and a number of hits. Default false. */
  readonly narrowing?: boolean;
}

/**
 * Makes `ask`: an answer with its sentences, verdicts and citations.
 *
 * **Shape** JSON: the answer's fields but for `hits`, `context` and `suspicions`. Texts are quoted data, see {@link asData}, and places are those of the text as shown.
 * **Cost** as `kb.ask`; with a chat model, its calls.
 */
export function createAskTool(
  kb: Pick<KnowledgeBase, "ask" | "list">,
  { about = "the user's documents", pageAddress, narrowing = false, ...limits }: AskToolOptions,
): Tool {
  return createTool({
    name: "ask",
    title: "Ask",
    description: `Answers a question from ${about}, with citations and a verdict for each sentence. A refusal names the nearest passages.`,
    inputSchema: toolInput({
      question: textField("A question in words; a text that asks nothing is not searched.", 8192, 0),
      ...(narrowing ? narrowingFields : {}),
    }),
    outputSchema: answerSchema,
    async run({ question, ...rest }, signal) {
      const options = await narrow(kb, limits, rest as Narrowing);
      const answer = await ofThePast(options.asOf, kb.ask(question, { ...options, signal }));
      const data = showAnswer(answer, pageAddress);
      return { text: JSON.stringify(data), data };
    },
  });
}

const answerSchema = toolOutput(
  {
    kind: { type: "string", enum: ["quotes", "written", "refused"] },
    text: { ...text, description: "With the markers of its citations." },
    sentences: { type: "array", items: { type: "object", properties: { text, verdict: text }, required: ["text"] } },
    citations: placesOf({ marker: text, quote: text, header, documentId: text }, ["marker", "quote"]),
    nearest: placesOf({ quote: text, header, documentId: text }, ["quote"]),
    relevance: { type: "object" },
  },
  ["kind", "text", "sentences", "citations", "nearest"],
);

/** An answer as a model may see it: neutralised where documents or models wrote it, with the markers of its citations. */
function showAnswer(answer: Answer, page: string | undefined): Readonly<Record<string, unknown>> {
  const { hits: _, context: _context, suspicions: _suspicions, ...rest } = answer;
  const markers = new Set(answer.citations.map(({ marker }) => marker));
  const show = (text: string): string =>
    text
      .split(/(\[\d{1,4}\])/u)
      .map((part) => (markers.has(part) ? part : asData(part)))
      .join("");
  let text = "";
  let at = 0;
  const sentences = answer.sentences.map((sentence): object => {
    text += show(answer.text.slice(at, sentence.start));
    const start = text.length;
    const said = show(sentence.text);
    text += said;
    at = sentence.end;
    return showSentence(sentence, said, start);
  });
  text += show(answer.text.slice(at));
  return {
    ...rest,
    text,
    sentences,
    citations: answer.citations.map((one) => ({ ...showQuotation(one), url: linkTo(one, page) })),
    nearest: answer.nearest.map((one) => ({ ...showQuotation(one), url: linkTo(one, page) })),
    withheld: answer.withheld.map((sentence) => ({ ...sentence, text: asData(sentence.text) })),
    removedMarkers: answer.removedMarkers.map(asData),
    removedQuotes: answer.removedQuotes.map(asData),
    removedAddresses: answer.removedAddresses.map(defang),
  };
}

/** An address that can be read and not loaded, because a model may repeat it: `hxxps://example[.]org`. */
function defang(address: string): string {
  return asData(address.replace(/^http/iu, "hxxp").replaceAll(".", "[.]"));
}

/** Quotations of a sentence are named by their markers. */
function showSentence(sentence: AnswerSentence, text: string, start: number): object {
  const { quotes, unsupportedWords } = sentence;
  const words = unsupportedWords.map(([from, to]) =>
    asData(sentence.text.slice(from - sentence.start, to - sentence.start)),
  );
  return {
    ...sentence,
    text,
    start,
    end: start + text.length,
    quotes: quotes.map(({ marker }) => marker),
    unsupportedWords: words,
  };
}

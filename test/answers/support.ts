import { renderAll } from "../support/render-markdown.ts";
import type { Answer, AnswerEvent } from "../../src/contracts/answer.ts";
import type { ChatMessage, ChatModel, ChatResult, ChatUserMessage } from "../../src/contracts/chat.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { createStances } from "../../src/answers/passages/opposite-actions.ts";
import { rankPassages } from "../../src/answers/passages/rank-passages.ts";
import { readPassages } from "../../src/answers/passages/read-passages.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";
import type { DocumentSlices } from "../../src/answers/citations/cite-quote.ts";
import { answerQuestion, type AnswerQuestionOptions } from "../../src/answers/answer-question.ts";

/** Whole documents, and hits that are slices of them. */
export const documents: Readonly<Record<string, string>> = {
  keys: "# Keys\n\nKeys are rotated every 90 days. The operator starts a rotation with the rotate command [1]. Old keys stay valid for 24 hours.\n",
  backups: "Backups run every night at two. They are kept for 30 days. A restore takes an hour.",
};

export function createHit(rank: number, documentId: string, from = 0, to?: number, extra: Partial<Hit> = {}): Hit {
  const document = documents[documentId] ?? "";
  const text = document.slice(from, to);
  return {
    rank,
    score: 1 / rank,
    chunkId: `${documentId}-${from}`,
    documentId,
    scope: "deployment",
    text,
    snippet: text,
    source: { uri: `${documentId}.md`, title: documentId, headings: [], start: from, end: from + text.length },
    metadata: {},
    origin: "user-content",
    ...extra,
  };
}

export const hits: readonly Hit[] = [createHit(1, "keys"), createHit(2, "backups", 28)];

/** Slices of texts that are given as a whole. */
export function slicesOf(textOf: (id: string) => string | undefined): DocumentSlices {
  return { read: async (id, _, start, end) => textOf(id)?.slice(start, end) };
}

export const slices = slicesOf((id) => documents[id]);

/** A model that says what a test wants, in the pieces that it wants. */
export function createScriptedModel(pieces: readonly string[], result: Partial<ChatResult> | "broken off" = {}) {
  const calls: (readonly ChatMessage[] | ChatUserMessage)[] = [];
  const model: ChatModel = {
    provider: "test",
    model: "script",
    chat: async () => ({ message: { role: "assistant", content: pieces.join("") } }),
    async *stream(messages) {
      calls.push(messages);
      for (const delta of pieces) yield { type: "text", delta };
      if (result !== "broken off")
        yield { type: "finish", result: { message: { role: "assistant", content: pieces.join("") }, ...result } };
    },
  };
  return { model, calls };
}

export async function collect(
  options: Partial<AnswerQuestionOptions>,
): Promise<{ events: AnswerEvent[]; answer: Answer }> {
  const events: AnswerEvent[] = [];
  const run = answerQuestion({
    question: "How often are keys rotated?",
    hits,
    grounding: "preferred",
    documents: slices,
    ...options,
  });
  for await (const event of run) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "answer") throw new Error("The last event is not the answer.");
  return { events, answer: last.answer };
}

/** What every answer must hold to, whatever a model wrote (law 2). */
export function faults({ events, answer }: { events: readonly AnswerEvent[]; answer: Answer }): string[] {
  const found: string[] = [];
  const said = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
  if (said !== answer.text) found.push("the deltas are not the text");
  if (answer.text !== answer.text.trim() || answer.text === "") found.push("the text is blank or not trimmed");
  const markers = new Set(answer.citations.map(({ marker }) => marker));
  const numbers = /\[\s*[\p{Nd}\p{No}]{1,3}(?:\s*,\s*[\p{Nd}\p{No}]{1,3})*\s*\]/gu;
  const shown = renderAll(answer.text).flatMap(({ prose }) => prose.flatMap((part) => part.match(numbers) ?? []));
  for (const marker of new Set(shown)) {
    if (!markers.has(marker)) found.push(`${marker} stands in the text and is no citation`);
  }
  for (const citation of answer.citations) {
    if (!answer.text.includes(citation.marker)) found.push(`${citation.marker} is not in the text`);
    if (
      citation.quote === "" ||
      documents[citation.documentId]?.slice(citation.start, citation.end) !== citation.quote
    ) {
      found.push(`${citation.marker} is not what the document says`);
    }
  }
  const landed = events.flatMap((event) => (event.type === "citation" ? [event.citation] : []));
  if (JSON.stringify(landed) !== JSON.stringify(answer.citations))
    found.push("the citation events are not the citations");
  return found;
}

/** A hit that is a whole text, and the slices to read it by. */
export function hitOf(text: string, headings: readonly string[] = [], extra: Partial<Hit> = {}): Hit {
  const source = { uri: "x", title: "", headings, start: 0, end: text.length };
  return createHit(1, "keys", 0, undefined, { text, source, ...extra });
}

/** The passages of a text that may be quoted, best first. */
export async function rankIn(question: string, text: string, headings: readonly string[] = []) {
  const stanceOf = createStances(question);
  const hits = [hitOf(text, headings)];
  const passages = await readPassages(
    hits,
    slicesOf(() => text),
    { beyondHits: true, stanceOf },
  );
  return rankPassages(question, passages, hits, defaultAnalyzer);
}

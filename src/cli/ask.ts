import { readFile } from "node:fs/promises";
import type { Answer, AskOptions, Citation } from "../contracts/answer.ts";
import type { ChatMessage } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { toHitJson } from "../search/hit-json.ts";
import { type CommonOptions, type Context, requireText, withKnowledgeBase } from "./open.ts";
import { askOptions } from "../knowledge-base/asking/ask-options.ts";
import { type OptionsFor, pickTableOptions } from "./table-options.ts";
import { createProgressLine } from "./progress.ts";
import { describePlace } from "./search.ts";
import { countSuspicions } from "../text/untrusted/describe-suspicions.ts";
import type { Output } from "./output.ts";
import { count, neutralise, neutraliseText, wrap } from "./text-layout.ts";
import { createStreamWrapper } from "./wrap-stream.ts";
import { describePlaceLabels } from "../text/place-labels.ts";

export interface AskCommandOptions extends CommonOptions, Omit<OptionsFor<AskOptions>, "instructions" | "judge"> {
  readonly model?: string;
  /** `provider/model`. */
  readonly judge?: string;
  /** A file. */
  readonly instructions?: string;
  readonly contextTokens?: number;
  readonly wholeCorpus?: true;
}

/** `ibid ask`: the answer as it comes, then where each claim stands. A refusal is an answer. */
export async function ask(context: Context, question: string, options: AskCommandOptions): Promise<number> {
  requireText("question", question);
  const { model, judge } = options;
  const how = await readHow(options);
  return await withKnowledgeBase(options, { model, judge, embeds: "queries" }, async (kb) => {
    await sayAnswer(context, kb, question, { model, ...how });
    return 0;
  });
}

/** How a question is asked, by the options of its command. **Errors** `invalid-argument` for what only a model has a use for, without one; `not-found`. */
export async function readHow(options: AskCommandOptions): Promise<AskOptions> {
  const { model, judge, instructions, contextTokens: maxTokens, wholeCorpus } = options;
  const idle = Object.entries({
    "--judge": judge,
    "--instructions": instructions,
    "--context-tokens": maxTokens,
    "--whole-corpus": wholeCorpus,
  }).find(([, value]) => value !== undefined);
  if (model === undefined && idle !== undefined) {
    throw new IbidError("invalid-argument", `${idle[0]} is for a model, and none is to write the answer.`, {
      hint: "Name one with --model, or leave it out.",
    });
  }
  const given = pickTableOptions<AskOptions>(askOptions, options);
  return {
    ...given,
    instructions: instructions === undefined ? undefined : await readInstructions(instructions),
    context: { maxTokens, wholeCorpus },
  };
}

async function readInstructions(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IbidError("not-found", `The instructions in ${file} cannot be read: ${reason}.`, {
      uri: file,
      hint: "Check the path.",
      cause,
    });
  }
}

/** Asks, and writes the answer as it comes. `history` is what was said before. */
export async function sayAnswer(
  context: Context,
  kb: KnowledgeBase,
  question: string,
  { model, ...how }: { readonly model: string | undefined } & Awaited<ReturnType<typeof readHow>>,
  history: readonly ChatMessage[] = [],
): Promise<Answer> {
  const { output, signal } = context;
  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  let answer: Answer | undefined;
  const wrapper = createStreamWrapper(output.columns);
  // Without a model the answer is there at once, and is set in lines below.
  const streams = model !== undefined && output.isTerminal;
  let streamed = false;
  try {
    const asking = { signal, history, ...how };
    for await (const event of kb.ask(question, asking)) {
      signal.throwIfAborted();
      if (event.type === "hits" && model !== undefined) line.say(`Asking ${neutralise(model)} …`);
      if (event.type === "text" && event.delta !== "") {
        line.clear();
        streamed = true;
        if (streams) await output.text(wrapper.push(neutraliseText(event.delta)));
      }
      if (event.type === "answer") ({ answer } = event);
    }
  } finally {
    line.clear();
  }
  if (answer === undefined) throw new IbidError("internal", "The answer ended before it was whole.");
  if (output.json) await output.object({ ...answer, hits: answer.hits.map(toHitJson) });
  else {
    const isWritten = streams && streamed;
    if (isWritten) await output.text(wrapper.end());
    await writeAnswer(context, kb, answer, isWritten);
  }
  return answer;
}

async function writeAnswer(
  { output, signal }: Context,
  kb: KnowledgeBase,
  answer: Answer,
  isWritten: boolean,
): Promise<void> {
  const { style, columns } = output;
  if (isWritten) {
    await output.line();
  } else {
    for (const paragraph of neutraliseText(answer.text).split("\n")) {
      // Lists and code keep the lines that they have.
      const lines = /^\s/u.test(paragraph) || columns === Infinity ? [paragraph] : wrap(paragraph, columns);
      for (const line of lines.length === 0 ? [""] : lines) await output.line(line);
    }
  }
  if (answer.citations.length > 0) await output.line();
  const places = createPlaces(kb, answer);
  for (const citation of answer.citations) {
    signal.throwIfAborted();
    const marker = neutralise(citation.marker);
    const indent = " ".repeat(marker.length + 1);
    await output.line(`${style.bold(marker)} ${await places(citation)}`);
    const quote = neutralise(citation.quote.replaceAll(/\s+/gu, " ").trim());
    for (const line of wrap(`“${quote}”`, columns - indent.length)) await output.line(indent + style.dim(line));
  }
  await writeRemarks(output, answer);
  if (answer.grounded && !answer.refused) return;
  await output.line();
  await output.line(
    style.dim(
      answer.refused
        ? "Refused: nothing that was found says it."
        : "Not every sentence above is supported by a citation.",
    ),
  );
}

/** What whoever reads the answer should know of how it came about, each a line. */
async function writeRemarks(output: Output, answer: Answer): Promise<void> {
  const { removedAddresses, context, suspicions = [] } = answer;
  const remarks: string[] = [];
  if (context?.from === "whole-corpus") remarks.push("Answered from everything that may be read.");
  const less = (context?.cut.length ?? 0) + (context?.leftOut.length ?? 0);
  if (less > 0) remarks.push(`Of ${count(less, "chunk")} not everything fitted into ${context?.maxTokens} tokens.`);
  if (removedAddresses.length > 0) {
    const what = removedAddresses.length === 1 ? "An address" : `${removedAddresses.length} addresses`;
    remarks.push(`${what} that no source has ${removedAddresses.length === 1 ? "was" : "were"} taken out.`);
  }
  const [first] = suspicions;
  if (first) {
    remarks.push(
      `Some of what was found speaks to models rather than to readers: ${countSuspicions(suspicions)}. See ibid show ${first.uri} --suspicious`,
    );
  }
  if (remarks.length > 0) await output.line();
  for (const remark of remarks) {
    for (const text of wrap(neutralise(remark), output.columns)) await output.line(output.style.dim(text));
  }
}

/** Says where a citation stands: the line of its first word, not of the chunk that holds it. Reads each cited document once. */
function createPlaces(kb: KnowledgeBase, answer: Answer): (citation: Citation) => Promise<string> {
  const documents = new Map<string, ReturnType<KnowledgeBase["document"]>>();
  return async ({ uri, chunkId, documentId, start, end }) => {
    const hit = answer.hits.find((candidate) => candidate.chunkId === chunkId && candidate.documentId === documentId);
    if (hit === undefined) return neutralise(uri);
    const key = `${hit.scope} ${uri}`;
    const reading = documents.get(key) ?? kb.document(uri, { scope: hit.scope });
    documents.set(key, reading);
    const document = await reading;
    if (document === undefined || document.id !== documentId) return describePlace(hit);
    const { locate } = await import("../text/locate.ts");
    return neutralise(describePlaceLabels(uri, locate(document, start, end)));
  };
}

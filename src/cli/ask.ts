import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { Answer, AskOptions, Citation } from "../contracts/answer.ts";
import type { ChatMessage } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { askOptions } from "../knowledge-base/asking/ask-options.ts";
import { toHitJson } from "../search/hit-json.ts";
import { describePlaceLabels } from "../text/place-labels.ts";
import { countSuspicions } from "../text/untrusted/describe-suspicions.ts";
import { examples, note } from "./help-text.ts";
import { type CommonOptions, type Context, requireText, withKnowledgeBase } from "./open.ts";
import { type Output, toIbidError } from "./output.ts";
import { showWarnings } from "./show-warnings.ts";
import { createProgressLine } from "./progress.ts";
import { describePlace } from "./search.ts";
import { type OptionsFor, pickTableOptions, addTableOptions } from "./table-options.ts";
import { count, neutralise, neutraliseText, wrap } from "./text-layout.ts";
import { createStreamWrapper } from "./wrap-stream.ts";

export interface AskCommandOptions extends CommonOptions, Omit<OptionsFor<AskOptions>, "instructions" | "judge"> {
  readonly model?: string;
  /** `provider/model`. */
  readonly judge?: string;
  /** Path of a file. */
  readonly instructions?: string;
  readonly contextTokens?: number;
  readonly wholeCorpus?: true;
}

/** `ibid ask`: prints the answer while it is made, then its citations. A refusal is an answer. */
export async function ask(context: Context, question: string, options: AskCommandOptions): Promise<number> {
  requireText("question", question);
  const { model, judge } = options;
  const how = await readHow(options);
  return await withKnowledgeBase(options, { model, judge, embeds: "queries" }, async (kb) => {
    await sayAnswer(context, kb, question, { model, ...how });
    return 0;
  });
}

/** Reads the options that concern the answer. **Errors** `invalid-argument` for an option that needs a model, without one; `not-found`. */
export async function readHow(options: AskCommandOptions): Promise<AskOptions> {
  const { model, judge, instructions, contextTokens: maxTokens, wholeCorpus } = options;
  const idle = Object.entries({
    "--judge": judge,
    "--instructions": instructions,
    "--context-tokens": maxTokens,
    "--whole-corpus": wholeCorpus,
  }).find(([, value]) => value !== undefined);
  if (model === undefined && idle !== undefined) {
    throw new IbidError(
      "invalid-argument",
      `${idle[0]} needs --model: it is an option of answers that a model writes.`,
      {
        hint: "Name a model with --model, or leave the option out.",
      },
    );
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

/** Asks, and prints the answer while it is made. `history` has the turns before. */
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
  // Without a model the answer is complete at once, and is wrapped below.
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
  if (answer === undefined) throw new IbidError("internal", "The answer ended before it was complete.");
  if (output.json) await output.object({ ...answer, hits: answer.hits.map(toHitJson) });
  else {
    const isWritten = streams && streamed;
    if (isWritten) await output.text(wrapper.end());
    await writeAnswer(context, kb, answer, isWritten);
    showWarnings(context, answer.warnings);
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
      // Lists and code keep their lines.
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
        ? "Refused: the hits do not contain an answer."
        : "Not every sentence above is supported by a citation.",
    ),
  );
}

/** Remarks on how the answer was made, one a line. */
async function writeRemarks(output: Output, answer: Answer): Promise<void> {
  const { removedAddresses, context, suspicions = [] } = answer;
  const remarks: string[] = [];
  if (context?.from === "whole-corpus") remarks.push("Answered from all documents that the caller may read.");
  const less = (context?.cut.length ?? 0) + (context?.leftOut.length ?? 0);
  if (less > 0) remarks.push(`${count(less, "chunk")} did not fit whole into ${context?.maxTokens} tokens.`);
  if (removedAddresses.length > 0) {
    const what = removedAddresses.length === 1 ? "An address" : `${removedAddresses.length} addresses`;
    remarks.push(`${what} that no source contains ${removedAddresses.length === 1 ? "was" : "were"} removed.`);
  }
  const [first] = suspicions;
  if (first) {
    remarks.push(
      `Some hits address models rather than readers: ${countSuspicions(suspicions)}. See ibid show ${first.uri} --suspicious`,
    );
  }
  if (remarks.length > 0) await output.line();
  for (const remark of remarks) {
    for (const text of wrap(neutralise(remark), output.columns)) await output.line(output.style.dim(text));
  }
}

/** Makes a function for the place of a citation: the line of its first word, not of its chunk. It reads each cited document once. */
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

/** Older turns do not help the next question. */
const mostMessages = 40;

/**
 * `ibid chat`: one question a line, each a continuation of those before it, until the input ends.
 *
 * On a terminal it prompts, on standard error. In a pipe each line is a question, and with `--json` each answer is a line. After an error the conversation goes on.
 *
 * **Shape** exit code 1 when a question failed.
 */
export async function chat(context: Context, options: AskCommandOptions): Promise<number> {
  const { output, stderr, signal } = context;
  const { stdin } = process;
  const isTerminal = stdin.isTTY;
  const { createInterface } = await import("node:readline");
  const { model, judge } = options;
  const how = { model, ...(await readHow(options)) };
  return await withKnowledgeBase(options, { model, judge, embeds: "queries" }, async (kb) => {
    // The prompt is not part of the answers.
    const lines = createInterface({
      input: stdin,
      terminal: isTerminal,
      signal,
      prompt: "? ",
      ...(isTerminal && { output: stderr }),
    });
    // A terminal that is read by line takes Ctrl-C for itself.
    lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    let history: readonly ChatMessage[] = [];
    let failed = false;
    try {
      if (isTerminal) lines.prompt();
      for await (const line of lines) {
        const question = line.trim();
        if (question !== "") {
          try {
            const { text } = await sayAnswer(context, kb, question, how, history);
            history = [...history, said("user", question), said("assistant", text)].slice(-mostMessages);
            await output.line();
          } catch (error) {
            signal.throwIfAborted();
            failed = true;
            await output.error(toIbidError(error));
          }
        }
        if (isTerminal) lines.prompt();
      }
    } finally {
      lines.close();
    }
    return failed ? 1 : 0;
  });
}

function said(role: "user" | "assistant", content: string): ChatMessage {
  return { role, content };
}

/** `ibid ask` and `ibid chat` with their options and their help. */
export function addAskCommands(program: Command, context: Context, done: (exitCode: number) => void): void {
  addAnswerOptions(
    program
      .command("ask")
      .summary("answer a question, with citations")
      .description(
        "Answer a question from the documents, with citations. Without a model, in the documents' own sentences.",
      )
      .argument("<question>"),
  )
    .addHelpText(
      "after",
      examples([
        'ibid ask "How do I rotate keys?"',
        'ibid ask "How do I rotate keys?" --grounding strict',
        'ibid ask "How do I rotate keys?" --model ollama/llama3.2 --judge openai/gpt-5-mini',
      ]),
    )
    .action(async function (this: Command, question: string) {
      done(await ask(context, question, this.optsWithGlobals<AskCommandOptions>()));
    });

  addAnswerOptions(
    program
      .command("chat")
      .summary("answer questions in a conversation")
      .description("Answer questions, one a line, each a continuation of those before it."),
  )
    .addHelpText(
      "after",
      examples(["ibid chat", "ibid chat --model ollama/llama3.2", "ibid chat --json < questions.txt"]) +
        note("It ends with the input: Ctrl-D on a terminal. Nothing of the conversation is kept."),
    )
    .action(async function (this: Command) {
      done(await chat(context, this.optsWithGlobals<AskCommandOptions>()));
    });
}

function addAnswerOptions(command: Command): Command {
  command
    .option(
      "--model <provider/model>",
      "chat model that writes the answer, such as openai/gpt-5-mini or ollama/llama3.2",
    )
    .option(
      "--judge <provider/model>",
      "chat model that decides whether the answer is grounded (default: none; words decide)",
    )
    .option("--instructions <file>", "instructions for the model, as text");
  return addTableOptions(command, askOptions, ["instructions"]);
}

import type { Command } from "commander";
import type {
  Answer,
  AnswerSentence,
  AskOptions,
  IncompleteReason,
  Quotation,
  RefusalReason,
  Verdict,
} from "../contracts/answer.ts";
import type { ChatMessage } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { askOptions } from "../knowledge-base/asking/ask-options.ts";
import { toGroupJson } from "../search/group-hits.ts";
import { toHitJson } from "../search/hit-json.ts";
import { describeNames, describePlaceLabels } from "../text/place-labels.ts";
import { countSuspicions } from "../text/untrusted/describe-suspicions.ts";
import { examples, note } from "./help-text.ts";
import { addAnswerModels, type CommonOptions, type Context, nameOfModel, withKnowledgeBase } from "./open.ts";
import { type Output, toIbidError } from "./output.ts";
import { describeEnd } from "./search.ts";
import { showWarnings } from "./show-warnings.ts";
import { explainPrefix } from "./suggest-uris.ts";
import { createProgressLine } from "./progress.ts";
import { type OptionsFor, pickTableOptions, addTableOptions } from "./table-options.ts";
import { count, neutralise, neutraliseText, oneLine, quoted, wrap } from "./text-layout.ts";
import { createStreamWrapper } from "./wrap-stream.ts";
import { readText } from "./read-text.ts";

export interface AskCommandOptions extends CommonOptions, Omit<OptionsFor<AskOptions>, "instructions" | "judge"> {
  readonly model?: string;
  /** `provider/model`. */
  readonly judge?: string;
  /** Path of a file. */
  readonly instructions?: string;
  readonly contextTokens?: number;
  readonly wholeCorpus?: true;
}

/** `ibid ask`: prints the answer while it is made, then its citations. **Shape** exit code 0 for an answer, 3 for a refusal. */
export async function ask(context: Context, given: string, options: AskCommandOptions): Promise<number> {
  const { model } = options;
  const question = given === "-" ? await readStdin() : given;
  const how = await readHow(options);
  return await withKnowledgeBase(options, { embeds: "queries" }, async (kb) => {
    const { kind } = await sayAnswer(context, kb, question, { model, ...how });
    return kind === "refused" ? 3 : 0;
  });
}

/** More than any question may have, so that a wrong file is not read whole. **Units** UTF-16. */
const longestStdin = 1_000_000;

/** The question on standard input. **Errors** `invalid-argument` for none. */
async function readStdin(): Promise<string> {
  let text = "";
  for await (const part of process.stdin.setEncoding("utf8")) {
    text += String(part);
    if (text.length > longestStdin) break;
  }
  if (text.trim() !== "") return text.trim();
  throw new IbidError("invalid-argument", "Standard input holds no question.", {
    hint: "Pipe a question in, such as: ibid ask - < question.txt",
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
    instructions:
      instructions === undefined ? undefined : await readText(instructions, "Check the path of --instructions."),
  };
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
      if (event.type === "hits" && model !== undefined) line.say(`Asking ${neutralise(nameOfModel(model))} …`);
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
  if (output.json) {
    const { hits, groups } = answer;
    await output.object({ ...answer, hits: hits.map(toHitJson), ...(groups && { groups: groups.map(toGroupJson) }) });
  } else {
    const isWritten = streams && streamed;
    if (isWritten) await output.text(wrapper.end());
    await writeAnswer(context, answer, isWritten);
    if (answer.hits.length === 0) await explainPrefix(output, kb, how.under);
    showWarnings(context, answer.warnings);
  }
  return answer;
}

async function writeAnswer({ output, signal }: Context, answer: Answer, isWritten: boolean): Promise<void> {
  const { style, columns } = output;
  const { kind, relevance, citations } = answer;
  const isLow = relevance !== undefined && relevance.value < relevance.threshold;
  if (kind === "quotes" && isLow) {
    await writeDim(output, "These passages may not answer the question:");
    await output.line();
  }
  if (isWritten) {
    await output.line();
  } else {
    for (const paragraph of neutraliseText(answer.text).split("\n")) {
      // Lists and code keep their lines.
      const lines = /^\s/u.test(paragraph) || columns === Infinity ? [paragraph] : wrap(paragraph, columns);
      for (const line of lines.length === 0 ? [""] : lines) await output.line(line);
    }
  }
  if (citations.length > 0) await output.line();
  for (const citation of citations) {
    signal.throwIfAborted();
    const marker = neutralise(citation.marker);
    await output.line(`${style.bold(marker)} ${placeOf(citation)}`);
    await writePassage(output, citation, " ".repeat(marker.length + 1));
    for (const line of describeEnd(citation)) await writeDim(output, line, " ".repeat(marker.length + 1));
  }
  await writeRemarks(output, answer);
  if (kind === "written") await writeSupport(output, answer);
  if (kind === "written" && isLow) await writeDim(output, "The passages found may not answer the question.");
  await writeWithheld(output, answer);
  await writeRefusal(output, answer);
}

/** A text in the style of remarks, wrapped. */
async function writeDim(output: Output, text: string, indent = ""): Promise<void> {
  const { style, columns } = output;
  for (const line of wrap(neutralise(text), columns - indent.length)) await output.line(indent + style.dim(line));
}

/** Names of a passage, then its words. */
async function writePassage(output: Output, passage: Quotation, indent: string): Promise<void> {
  const names = oneLine(describeNames(passage));
  if (names !== "" && names !== passage.uri) await writeDim(output, names, indent);
  await writeDim(output, quoted(passage), indent);
}

/** An item of a list, whose further lines stand under its text. */
async function writeItem(output: Output, text: string): Promise<void> {
  const { style, columns } = output;
  const sign = "  - ";
  for (const [index, line] of wrap(neutralise(text), columns - sign.length).entries())
    await output.line((index === 0 ? sign : " ".repeat(sign.length)) + style.dim(line));
}

const placeOf = (quotation: Quotation): string => neutralise(describePlaceLabels(quotation.uri, quotation));

const refusals: Readonly<Record<RefusalReason, string>> = {
  "no-question": "Refused: the text asks nothing.",
  "no-evidence": "Refused: no passage answers the question well enough.",
  "nothing-supported": "Refused: the documents support no sentence of the model's answer.",
  "model-declined": "Refused: the model found no answer in the passages.",
};

const verdicts: Readonly<Record<Verdict, string>> = {
  supported: "supported",
  partly: "partly supported",
  unsupported: "not supported",
  uncited: "cites nothing",
};

/** How many sentences of a written answer are supported, who judged, and which are not. */
async function writeSupport(output: Output, { text, sentences, support }: Answer): Promise<void> {
  const claims = sentences.filter((sentence) => sentence.claims);
  const doubtful = claims.filter(({ verdict }) => verdict !== "supported");
  const by =
    support?.judge === undefined || support.by === "words"
      ? "words"
      : `${support.judge}; numbers, names and denials by words`;
  await output.line();
  await writeDim(
    output,
    `Supported: ${claims.length - doubtful.length} of ${count(claims.length, "claim")}. Judged by ${by}.`,
  );
  if (support?.judgeFailure !== undefined) {
    const judged = claims.filter((claim) => claim.by === "words" && claim.verdict !== "uncited").length;
    await writeDim(
      output,
      `The judge ${support.judge} failed (${support.judgeFailure}): ${count(judged, "claim")} judged by words.`,
    );
  }
  for (const sentence of doubtful) {
    const { missing, otherwise } = sortWords(text, sentence);
    const parts = [
      verdicts[sentence.verdict!],
      ...(missing.length > 0 ? [`no source has: ${missing.join(", ")}`] : []),
      ...(otherwise.length > 0 ? [`the source has otherwise: ${otherwise.join(", ")}`] : []),
    ];
    const shown = sentence.verdict === "partly" ? parts : parts.slice(0, 1);
    await writeItem(output, `${oneLine(sentence.text)} (${shown.join("; ")})`);
  }
}

/** Words for which a sentence is not supported: those that its quotations lack, and those that they have otherwise. */
export function sortWords(
  text: string,
  { unsupportedWords, quotes }: AnswerSentence,
): { readonly missing: readonly string[]; readonly otherwise: readonly string[] } {
  const words = [...new Set(unsupportedWords.map(([start, end]) => text.slice(start, end)))];
  const isThere = (word: string): boolean =>
    quotes.some(({ quote }) => quote.toLowerCase().includes(word.toLowerCase()));
  return { missing: words.filter((word) => !isThere(word)), otherwise: words.filter(isThere) };
}

/** Sentences that strict grounding took out of the text. */
async function writeWithheld(output: Output, { withheld }: Answer): Promise<void> {
  const claims = withheld.filter(({ verdict }) => verdict !== undefined);
  if (claims.length === 0) return;
  await output.line();
  await writeDim(output, `Withheld: ${count(claims.length, "sentence")}.`);
  for (const { text, verdict } of claims) {
    const why = verdict === "supported" ? "leans on a sentence that was withheld" : verdicts[verdict!];
    await writeItem(output, `${oneLine(text)} (${why})`);
  }
}

/** The reason of a refusal, and the nearest passages, named as such. */
async function writeRefusal(output: Output, { refusal, nearest }: Answer): Promise<void> {
  if (refusal === undefined) return;
  await output.line();
  await writeDim(output, refusals[refusal]);
  if (nearest.length === 0) return;
  await writeDim(output, "The nearest passages, which are not an answer:");
  for (const passage of nearest) {
    await output.line(`  ${placeOf(passage)}`);
    await writePassage(output, passage, "    ");
  }
}

const incompleteRemarks: Readonly<Record<IncompleteReason, string>> = {
  length: "Incomplete: the model reached its limit of tokens.",
  "content-filter": "Incomplete: the provider's content filter stopped the model.",
  error: "Incomplete: the model failed before its answer was complete.",
};

/** Remarks on how the answer was made, one a line. */
async function writeRemarks(output: Output, answer: Answer): Promise<void> {
  const { removedAddresses, context, suspicions = [], incomplete } = answer;
  const remarks: string[] = [];
  if (incomplete !== undefined) remarks.push(incompleteRemarks[incomplete]);
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
  const { model } = options;
  const how = { model, ...(await readHow(options)) };
  return await withKnowledgeBase(options, { embeds: "queries" }, async (kb) => {
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
      if (isTerminal) {
        await output.aside(await describeChat(kb, options));
        await output.aside(chatReplies.help);
        lines.prompt();
      }
      for await (const line of lines) {
        const question = line.trim();
        const command = readChatCommand(question);
        if (command === "exit") break;
        if (command === "clear") history = [];
        if (command !== undefined) await output.aside(chatReplies[command], true);
        else if (question !== "") {
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

/** Commands of a conversation, and the words that give them. */
type ChatCommand = "help" | "clear" | "exit" | "unknown";

const chatReplies: Readonly<Record<Exclude<ChatCommand, "exit">, string>> = {
  help: "A line is a question; it continues the conversation. /clear begins a new one. /exit, exit or Ctrl-D ends it.",
  clear: "A new conversation begins.",
  unknown: "There is no such command. The commands are /help, /clear and /exit.",
};

/** The command of a line; `undefined` for a question. A path such as `/etc/hosts` is part of a question. */
function readChatCommand(line: string): ChatCommand | undefined {
  const word = line.toLowerCase();
  if (["exit", "quit", "/exit", "/quit", ":q"].includes(word)) return "exit";
  if (word === "/help" || word === "/?") return "help";
  if (word === "/clear") return "clear";
  return /^\/[a-z]+$/u.test(word) ? "unknown" : undefined;
}

/** The first lines of a conversation: the documents it is about, and the maker of its answers. */
async function describeChat(kb: KnowledgeBase, { model, kb: folder }: AskCommandOptions): Promise<string> {
  const { documents } = await kb.status();
  const maker =
    model === undefined
      ? "Answers are passages of the documents; --model names a model that writes them."
      : `${neutralise(nameOfModel(model))} writes the answers.`;
  return `Questions about ${count(documents, "document")} in ${neutralise(folder)}. ${maker}`;
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
        "Answer a question from the documents, with citations and with the sentences that they do not support. Without a model, passages that may answer.",
      )
      .argument("<question>", "the question, or - to read it from standard input"),
  )
    .addHelpText(
      "after",
      examples([
        'ibid ask "How do I rotate keys?"',
        "ibid ask - < question.txt",
        'ibid ask "How do I rotate keys?" --grounding strict',
        'ibid ask "How do I rotate keys?" --model ollama/llama3.2 --judge openai/gpt-5-mini',
      ]) + note("The exit code is 0 for an answer and 3 for a refusal."),
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
        note("/help lists its commands. It ends with /exit, or with the input: Ctrl-D on a terminal. Nothing is kept."),
    )
    .action(async function (this: Command) {
      done(await chat(context, this.optsWithGlobals<AskCommandOptions>()));
    });
}

function addAnswerOptions(command: Command): Command {
  addAnswerModels(command).option("--instructions <file>", "instructions for the model, as text");
  return addTableOptions(command, askOptions, ["instructions"]);
}

import type { ChatMessage } from "../contracts/chat.ts";
import type { AskCommandOptions } from "./ask.ts";
import { readHow, sayAnswer } from "./ask.ts";
import { type Context, withKnowledgeBase } from "./open.ts";
import { toIbidError } from "./output.ts";

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

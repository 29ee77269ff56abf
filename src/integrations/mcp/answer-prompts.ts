import type { McpServer } from "@modelcontextprotocol/server";
import { textField, toolInput } from "../tools/tool-input.ts";

/** Adds the prompts that a person chooses in a client: `ask-with-citations`, and `verify-answer` where there is a tool for it. */
export function addAnswerPrompts(server: McpServer, about: string, verifies: boolean): void {
  const say = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }] });
  server.registerPrompt(
    "ask-with-citations",
    {
      title: "Ask with citations",
      description: `Answers a question from ${about}, every sentence with its source.`,
      argsSchema: toolInput({ question: textField("The question.") }),
    },
    ({ question }) =>
      say(
        `Answer this question from ${about} alone, with the tools search and fetch. Quote the words that carry each sentence, exactly as fetch shows them, with the url of their place. Say so where the documents do not answer.\n\nQuestion: ${question}`,
      ),
  );
  if (!verifies) return;
  server.registerPrompt(
    "verify-answer",
    {
      title: "Verify an answer",
      description: `Checks an answer against ${about}.`,
      argsSchema: toolInput({ answer: textField("The answer with its citations.", 100_000) }),
    },
    ({ answer }) =>
      say(
        `Call the tool verify with this answer. Then list each sentence with its verdict, and mark what no source supports.\n\n${answer}`,
      ),
  );
}

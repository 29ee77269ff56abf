import { tool as langChainTool } from "@langchain/core/tools";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import { createScriptedChatModel } from "../../../src/testing/scripted-chat-model.ts";
import { callTools, toChatTool } from "../../../src/integrations/tools/call-tools.ts";
import { createSearchTools } from "../../../src/integrations/tools/create-search-tools.ts";

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  await kb.ingest({ uri: "keys.md", text: "Rotate the signing keys every ninety days." });
});
afterAll(() => kb.close());

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

describe("one tool for all", () => {
  it("is taken by the AI SDK as it is", async () => {
    const seen: unknown[] = [];
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt, tools }) => {
        seen.push(tools?.[0]);
        const last = prompt.at(-1);
        if (last?.role === "tool") {
          const [part] = last.content;
          seen.push(part?.type === "tool-result" ? part.output : undefined);
          return {
            content: [{ type: "text", text: "Every ninety days." }],
            finishReason: { unified: "stop", raw: "stop" },
            usage,
            warnings: [],
          };
        }
        const input = JSON.stringify({ query: "rotate keys", topK: 1 });
        return {
          content: [{ type: "tool-call", toolCallId: "1", toolName: "documents_search", input }],
          finishReason: { unified: "tool-calls", raw: "tool_calls" },
          usage,
          warnings: [],
        };
      },
    });
    const [search] = createSearchTools(kb);
    const { text } = await generateText({
      model,
      tools: { [search!.name]: search! },
      stopWhen: stepCountIs(3),
      prompt: "How often?",
    });
    expect(text).toBe("Every ninety days.");
    expect(seen[0]).toMatchObject({
      name: "documents_search",
      inputSchema: { required: ["query"], additionalProperties: false },
    });
    expect(seen.at(-1)).toMatchObject({ type: "text", value: expect.stringContaining("ninety days") as string });
  });

  it("is taken by LangChain, with its schema as JSON", async () => {
    const [search] = createSearchTools(kb);
    const { name, description, parameters } = toChatTool(search!);
    const theirs = langChainTool((input) => search!.execute(input), { name, description, schema: parameters });
    expect(await theirs.invoke({ query: "rotate keys" })).toContain("ninety days");
    await expect(theirs.invoke({ query: "rotate keys", scope: "platform" })).rejects.toThrow("schema");
  });

  it("answers the calls of a chat model, those that fail included [B41]", async () => {
    const tools = createSearchTools(kb, { tools: ["search"] });
    const model = createScriptedChatModel([
      { toolCalls: [{ id: "1", name: "documents_search", arguments: { query: "rotate keys" } }] },
    ]);
    const { message } = await model.chat({ role: "user", content: "How often?" }, { tools: tools.map(toChatTool) });
    const answers = await callTools(tools, [
      ...(message.toolCalls ?? []),
      { id: "2", name: "documents_search", arguments: { question: "rotate keys" } },
      { id: "3", name: "documents_delete", arguments: {} },
    ]);
    expect(answers.map(({ id, name, content }) => [id, name, content])).toEqual([
      ["1", "documents_search", expect.stringContaining("ninety days")],
      [
        "2",
        "documents_search",
        "documents_search: query is missing. question is not an argument; there are query, topK, under, merge, groupBy, asOf. Call it again with the arguments of its schema.",
      ],
      ["3", "documents_delete", 'There is no tool "documents_delete".'],
    ]);
    await expect(
      callTools(tools, message.toolCalls ?? [], { signal: AbortSignal.abort(new Error("enough")) }),
    ).rejects.toThrow("enough");
  });
});

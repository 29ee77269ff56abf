import { describe, expect, it } from "vitest";

import { openKnowledgeBase } from "../../src/index.node.ts";
import { createAskTool } from "../../src/integrations/tools/create-ask-tool.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import type { Answer } from "../../src/contracts/answer.ts";
import { startWorld } from "../server/service.ts";

const header = "| Device | Price | Room |";
const rows = Array.from({ length: 300 }, (_, at) => `| gauge ${at} | ${at + 1000} euros | hall ${at % 7} |`);
const text = `# Devices\n\nPrices of the devices of each hall.\n\n${header}\n|---|---|---|\n${rows.join("\n")}\n`;
const quoted = { header: { start: text.indexOf(header), end: text.indexOf(header) + header.length, quote: header } };

async function open(said?: string) {
  const chat = said === undefined ? undefined : createScriptedChatModel([said]);
  const kb = await openKnowledgeBase(chat === undefined ? {} : { models: { chat } });
  await kb.ingest({ uri: "devices.md", text, mediaType: "text/markdown" });
  return kb;
}

describe("a quotation that begins in the body of a table", () => {
  const question = "What is the price of gauge 217?";

  it("has the table's header, without a model and with one [T48]", async () => {
    for (const said of [undefined, "Gauge 217 costs 1217 euros [1][2][3][4][5]."]) {
      await using kb = await open(said);
      const answer = await kb.ask(question);
      const citation = answer.citations.find(({ quote }) => quote.includes("gauge 217 "));
      expect(citation).toMatchObject(quoted);
      expect(text.slice(citation!.header!.start, citation!.header!.end)).toBe(header);
    }
  });

  it("has it in an answer that is verified, over HTTP and for a tool", async () => {
    await using kb = await open();
    const { sentences } = await kb.verify("Gauge 217 costs 1217 euros [1].\n\n[1]: devices.md");
    expect(sentences).toMatchObject([{ verdict: "supported", quotes: [quoted] }]);
    const { as } = await startWorld({}, kb);
    const { json } = await as("anyone", "/ask", { body: { question } });
    expect(json.citations[0]).toMatchObject(quoted);
    const shown = JSON.parse(await createAskTool(kb, {}).execute({ question })) as Answer;
    expect(shown.citations[0]).toMatchObject({ header: { quote: header } });
  });

  it("has it in a short table too, and prose has none", async () => {
    await using kb = await openKnowledgeBase();
    await kb.ingest({
      uri: "short.md",
      mediaType: "text/markdown",
      text: `${header}\n|---|---|---|\n| scale | 5 euros | hall 1 |\n\nThe crane | hook is red.`,
    });
    const { citations } = await kb.ask("What is the price of the scale?");
    expect(citations).toMatchObject([{ quote: "| scale | 5 euros | hall 1 |", header: { quote: header, start: 0 } }]);
    const prose = await kb.ask("Which colour has the crane hook?");
    expect(prose.citations.length).toBeGreaterThan(0);
    for (const citation of prose.citations) expect(citation).not.toHaveProperty("header");
  });
});

import { expect, it } from "vitest";

import { openKnowledgeBase } from "../../../src/index.node.ts";
import { createAskTool } from "../../../src/integrations/tools/create-ask-tool.ts";
import { createScriptedChatModel } from "../../../src/testing/scripted-chat-model.ts";

it("the tool that asks lists removed addresses so that they can be read and not loaded", async () => {
  const said = "Keys are rotated every ninety days [1]. ![x](https://evil.example/a.png?d=1)";
  await using kb = await openKnowledgeBase({ models: { chat: createScriptedChatModel(() => said) } });
  await kb.ingest({ uri: "keys", text: "Keys are rotated every ninety days." });
  const { removedAddresses } = await kb.ask("How often are keys rotated?");
  expect(removedAddresses).toEqual(["https://evil.example/a.png?d=1"]);
  const shown = await createAskTool(kb, {}).execute({ question: "How often are keys rotated?" });
  expect((JSON.parse(shown) as { removedAddresses: unknown }).removedAddresses).toEqual([
    "hxxps://evil[.]example/a[.]png?d=1",
  ]);
  expect(shown).not.toContain("https://evil.example");
});

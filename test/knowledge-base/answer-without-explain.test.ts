import { expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";

it("an answer is the same whether its hits are explained or not", async () => {
  const kb = await openKnowledgeBase();
  onTestFinished(() => kb.close());
  await kb.ingest({ uri: "keys.md", text: "# Keys\n\nEverybody rotates a key with keyctl rotate.\n" });
  await kb.ingest({ uri: "umbrella.md", text: "# Keys of Umbrella\n\nUmbrella rotates its key in the cellar.\n" });
  // Without the rarity of terms, the words "its" and "key" would choose the sentence about Umbrella.
  const question = "When does Acme rotate its key?";
  const plain = await kb.ask(question);
  const explained = await kb.ask(question, { explain: true });
  expect(plain.text).toContain("Everybody rotates a key");
  expect(plain.text).toBe(explained.text);
  expect(plain.hits[0]).not.toHaveProperty("explain");
  expect(explained.hits[0]).toHaveProperty("explain");
});

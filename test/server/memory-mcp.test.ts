import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { startService } from "../../src/server/index.node.ts";
import { keys, openWorld, type Who } from "./service.ts";

async function serve() {
  const kb = await openWorld();
  const service = await startService(kb, { keys: Object.values(keys), port: 0, mcp: { memory: {}, changes: true } });
  onTestFinished(() => service.stop());
  const connect = async (who: Who) => {
    const client = new Client({ name: "agent", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${keys[who].key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("mcp", service.url), { requestInit }));
    onTestFinished(() => client.close());
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return { text, isError: isError === true, data: structuredContent as Record<string, unknown> };
    };
    const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
    return { call, tools };
  };
  return { connect };
}

describe("memory over HTTP", () => {
  it("remembers by each key for itself, and tells no other key", async () => {
    const { connect } = await serve();
    const [ada, operator, bob] = [await connect("ada"), await connect("operator"), await connect("bob")];
    const made = await ada.call("remember", { text: "The lamp is in the attic.", key: "lamp" });
    expect(made).toMatchObject({ isError: false, data: { status: "added", note: { by: "ada" } } });
    expect((await ada.call("recall", { query: "lamp" })).text).toContain("The lamp is in the attic.");
    await ada.call("remember", { text: "The lamp is in the cellar.", key: "lamp" });
    expect((await ada.call("recall", { query: "lamp" })).text).not.toContain("attic");
    const before = new Date().toISOString();
    expect((await ada.call("recall", { query: "lamp", asOf: before })).text).toContain("cellar");
    expect((await bob.call("recall", { query: "lamp" })).text).toBe("0 notes");
    expect((await operator.call("recall", { query: "lamp" })).text).toBe("0 notes");
    expect((await ada.call("forget", { key: "lamp" })).isError).toBe(false);
    for (const at of [{}, { asOf: before }])
      for (const who of [ada, bob, operator])
        expect((await who.call("recall", { query: "lamp", ...at })).text).toBe("0 notes");
    for (const who of [ada, bob, operator])
      expect((await who.call("list_memories", { all: true })).data["notes"]).toEqual([]);
    // Nor does the trash have it.
    expect((await ada.call("list_deleted")).text).not.toMatch(/lamp|attic|cellar|notes\//u);
  });

  it("shows keys that only read no tool that writes", async () => {
    const { connect } = await serve();
    const [ada, bob] = [await connect("ada"), await connect("bob")];
    const writing = ["remember", "forget", "delete_document", "restore_document", "list_deleted"];
    expect(await ada.tools()).toEqual(expect.arrayContaining([...writing, "recall", "list_memories"]));
    const shown = await bob.tools();
    expect(shown).toEqual(expect.arrayContaining(["recall", "list_memories"]));
    expect(shown.filter((name) => writing.includes(name))).toEqual([]);
    await expect(bob.call("remember", { text: "Bob was here." })).rejects.toThrow("Tool remember not found");
  });

  it("loses no note of two agents that remember at once", async () => {
    const { connect } = await serve();
    const [one, other] = [await connect("ada"), await connect("ada")];
    const facts = Array.from({ length: 10 }, (_, i) => i);
    const done = await Promise.all(
      facts.flatMap((i) => [
        one.call("remember", { text: `Fact ${i} of one stands.`, key: `one-${i}` }),
        other.call("remember", { text: `Fact ${i} of other stands.`, key: `other-${i}` }),
      ]),
    );
    expect(done.filter(({ isError }) => isError)).toEqual([]);
    expect((await one.call("list_memories")).data["notes"]).toHaveLength(20);
  });
});

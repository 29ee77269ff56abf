import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { keys, openWorld, startWorld } from "./service.ts";

/** The hits and the text that a chat client shows for one question, asked with the `body` that `useChat` was given. */
async function ask(url: string, text: string, body: object = {}) {
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${url}chat`,
    headers: { authorization: `Bearer ${keys.ada.key}` },
    body,
  });
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "1",
    messageId: undefined,
    abortSignal: undefined,
    messages: [{ id: "1", role: "user", parts: [{ type: "text", text }] }],
  });
  let message: UIMessage | undefined;
  for await (const each of readUIMessageStream({ stream })) message = each;
  const parts = message?.parts ?? [];
  const hits = parts.flatMap((part) => (part.type === "data-hits" ? (part.data as { readonly uri: string }[]) : []));
  return {
    uris: hits.map(({ uri }) => uri),
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    metadata: message?.metadata as { readonly kind: string },
  };
}

describe("POST /chat", () => {
  it("obeys the options of useChat's body: topK, scopes, filter, mode, grounding", async () => {
    const model = createScriptedChatModel(() => "The moon is a key made of cheese and rotates in the cellar of Rome.");
    const kb = await openWorld(model);
    await kb.ingest({ uri: "hr.md", text: "HR rotates its key each Monday." }, { metadata: { department: "HR" } });
    const { service } = await startWorld({}, kb);
    const question = "When is a key rotated?";
    const plain = await ask(service.url, question);
    expect(new Set(plain.uris).size).toBeGreaterThan(2);
    expect((await ask(service.url, question, { topK: 1 })).uris).toHaveLength(1);
    const own = await ask(service.url, question, { scopes: ["user:ada"] });
    expect(new Set(own.uris)).toEqual(new Set(["user-ada.md"]));
    const filtered = await ask(service.url, question, { filter: { department: "HR" } });
    expect(new Set(filtered.uris)).toEqual(new Set(["hr.md"]));
    const byPattern = await ask(service.url, "under the m.t", { mode: "regex" });
    expect(new Set(byPattern.uris)).toEqual(new Set(["user-ada.md"]));
    expect(plain.metadata.kind).toBe("written");
    expect((await ask(service.url, question, { grounding: "strict" })).metadata.kind).toBe("refused");
  });

  it("refuses options that POST /ask does not have, by name and with the nearest one", async () => {
    const { as } = await startWorld();
    const messages = [{ role: "user", parts: [{ type: "text", text: "When?" }] }];
    const refusal = async (body: object) => (await as("ada", "/chat", { body: { messages, ...body } })).json.error;
    expect(await refusal({ top_k: 3 })).toMatchObject({
      code: "invalid-argument",
      message: '"top_k" is unknown.',
      hint: 'Did you mean "topK"?',
    });
    expect((await refusal({ topK: 51 })).message).toContain("topK is 51; it must be");
    // The messages are the history, and instructions belong to the application.
    for (const name of ["history", "instructions", "temperature"]) {
      expect((await refusal({ [name]: "x" })).message).toContain(`"${name}" is unknown`);
    }
  });
});

import { request as startRequest } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { countTurns, slowClock } from "../support/turns.ts";
import { keys, startWorld } from "./service.ts";

afterEach(() => void vi.restoreAllMocks());

const text = "# Keys\n\nA key is valid for ninety days. A lost key is revoked within the hour.\n";

/** A knowledge base whose searches show in the calls of its model. `reached` is told of each query. */
async function openCounted(reached: (queries: number) => Promise<void> | void = () => {}) {
  let queries = 0;
  const model: EmbeddingModel = {
    provider: "testing",
    model: "counted",
    dimensions: 3,
    kind: "dense",
    async embed(inputs, { purpose }) {
      if (purpose === "query") await reached(++queries);
      return { embeddings: inputs.map((input) => [JSON.stringify(input).length % 7, 1, 2]) };
    },
  };
  const kb: KnowledgeBase = await openKnowledgeBase({ models: { embedding: model } });
  onTestFinished(() => kb.close());
  await kb.ingest({ uri: "keys.md", text, mediaType: "text/markdown" });
  return { kb, queries: () => queries };
}

const sentences = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, at) => `Cabinet ${from + at} holds a key.`).join(" ");

describe("an answer to verify [19]", () => {
  it.each<[string, object]>([
    ["sentences", { answer: sentences(21) }],
    [
      "words between quotation marks",
      { answer: `It says ${Array.from({ length: 20 }, (_, at) => `"${at}"`).join(" and ")}.` },
    ],
    [
      "citations of an API",
      { answer: "A key is valid.", citations: Array.from({ length: 20 }, () => ({ quote: "A key" })) },
    ],
  ])("of too many %s is refused before anything is looked up", async (_, body) => {
    const { kb, queries } = await openCounted();
    const { as } = await startWorld({ limits: { maxChecks: 20 } }, kb);
    const refused = await as("bob", "/verify", { body });
    expect([refused.status, refused.json.error]).toMatchObject([
      413,
      {
        code: "too-large",
        message: "The answer has 21 sentences, citations and quotations; at most 20 are verified together.",
        hint: "Verify it in parts, such as one section after the other, or raise the limit maxChecks.",
      },
    ]);
    expect(queries()).toBe(0);
  });

  it("of as many as the limit is verified, and the tool of agents has the same limit", async () => {
    const { kb, queries } = await openCounted();
    const { as, service } = await startWorld({ limits: { maxChecks: 20 } }, kb);
    const verified = await as("bob", "/verify", { body: { answer: sentences(20) } });
    expect([verified.status, verified.json.sentences.length, queries()]).toEqual([200, 20, 20]);
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${keys.bob.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("mcp", service.url), { requestInit }));
    onTestFinished(() => client.close());
    const { isError, content } = await client.callTool({ name: "verify", arguments: { answer: sentences(21) } });
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining("at most 20 are verified")]);
    expect(queries()).toBe(20);
  });

  it("has no limit in a program, unless it is given", async () => {
    const { kb } = await openCounted();
    expect((await kb.verify(sentences(600))).sentences).toHaveLength(600);
    await expect(kb.verify(sentences(3), { maxChecks: 2 })).rejects.toMatchObject({ code: "too-large" });
    await expect(kb.verify(sentences(3), { maxChecks: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("is left where its caller leaves", async () => {
    const opened = Promise.withResolvers<void>();
    const third = Promise.withResolvers<void>();
    const { kb, queries } = await openCounted(async (count) => {
      if (count !== 3) return;
      third.resolve();
      await opened.promise;
    });
    const { service, log, as } = await startWorld({}, kb);
    const request = startRequest(new URL("verify", service.url), {
      method: "POST",
      headers: { authorization: `Bearer ${keys.ada.key}`, "content-type": "application/json" },
    });
    request.on("error", () => {});
    request.end(JSON.stringify({ answer: sentences(30) }));
    await third.promise;
    request.destroy();
    await vi.waitFor(() => expect(log.map(({ status }) => status)).toContain(499), { timeout: 60_000, interval: 5 });
    opened.resolve();
    // A neighbour's verification is over, and the other one did not go on beside it.
    await as("bob", "/verify", { body: { answer: sentences(10, 100) } });
    expect(queries()).toBe(13);
  });

  it("gives everybody else a turn between two sentences", async () => {
    const { kb } = await openCounted();
    const cited = `${Array.from({ length: 50 }, (_, at) => `Key ${at} is valid [1].`).join(" ")}\n\n[1]: keys.md\n`;
    await kb.verify(cited);
    slowClock(4);
    // Each is looked up, and judged.
    expect(await countTurns(() => kb.verify(cited))).toBeGreaterThanOrEqual(100);
  });
});

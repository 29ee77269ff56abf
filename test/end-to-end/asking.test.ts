import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnswerEvent, openKnowledgeBase, type Scope } from "../../src/index.node.ts";
import { renderPrompt } from "../../src/integrations/compat/index.node.ts";
import {
  type ChatMessage,
  type ChatModel,
  createModelReranker,
  type EmbeddingModel,
  type Usage,
} from "../../src/models/index.node.ts";
import { compressHits, dropDuplicates, hyde, multiQuery } from "../../src/search/index.ts";

/** Every part of asking at once, over models that say which of its parts called them, and count. */
function createModel(name: string, answers: readonly string[]) {
  const calls: (readonly ChatMessage[])[] = [];
  const reply = (messages: Parameters<ChatModel["chat"]>[0]) => {
    calls.push(Array.isArray(messages) ? (messages as readonly ChatMessage[]) : [messages as ChatMessage]);
    const content = answers[Math.min(calls.length, answers.length) - 1] ?? "";
    return { message: { role: "assistant" as const, content }, usage: { inputTokens: 100, outputTokens: 10 } };
  };
  const model: ChatModel = {
    provider: "test",
    model: name,
    chat: async (messages) => reply(messages),
    async *stream(messages) {
      const result = reply(messages);
      for (const delta of result.message.content.match(/[^]{1,5}/gu) ?? []) yield { type: "text", delta };
      yield { type: "finish", result };
    },
  };
  const prompt = (call: number): string =>
    (calls[call] ?? []).map(({ content }) => renderPrompt(content ?? "")).join("\n");
  return { model, calls, prompt };
}

/** Knows whether a text speaks of keys, of backups, or of neither; counts a token for each text. */
function createTopicModel(): EmbeddingModel {
  return {
    provider: "test",
    model: "topics",
    kind: "dense",
    dimensions: 3,
    similarity: "meaning",
    embed: async (inputs) => ({
      embeddings: inputs.map((input) => {
        const text = typeof input === "string" ? input : "";
        const vector = [/keys?|rotat|they/iu.test(text) ? 1 : 0, /backup/iu.test(text) ? 1 : 0, 0.1];
        const length = Math.hypot(...vector);
        return Float32Array.from(vector, (value) => value / length);
      }),
      tokens: inputs.length,
    }),
  };
}

const corpus = [
  { uri: "keys.md", text: "Signing keys are rotated every ninety days. Old keys stay valid for a day." },
  { uri: "backups.md", text: "Backups run every night at two. They are kept for thirty days." },
];

const history: readonly ChatMessage[] = [
  { role: "user", content: "Do we rotate signing keys?" },
  { role: "assistant", content: "Yes, they are rotated [1]." },
];

describe("asking with everything at once", () => {
  it("a rewrite, composed retrievers, a reranker, an answer and a judge: one answer, one sum of what they used [B41 W11]", async () => {
    const writer = createModel("writer", [
      "How often are signing keys rotated?",
      "Every ninety days [1]. Ignore me [7].",
    ]);
    const helper = createModel("helper", ["rotation of signing keys\nkey lifetime"]);
    const inventor = createModel("inventor", ["Keys are rotated every year."]);
    const grader = createModel("grader", ["1: 9\n2: 2"]);
    const chooser = createModel("chooser", ["1"]);
    const judge = createModel("judge", ["1: supported 1\n2: supported 1"]);
    const told: string[] = [];
    const kb = await openKnowledgeBase({
      models: {
        chat: writer.model,
        judge: judge.model,
        embedding: createTopicModel(),
        reranker: createModelReranker({ model: grader.model }),
        prices: Object.fromEntries(
          ["writer", "helper", "inventor", "grader", "chooser", "judge", "topics"].map((name) => [
            `test/${name}`,
            { input: 1, output: 10 },
          ]),
        ),
      },
      search: {
        retriever: (base, { documents, analyzer }) =>
          compressHits(dropDuplicates(multiQuery(hyde(base, { model: inventor.model }), { model: helper.model })), {
            documents,
            analyzer,
            model: chooser.model,
          }),
      },
    });
    await kb.ingest(corpus);
    const answer = await kb.ask("And how often are they?", {
      history,
      grounding: "strict",
      instructions: "Answer as the help desk of Acme.",
      onUsage: (_, model) => told.push(model),
    });
    expect(answer).toMatchObject({
      kind: "written",
      grounded: true,
      searchedFor: "How often are signing keys rotated?",
    });
    expect(answer.removedMarkers).toEqual(["[7]"]);
    expect(answer.citations.map(({ quote }) => quote)).toEqual(["Signing keys are rotated every ninety days."]);
    expect(writer.prompt(1)).toContain("Answer as the help desk of Acme.");
    expect(writer.prompt(1)).toContain("Do we rotate signing keys?");

    const chats = [writer, helper, inventor, grader, chooser, judge].reduce((sum, { calls }) => sum + calls.length, 0);
    const embedded = told.filter((model) => model === "test/topics").length;
    expect(new Set(told)).toEqual(
      new Set(["test/topics", "test/helper", "test/inventor", "test/grader", "test/chooser"]),
    );
    expect(answer.usage).toEqual({
      inputTokens: 100 * chats + embedded,
      outputTokens: 10 * chats,
      cost: expect.closeTo((100 * chats + embedded + 100 * chats) / 1_000_000, 12) as number,
    });
    await kb.close();
  });

  it("the query's embedding is counted for the operator, and told to nobody else [L3]", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: createTopicModel() } });
    await kb.ingest(corpus);
    const told: Usage[] = [];
    await kb.as({ userId: "ada" }).search("rotate keys", { onUsage: (usage) => told.push(usage) });
    expect(told).toEqual([]);
    await kb.search("rotate signing keys", { onUsage: (usage) => told.push(usage) });
    expect(told).toEqual([{ inputTokens: 1, outputTokens: 0 }]);
    const twice = { onUsage: () => void told.push({}) };
    await kb.search("rotate signing keys", twice);
    expect(told.length).toBe(1);
    await kb.close();
  });

  it("a listener that throws fails nothing, and no sum is told where one call was not counted", async () => {
    const { model } = createModel("writer", ["Every ninety days [1]."]);
    const uncounted: ChatModel = { ...createModel("helper", ["key rotation"]).model };
    const helper: ChatModel = {
      ...uncounted,
      chat: async () => ({ message: { role: "assistant", content: "key rotation" } }),
    };
    const kb = await openKnowledgeBase({
      models: { chat: model },
      search: { retriever: (base) => multiQuery(base, { model: helper }) },
    });
    await kb.ingest(corpus);
    const answer = await kb.ask("How often are keys rotated?", {
      onUsage: () => {
        throw new Error("a listener of somebody's");
      },
    });
    expect(answer.citations.length).toBe(1);
    expect(answer).not.toHaveProperty("usage");
    await kb.close();
  });

  it("the whole corpus, with history, a judge and a label's rules: nothing is searched, so nothing is rewritten", async () => {
    const writer = createModel("writer", ["Keys are rotated every ninety days [2]."]);
    const judge = createModel("judge", ["1: unsupported"]);
    const helper = createModel("helper", [""]);
    const kb = await openKnowledgeBase({
      models: { chat: writer.model },
      search: { retriever: (base) => multiQuery(base, { model: helper.model }) },
    });
    await kb.ingest(corpus);
    const answer = await kb.ask("How often are they?", {
      history,
      judge: judge.model,
      context: { wholeCorpus: true },
    });
    expect([writer, helper, judge].map(({ calls }) => calls.length)).toEqual([1, 0, 1]);
    expect(answer.context).toMatchObject({ from: "whole-corpus", cut: [], leftOut: [] });
    expect(answer).toMatchObject({ grounded: false, support: { by: "judge" } });
    expect(answer).not.toHaveProperty("searchedFor");
    expect(answer.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
    await kb.close();
  });

  it("whoever leaves a stream after the first words stops the model", async () => {
    let stopped = false;
    const slow: ChatModel = {
      provider: "test",
      model: "slow",
      chat: async () => ({ message: { role: "assistant", content: "" } }),
      async *stream(_, options) {
        try {
          yield { type: "text", delta: "Signing keys are rotated every ninety days. " };
          yield { type: "text", delta: "Never " };
          yield { type: "text", delta: "again" };
        } finally {
          stopped = options?.signal?.aborted === true;
        }
      },
    };
    const kb = await openKnowledgeBase({ models: { chat: slow } });
    await kb.ingest(corpus);
    const seen: AnswerEvent["type"][] = [];
    for await (const { type } of kb.ask("How often are keys rotated?")) {
      seen.push(type);
      if (type === "text") break;
    }
    expect([seen, stopped]).toEqual([["hits", "text"], true]);
    await kb.close();
  });
});

describe("whatever the world and whatever a model says", () => {
  const scopes: readonly Scope[] = ["deployment", "team:acme", "team:zenith", "user:ada", "user:bob"];
  const sentence = fc.constantFrom(
    "Keys rotate every ninety days.",
    "The key of the vault is brass.",
    "Nobody may keep a key [1].",
    "Keys: `a[2]`.\n",
    "Schlüssel drehen sich 【1】.",
    "鍵は九十日ごとに交換される。",
    "Keys 🔑 rotate.",
    "# Keys\n",
  );
  const world = fc.array(
    fc.record({ scope: fc.constantFrom(...scopes), sentences: fc.array(sentence, { minLength: 1, maxLength: 12 }) }),
    { minLength: 1, maxLength: 6 },
  );
  const said = fc.array(
    fc.oneof(
      fc.constantFrom(
        "[1]",
        "[2][3]",
        "[1, 2]",
        "[99]",
        "[",
        "]",
        "1",
        "【2】",
        "[٣]",
        "`",
        "```\n",
        "\n",
        "\n\n",
        ". ",
        "“",
        "”",
        '"',
        " Keys rotate every ninety days [1].",
        "\nKeys rotate every ninety days [1][2].",
      ),
      sentence,
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 25 },
  );
  const callers = [{ userId: "ada", teamId: "acme" }, { userId: "bob", teamId: "zenith" }, {}, "operator"] as const;

  it("every citation that leaves resolves verbatim, in a scope that the asker may read [L2 L3]", async () => {
    let resolved = 0;
    await fc.assert(
      fc.asyncProperty(
        world,
        said,
        fc.constantFrom(...callers),
        fc.constantFrom("permissive", "preferred", "strict"),
        fc.boolean(),
        async (documents, pieces, caller, grounding, wholeCorpus) => {
          const model: ChatModel = {
            ...createModel("any", [""]).model,
            async *stream() {
              for (const delta of pieces) yield { type: "text", delta };
              yield { type: "finish", result: { message: { role: "assistant", content: pieces.join("") } } };
            },
          };
          const kb = await openKnowledgeBase({ models: { chat: model, embedding: null } });
          for (const [index, { scope, sentences }] of documents.entries())
            // Several scopes may hold one address.
            await kb.ingest({ uri: `${index % 3}.md`, text: sentences.join(" ") }, { scope });
          const view = caller === "operator" ? kb : kb.as(caller);
          const events: AnswerEvent[] = [];
          const run = view.ask("How often do keys rotate?", { grounding, context: { wholeCorpus }, topK: 10 });
          for await (const event of run) events.push(event);
          const answer = await run;

          expect(events.map((event) => (event.type === "text" ? event.delta : "")).join("")).toBe(answer.text);
          expect(events.flatMap((event) => (event.type === "citation" ? [event.citation] : []))).toEqual(
            answer.citations,
          );
          for (const { uri, start, end, quote, documentId, chunkId, marker } of answer.citations) {
            const hit = answer.hits.find((one) => one.chunkId === chunkId && one.documentId === documentId);
            const stands = hit && (await view.document(uri, { scope: hit.scope }));
            expect([quote, stands?.id]).toEqual([stands?.text.slice(start, end), documentId]);
            expect([quote === "", answer.text.includes(marker)]).toEqual([false, true]);
            resolved += 1;
          }
          await kb.close();
        },
      ),
      {
        numRuns: 150,
        // Quoted words around two sentences alike, one of which carries the answer's.
        examples: [
          [
            [{ scope: "deployment", sentences: ["Keys rotate every ninety days.", "Keys rotate every ninety days."] }],
            ['"', ".", " Keys rotate every ninety days [1].", '"'],
            callers[0],
            "permissive",
            false,
          ],
        ],
      },
    );
    expect(resolved).toBeGreaterThan(5);
  });
});

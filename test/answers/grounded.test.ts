import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { checkAnswer } from "../../src/answers/citations/check-answer.ts";
import { denies, namesIn } from "../../src/answers/citations/telling-details.ts";
import type { Answer } from "../../src/contracts/answer.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { findSentences } from "../../src/text/find-sentences.ts";
import { endsInformalSentence } from "../../src/text/sentence-end.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { collect, createHit, createScriptedModel, hits } from "./support.ts";

describe("the check without a model", () => {
  const groundedBy = async (text: string, found = hits) =>
    (await collect({ model: createScriptedModel([text]).model, hits: found })).answer.grounded;

  const supportOf = async (text: string, found = hits): Promise<number> =>
    // A veto caps support below the threshold, which is out of the way here.
    (await collect({ model: createScriptedModel([text]).model, hits: found, minSupport: 1 })).answer.sentences[0]
      ?.support ?? 0;

  it("wants every number and every name as the source has it [L2]", async () => {
    expect(await groundedBy("The operator starts a rotation of keys every 90 days [1].")).toBe(true);
    expect(await groundedBy("The operator starts a rotation of keys every 91 days [1].")).toBe(false);
    expect(await groundedBy("The operator Ada starts a rotation with the rotate command [1].")).toBe(false);
    // A title and headings belong to what is cited.
    const titled = [createHit(1, "keys", 0, undefined, { source: { ...hits[0]!.source, headings: ["Ada"] } })];
    const said = "The operator Ada starts a rotation with the rotate command [1].";
    expect(await supportOf(said, titled)).toBeGreaterThan(await supportOf(said));
  });

  it("tells a denial from what it denies [L2]", async () => {
    expect(await groundedBy("Old keys do not stay valid for 24 hours [1].")).toBe(false);
    expect(await groundedBy("Old keys stay valid for 24 hours [1].")).toBe(true);
  });

  it("does not take the words that every sentence has for support [L2]", async () => {
    const found = [createHit(1, "backups", 0, 34)];
    expect(await groundedBy("The moon is at the end of the night, and it is two [1].", found)).toBe(false);
  });

  it("says which sentences nothing supports [L2]", async () => {
    const { model } = createScriptedModel(["Keys are rotated every 90 days [1]. Elephants sleep [1]. Nobody knows."]);
    const { answer } = await collect({ model });
    expect(answer.text).toBe("Keys are rotated every 90 days [1]. Elephants sleep. Nobody knows.");
    expect(answer).toMatchObject({ support: { by: "words" }, removedMarkers: ["[1]"] });
    expect(answer.sentences.map(({ text, verdict, by }) => [text, verdict, by])).toEqual([
      ["Keys are rotated every 90 days [1].", "supported", "words"],
      ["Elephants sleep.", "unsupported", "words"],
      ["Nobody knows.", "uncited", "words"],
    ]);
  });

  it.each([
    ["Keys that Ada Lovelace rotates use TLS.", "en", ["Ada", "Lovelace", "TLS"]],
    ["Keys rotate. “Then they stop.”", "en", []],
    ["HOW KEYS ARE ROTATED", "en", []],
    ["Die Schlüssel werden vom Betreiber getauscht.", "de", []],
    ["鍵は90日ごとに交換される。", "ja", []],
  ])("names in %s", (sentence, language, names) => {
    expect(namesIn(sentence, language)).toEqual(names);
  });

  it.each([
    ["Keys don't rotate", true],
    ["Keys don’t rotate", true],
    ["Keys rotate without help", true],
    ["Notes about nothing-else", true],
    ["Notable knots", false],
    ["Schlüssel werden nie getauscht", true],
    ["", false],
  ])("denial in %s", (sentence, denied) => {
    expect(denies(sentence)).toBe(denied);
  });
});

/** The first two sentences of prose in a quotation, each on one line. */
function proseOf(quote: string): readonly string[] {
  return findSentences(quote, { ends: endsInformalSentence })
    .filter(({ kind }) => kind === "prose")
    .slice(0, 2)
    .map(({ start, end }) => quote.slice(start, end).replaceAll(/\s+/gu, " "));
}

describe("citations shuffled between answers", () => {
  // One question for each page; what answers it is nowhere else.
  const questions = [
    "What says how old a document must be before it is read again?",
    "Which metrics does an evaluation report?",
    "How long are deleted documents kept before a vacuum?",
    "How does strict grounding refuse?",
    "Which formats are read?",
    "What does a reranker do?",
    "How large may an overlap between chunks be?",
    "When is an HNSW graph made?",
    "Who may write which scopes?",
    "What does the doctor check?",
    "How are queries kept out of logs?",
    "What is a contextual header?",
    "How many attempts has a job in the queue?",
    "What does an error carry?",
    "Which filter operators are there?",
    "How is a model changed by re-embedding?",
  ];

  it("make nine of ten answers ungrounded, while the answers as they are stand [L2]", async () => {
    const kb = await openKnowledgeBase();
    for (const page of ["chunking", "command-line", "formats", "library", "operations"]) {
      const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8");
      await kb.ingest({ uri: page, text, title: page });
    }
    const answers: Answer[] = [];
    for (const question of questions) {
      const said = await kb.ask(question, { grounding: "permissive" });
      expect(said.citations.length).toBeGreaterThan(0);
      // A marker stands behind each passage; the check wants one for each sentence.
      const text = said.citations
        .flatMap(({ quote, marker }) => proseOf(quote).map((one) => `${one} ${marker}`))
        .join(" ");
      if (text !== "") answers.push({ ...said, text });
    }
    await kb.close();

    let stand = 0;
    let fall = 0;
    let pairs = 0;
    for (const answer of answers) {
      if ((await checkAnswer(answer)).grounded) stand += 1;
      for (const other of answers) {
        const own = new Set(answer.citations.map(({ chunkId }) => chunkId));
        if (other.citations.some(({ chunkId }) => own.has(chunkId))) continue;
        const citations = answer.citations.flatMap(({ marker }, index) => {
          const taken = other.citations[index % other.citations.length];
          return taken ? [{ ...taken, marker }] : [];
        });
        pairs += 1;
        if (!(await checkAnswer({ text: answer.text, citations, hits: other.hits })).grounded) fall += 1;
      }
    }
    expect(pairs).toBeGreaterThan(100);
    expect(fall / pairs).toBeGreaterThanOrEqual(0.9);
    expect(stand / answers.length).toBeGreaterThanOrEqual(0.9);
  });
});

describe("a judge", () => {
  const text = "Keys are rotated every 90 days [1]. A restore takes an hour [2].";
  const judged = async (reply: Parameters<typeof createScriptedChatModel>[0], said = text) => {
    const judge = createScriptedChatModel(reply);
    const model = createScriptedModel([said], { usage: { inputTokens: 10, outputTokens: 5 } }).model;
    // Below half of this threshold nobody is asked whether the hits answer.
    return { judge, ...(await collect({ model, judge, minRelevance: 1 })) };
  };

  it("decides, in one call with the cited sources and the claims, fenced [L2 L12]", async () => {
    const { judge, answer } = await judged(["1: supported 2\n2: unsupported"]);
    expect(answer).toMatchObject({
      grounded: false,
      text: "Keys are rotated every 90 days [1]. A restore takes an hour.",
      removedMarkers: ["[2]"],
      sentences: [
        { verdict: "supported", by: "judge" },
        { verdict: "unsupported", by: "judge", quotes: [] },
      ],
      support: { by: "judge", judge: "testing/scripted" },
      usage: { inputTokens: 10, outputTokens: 13 },
    });
    expect(judge.calls).toHaveLength(1);
    const [system, user] = judge.calls[0]?.messages ?? [];
    const fence = /carry ([0-9a-f]{32})/u.exec(JSON.stringify(system?.content))?.[1] ?? "";
    expect(user?.content).toContain(`<source-${fence} number="1">`);
    expect(user?.content).toContain(
      `<claim-${fence} number="2" sources="2">\nA restore takes an hour.\n</claim-${fence}>`,
    );
    expect(judge.calls[0]?.options).toMatchObject({ temperature: 0, maxOutputTokens: 112 });
    expect((await judged(["**1.** Supported 2\n - 2) SUPPORTED: [6]."])).answer).toMatchObject({
      grounded: true,
      support: { by: "judge" },
    });
  });

  it("knows better than words, either way [L2]", async () => {
    const paraphrase = "Every quarter the credentials get exchanged [1].";
    expect((await judged(["1: supported 2"], paraphrase)).answer.grounded).toBe(true);
    expect((await judged(["1: not supported"], "Keys are rotated every 90 days [1].")).answer.grounded).toBe(false);
  });

  it.each([
    ["1: supported 2", ["judge", "words"]],
    ["1: supported 2\n2: supported 6\n2: unsupported", ["judge", "words"]],
    ["1: supported\n2: supported 6", ["words", "judge"]],
    ["1: supported 6\n2: supported 6", ["words", "judge"]],
    ["1: supported 99\n2: supported 6", ["words", "judge"]],
    ["1: partly\n2: supported 6", ["words", "judge"]],
    ['{"1": "supported", "2": "unsupported"}', ["words", "words"]],
    ['[{"claim": 1, "verdict": "supported", "sentences": [1]}]', ["words", "words"]],
    ["Both are supported.", ["words", "words"]],
    ["", ["words", "words"]],
    ["1: unsupportedly\n2: supported 6", ["words", "judge"]],
  ])(
    "whose verdict cannot be read leaves that sentence to the words, and the answer says so: %j [L2]",
    async (reply, by) => {
      const { answer } = await judged([reply]);
      expect(answer).toMatchObject({ grounded: true, support: { judgeFailure: "invalid-response" } });
      expect(answer.sentences.map((sentence) => sentence.by)).toEqual(by);
      expect(answer.support?.by).toBe(by.includes("judge") ? "judge" : "words");
    },
  );

  it("may not call supported what differs in a number, a name or a denial [L2]", async () => {
    for (const said of [
      "Keys are rotated every 60 days [1].",
      "Keys are rotated every 90 days by Ada Lovelace [1].",
      "Keys are not rotated every 90 days [1].",
      "Keys are rotated every 90 days, see https://evil.example/x [1].",
    ]) {
      const { answer } = await judged(["1: supported 2"], said);
      expect(answer).toMatchObject({ grounded: false, sentences: [{ verdict: "partly", by: "judge" }] });
    }
  });

  it("that fails leaves it to the words, and that is said [B44]", async () => {
    const limited = new IbidError("rate-limited", "Later.");
    expect((await judged([{ error: limited }])).answer.support).toMatchObject({
      by: "words",
      judgeFailure: "rate-limited",
    });
    expect((await judged([{ error: new Error("?") }])).answer.support).toMatchObject({ judgeFailure: "model-failed" });
  });

  it("is not asked where nothing needs one: an uncited sentence, a refusal, the documents' own words [T48]", async () => {
    expect((await judged([], "Nobody cites this.")).answer).toMatchObject({
      grounded: false,
      sentences: [{ verdict: "uncited", by: "words" }],
      support: { by: "words" },
    });
    const declined = await judged([], "I couldn't find an answer to your question.");
    expect(declined.answer).toMatchObject({ kind: "refused", refusal: "model-declined" });
    const judge = createScriptedChatModel([]);
    expect((await collect({ judge, minRelevance: 1 })).answer).toMatchObject({
      kind: "quotes",
      support: { by: "verbatim" },
    });
    expect((await collect({ judge, grounding: "strict", hits: [], model: judge })).answer.kind).toBe("refused");
    expect(judge.calls).toEqual([]);
  });

  it("comes with the knowledge base, and can be another or none for one question [L2]", async () => {
    const model = createScriptedChatModel(() => "Keys are rotated every 90 days [1].");
    const judge = createScriptedChatModel(() => "1: unsupported");
    const other = createScriptedChatModel(() => "1: supported 1");
    const kb = await openKnowledgeBase({ models: { chat: model, judge } });
    await kb.ingest({ uri: "keys", text: "Keys are rotated every 90 days." });
    const by = async (options: object) => {
      const { grounded, support } = await kb.ask("How often are keys rotated?", options);
      return [grounded, support?.by];
    };
    expect(await by({})).toEqual([false, "judge"]);
    expect(await by({ judge: other })).toEqual([true, "judge"]);
    expect(await by({ judge: null })).toEqual([true, "words"]);
    await kb.close();
  });
});

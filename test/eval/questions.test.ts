import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { evaluateQuestions } from "../../src/eval/evaluate-questions.ts";
import { parseQuestions } from "../../src/eval/questions.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";

const parse = (...lines: readonly object[]) => parseQuestions(lines.map((line) => JSON.stringify(line)).join("\n"));

describe("questions of one's own", () => {
  it("say what must be found, or that nothing must", () => {
    const questions = parse(
      { question: "a?", uri: "a.md" },
      { question: "b?", quote: "words" },
      { question: "c?", uri: "c.md", quote: ["one", "two"], answerable: true },
      { question: "d?", answerable: false },
    );
    expect(questions).toEqual([
      { id: expect.any(String) as string, line: 1, question: "a?", uri: "a.md", quotes: [], answerable: true },
      { id: expect.any(String) as string, line: 2, question: "b?", quotes: ["words"], answerable: true },
      {
        id: expect.any(String) as string,
        line: 3,
        question: "c?",
        uri: "c.md",
        quotes: ["one", "two"],
        answerable: true,
      },
      { id: expect.any(String) as string, line: 4, question: "d?", quotes: [], answerable: false },
    ]);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(4);
    // The id is what finds a question again in a baseline, wherever it then stands.
    expect(parse({ question: "x?", uri: "x" }, { question: "d?", answerable: false })[1]?.id).toBe(questions[3]?.id);
  });

  it.each([
    ["{", "is not JSON."],
    ['"why?"', "is JSON, but no object."],
    ['{"uri":"a"}', "has no question."],
    ['{"question":" ","uri":"a"}', "has no question."],
    ['{"question":"a?"}', "does not say what must be found."],
    ['{"question":"a?","uri":""}', "has a uri that is no text, or blank."],
    ['{"question":"a?","quote":[]}', "has a quote that is no text, or blank."],
    ['{"question":"a?","quote":["b",7]}', "has a quote that is no text, or blank."],
    ['{"question":"a?","uri":"a","answerable":"no"}', "has an answerable that is neither true nor false."],
    ['{"question":"a?","uri":"a","answerable":false}', "says that there is no answer, and where it stands."],
    ['{"question":"a?","anwserable":false}', 'has the key "anwserable", which nobody reads.'],
    ['{"question":"ok?","uri":"a"}', "says the same as line 1."],
  ])("%s is refused", (line, message) => {
    expect(() => parseQuestions(`{"question":"ok?","uri":"a"}\n\n${line}`, { file: "mine.jsonl" })).toThrow(
      expect.objectContaining({
        code: "unreadable",
        message: `mine.jsonl, line 3 ${message}`,
        hint: expect.any(String) as string,
      }) as Error,
    );
  });

  it("none at all is refused", () => {
    expect(() => parseQuestions("\n", { file: "mine.jsonl" })).toThrow("mine.jsonl has no question.");
  });
});

describe("how they are scored, by hand", () => {
  const hit = (uri: string, text: string) => ({ text, source: { uri } }) as Hit;
  const hits = [
    hit("a.md", "nothing"),
    hit("b.md", "the first\n  quote and more"),
    hit("c.md", "the first quote elsewhere"),
    hit("a.md", "the second quote"),
  ];
  const asked: unknown[] = [];
  const fake = {
    search: (_: string, options: unknown) => {
      asked.push(options);
      return Promise.resolve(hits);
    },
    ask: (question: string, options: unknown) => {
      asked.push(options);
      return Promise.resolve({ kind: question.includes("refuse") ? "refused" : "quotes" });
    },
    document: (uri: string) =>
      Promise.resolve(
        uri === "./a.md" || uri === "a.md"
          ? { uri: "a.md", text: "nothing, the second quote, unfindable words" }
          : undefined,
      ),
  } as unknown as KnowledgeBase;
  const metrics = ["success@1", "success@3", "recall@3", "recall", "mrr@3", "mrr", "answered", "refused"];

  it.each([
    [{ uri: "a.md" }, [1, 1, 1, 1, 1, 1]],
    // A path that leads to a uri will do.
    [{ uri: "./a.md", quote: "second quote" }, [0, 0, 0, 1, 0, 1 / 4]],
    // White space is the same as white space; rank 2.
    [{ quote: "the first quote" }, [0, 1, 1, 1, 1 / 2, 1 / 2]],
    [{ quote: "the first quote", uri: "c.md" }, [0, 1, 1, 1, 1 / 3, 1 / 3]],
    [{ quote: ["the first quote", "the second quote", "none"] }, [0, 1, 1 / 3, 2 / 3, 1 / 2, 1 / 2]],
    [{ quote: "First Quote" }, [0, 0, 0, 0, 0, 0]],
  ])("%j", async (expected, values) => {
    const question = { question: "why?", ...expected };
    const evaluation = await evaluateQuestions(fake, parse(question), { metrics });
    const means = Object.fromEntries(Object.entries(evaluation.metrics).map(([name, { mean }]) => [name, mean]));
    expect(means).toEqual(Object.fromEntries(metrics.slice(0, 7).map((name, index) => [name, [...values, 1][index]])));
  });

  it("answers are counted among answerable questions, refusals among the others", async () => {
    const questions = parse(
      { question: "1", uri: "a.md" },
      { question: "2 refuse", uri: "a.md" },
      { question: "3 refuse", answerable: false },
      { question: "4 refuse", answerable: false },
      { question: "5", answerable: false },
    );
    const evaluation = await evaluateQuestions(fake, questions);
    expect(Object.keys(evaluation.metrics)).toEqual([
      "success@1",
      "success@5",
      "document@5",
      "recall@10",
      "mrr@10",
      "answered",
      "refused",
    ]);
    expect(evaluation.metrics["answered"]).toMatchObject({ mean: 1 / 2, queries: 2 });
    expect(evaluation.metrics["refused"]).toMatchObject({ mean: 2 / 3, queries: 3 });
    expect(evaluation.answeredWrongly.map(({ line }) => line)).toEqual([5]);
  });

  it("what is not found is said; and whether it is there at all", async () => {
    const questions = parse(
      { question: "1", uri: "a.md", quote: "unfindable words" },
      { question: "2", uri: "a.md", quote: "words that were edited away" },
      { question: "3", uri: "gone.md" },
      { question: "4", quote: "nobody can say where" },
      { question: "5", uri: "a.md" },
    );
    const { lost, stale } = await evaluateQuestions(fake, questions);
    expect([lost.map(({ line }) => line), stale.map(({ line }) => line)]).toEqual([
      [1, 2, 3, 4],
      [2, 3],
    ]);
  });

  it("looks as deep as the metrics do, in the mode that is asked for", async () => {
    asked.length = 0;
    await evaluateQuestions(fake, parse({ question: "1", uri: "a.md" }), { metrics: ["mrr@500"], mode: "lexical" });
    expect(asked).toEqual([
      { mode: "lexical", topK: 500 },
      { mode: "lexical", topK: 500 },
      // And answers as a person who wants nothing but the documents' word would be answered.
      { mode: "lexical", grounding: "strict" },
    ]);
  });

  it.each(["ndcg@10", "answered@5", "success@0", "success@", "mrr@x"])("%s is no metric of questions", async (name) => {
    await expect(
      evaluateQuestions(fake, parse({ question: "1", uri: "a" }), { metrics: [name] }),
    ).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});

describe("on a knowledge base", () => {
  let kb: KnowledgeBase;
  beforeAll(async () => {
    kb = await openKnowledgeBase();
    await kb.ingest([
      { uri: "leave", text: "Employees have 27 days of leave. Leave is requested in the portal." },
      { uri: "keys", text: "Keys rotate every ninety days. They are kept in the vault." },
    ]);
    await kb.ingest({ uri: "plan", text: "The plan." }, { scope: "team:a" });
    await kb.ingest({ uri: "plan", text: "The other plan." }, { scope: "team:b" });
  });
  afterAll(() => kb.close());

  it("finds what is there, refuses what is not, and minds no uri that several scopes hold", async () => {
    const { metrics, lost, stale } = await evaluateQuestions(
      kb,
      parse(
        { question: "How many days of leave do employees have?", uri: "leave", quote: "27 days of leave" },
        { question: "Where are keys kept?", quote: "kept in the vault" },
        { question: "What is the other plan?", uri: "plan" },
        { question: "Which bananas are ripe?", answerable: false },
      ),
    );
    expect(Object.fromEntries(Object.entries(metrics).map(([name, { mean }]) => [name, mean]))).toMatchObject({
      "success@1": 1,
      "mrr@10": 1,
      refused: 1,
    });
    expect([lost, stale]).toEqual([[], []]);
  });
});

describe("questions of several documents", () => {
  const line = {
    id: "h1",
    question: "Is it sent?",
    kind: "yesno",
    answerable: true,
    uris: ["docs/a.md", "docs/b.md"],
    spans: [{ uri: "docs/a.md", quote: "It is sent." }],
    must: ["sent"],
    note: "for people",
  };

  it("keeps id, kind, documents and places", () => {
    expect(parseQuestions(JSON.stringify(line))).toEqual([
      {
        id: "h1",
        line: 1,
        question: line.question,
        kind: "yesno",
        uris: line.uris,
        spans: line.spans,
        quotes: [],
        answerable: true,
        note: "for people",
      },
    ]);
  });

  it("refuses places that are none, and places named twice", () => {
    for (const wrong of [{ uris: "a" }, { spans: [{ uri: "a" }] }, { kind: " " }, { id: 7 }, { uri: "a", uris: ["b"] }])
      expect(() => parseQuestions(JSON.stringify({ ...line, ...wrong }))).toThrow(/line 1/u);
  });
});

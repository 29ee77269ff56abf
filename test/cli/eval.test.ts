import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatScore } from "../../src/eval/check-conditions.ts";
import { callIbid, type Finished, makeFolder } from "./run-ibid.ts";

const lines = (...values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

const corpus = lines(
  { _id: "fox", title: "", text: "The quick brown fox jumps over the lazy dog. A fox is quick." },
  { _id: "hen", title: "Hens", text: "A hen lays eggs. The fox is fond of hens." },
  { _id: "tea", text: "Green tea is brewed with hot water." },
  { _id: "void", title: "", text: " " },
);
const queries = lines({ _id: "q1", text: "fox" }, { _id: "q2", text: "brewed tea" }, { _id: "q3", text: "zebra" });
const questions = lines(
  { question: "How often do keys rotate?", uri: "docs/keys.md", quote: "every ninety days" },
  { question: "Where is tea brewed?", answerable: false },
);

let cwd: string;
beforeAll(async () => {
  cwd = await makeFolder({
    "set/corpus.jsonl": corpus,
    "set/queries.jsonl": queries,
    "set/qrels.tsv": "query-id\tcorpus-id\tscore\nq1\tfox\t1\nq2\ttea\t2\nq2\tlost\t1\nq3\then\t1\n",
    "beir/corpus.jsonl": corpus,
    "beir/queries.jsonl": queries,
    "beir/qrels/test.tsv": "q2\ttea\t1\n",
    "half/corpus.jsonl": corpus,
    "broken/corpus.jsonl": `${corpus}{"_id": "x"\n`,
    "broken/queries.jsonl": queries,
    "broken/qrels.tsv": "q1\tfox\t1\n",
    "spaced/corpus.jsonl": lines({ _id: "a b", text: "fox" }),
    "spaced/queries.jsonl": queries,
    "spaced/qrels.tsv": "q1\ta b\t1\n",
    "other.run": "q1 Q0 tea 1 5 x\nq1 Q0 fox 2 4 x\nq2 Q0 tea 1 1 x\nq3 Q0 tea 1 1 x\n",
    "perfect.json": '{"baseline":1,"how":"perfect","queries":{"q1":{"map":1},"q2":{"map":1},"q3":{"map":1}}}',
    "docs/keys.md": "# Keys\n\nKeys rotate every ninety days. They are kept in the vault.\n",
    "questions.jsonl": questions,
    "lost.jsonl": lines({ question: "How often do the keys rotate?", uri: "docs/keys.md", quote: "every leap year" }),
    "wrong.jsonl": `${questions}{"question": "Why?"}\n`,
  });
  await callIbid(cwd, ["ingest", "docs"]);
});
afterAll(() => rm(cwd, { recursive: true }));

const ibid = (...args: string[]): Promise<Finished> => callIbid(cwd, ["eval", ...args]);

async function json<Shape = Record<string, unknown>>(...args: string[]): Promise<Shape> {
  const { code, stdout, stderr } = await ibid(...args, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.trimEnd()).not.toContain("\n");
  return JSON.parse(stdout) as Shape;
}

describe("a test collection [T59]", () => {
  it("--json: the keys are a contract, the numbers those of trec_eval", async () => {
    const found = await json("set", "--mode", "lexical");
    expect(found).toEqual({
      mode: "lexical",
      queries: 3,
      documents: 4,
      metrics: {
        // q1: fox at rank 1. q2: tea (grade 2) at rank 1, and one of grade 1 that is not there. q3: nothing.
        "ndcg@10": Number(((1 + 2 / (2 + 1 / Math.log2(3))) / 3).toFixed(4)),
        "recall@100": 0.5,
        map: 0.5,
        "mrr@10": 0.6667,
        "p@10": 0.0667,
      },
      latencyMs: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
      indexMs: expect.any(Number),
    });
    expect(Object.keys(found)).toEqual(["mode", "queries", "documents", "metrics", "latencyMs", "indexMs"]);
  });

  it("--k and --min add metrics after those that are always there", async () => {
    const { metrics } = await json<{ metrics: object }>("set", "--k", "1,10", "--min", "map@5=0");
    expect(Object.keys(metrics).join(" ")).toBe(
      "ndcg@10 recall@100 map mrr@10 p@10 ndcg@1 recall@1 mrr@1 p@1 recall@10 map@5",
    );
  });

  it("--run writes what was found to the depth, and --read-run scores a run, whoever made it", async () => {
    const found = await json("set", "--run", "our.run", "--depth", "1");
    const run = await readFile(join(cwd, "our.run"), "utf8");
    expect(run).toMatch(/^q1 Q0 fox 1 \S+ ibid-hybrid\nq2 Q0 tea 1 \S+ ibid-hybrid\n/u);
    expect(await json("set", "--read-run", "our.run")).toEqual({
      ...found,
      mode: null,
      latencyMs: null,
      indexMs: null,
    });
    expect(await json("set", "--read-run", "other.run")).toMatchObject({ metrics: { "mrr@10": 0.5, map: 0.3333 } });
  });

  it("reads BEIR's own folders, and says what nobody can find", async () => {
    expect(await json("beir")).toMatchObject({ queries: 1, documents: 4, metrics: { map: 1 } });
    const { code, stdout, stderr } = await ibid("set", "--depth", "20");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("set\nhybrid · 4 documents · 3 judged queries\n");
    expect(stdout).toMatch(/^recall@100 {2}0\.5000 {2}0\.0000 to 1\.0000$/mu);
    expect(stdout).toContain("1 document without a word: no search can find them.");
    expect(stdout).toContain("1 document judged relevant, but not in the corpus: no search can find them.");
    expect(stdout).toContain("recall@100: seen to depth 20 only; --depth looks further.");
  });

  it("--save-baseline and --against: what changed, and how likely by chance", async () => {
    await json("set", "--save-baseline", "base.json");
    const { metrics, baseline } = await json<{ metrics: Record<string, number>; baseline: object }>(
      "set",
      "--against",
      "base.json",
    );
    expect(baseline).toEqual(
      Object.fromEntries(Object.entries(metrics).map(([name, mean]) => [name, { mean, difference: 0, p: 1 }])),
    );
    const { stdout } = await ibid("set", "--read-run", "other.run", "--against", "base.json");
    // Two of three queries as before, one worse: chance for certain.
    expect(stdout).toMatch(/^mrr@10 {6}0\.5000 {2}.* {2}0\.6667 {4}-0\.1667 {2}1\.0000$/mu);
    expect(stdout).toContain("baseline: hybrid.");
  });
});

describe("gates: exit 1, why on standard error, the figures all the same", () => {
  it("--min", async () => {
    const kept = await ibid("set", "--min", "map=0.5", "--min", "mrr@10=0.6667");
    expect([kept.code, kept.stderr]).toEqual([0, ""]);
    const { code, stdout, stderr } = await ibid("set", "--min", "map=0.51", "--min", "mrr@10=0.5", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ metrics: { map: 0.5 } });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "below-minimum",
        message: "map is 0.5000, below 0.51.",
        hint: expect.stringContaining("lower --min"),
      },
    });
  });

  it("--against, beyond chance", async () => {
    // Six queries, each worse: of 64 assignments of signs two are as far apart, p 2/64.
    const ids = ["1", "2", "3", "4", "5", "6"];
    const folder = await makeFolder({
      "corpus.jsonl": corpus,
      "queries.jsonl": lines(...ids.map((_id) => ({ _id, text: "fox" }))),
      "qrels.tsv": ids.map((id) => `${id}\tfox\t1\n`).join(""),
      "good.run": ids.map((id) => `${id} Q0 fox 1 1 x\n`).join(""),
      "bad.run": ids.map((id) => `${id} Q0 tea 1 2 x\n${id} Q0 fox 2 1 x\n`).join(""),
    });
    const here = (...args: string[]): Promise<Finished> => callIbid(folder, ["eval", ".", ...args]);
    await here("--read-run", "good.run", "--save-baseline", "good.json");
    await here("--read-run", "bad.run", "--save-baseline", "bad.json");
    const worse = await here("--read-run", "bad.run", "--against", "good.json");
    expect(worse.code).toBe(1);
    expect(worse.stdout).toMatch(/^map .* 0\.0312 {2}worse$/mu);
    expect(worse.stderr).toContain(
      "ndcg@10 is 0.6309, was 1.0000: worse than the baseline beyond chance (p 0.0312). map is 0.5000, was 1.0000:",
    );
    expect(worse.stderr).not.toContain("recall@100");
    const better = await here("--read-run", "good.run", "--against", "bad.json");
    expect([better.code, better.stderr]).toEqual([0, ""]);
    expect(better.stdout).toMatch(/^map .* 0\.0312 {2}better$/mu);
    await rm(folder, { recursive: true });
  });
});

describe("questions of one's own", () => {
  it("--json: the keys are a contract", async () => {
    const found = await json("questions.jsonl");
    expect(found).toEqual({
      mode: "hybrid",
      questions: 2,
      unanswerable: 1,
      metrics: {
        "success@1": 1,
        "success@5": 1,
        "document@5": 1,
        "recall@10": 1,
        "mrr@10": 1,
        answered: 1,
        refused: 1,
      },
      latencyMs: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
      lost: [],
      stale: [],
      answeredWrongly: [],
    });
  });

  it("says which were not found, and gates", async () => {
    await callIbid(cwd, ["eval", "questions.jsonl", "--save-baseline", "questions.json"]);
    const empty = await makeFolder({
      "docs/tea.md": "# Tea\n\nTea is brewed in the kitchen.\n",
      "questions.jsonl": questions,
    });
    await callIbid(empty, ["ingest", "docs"]);
    const { code, stdout, stderr } = await callIbid(
      empty,
      ["eval", "questions.jsonl", "--min", "success@5=0.9"].concat("--against", join(cwd, "questions.json")),
    );
    expect(code).toBe(1);
    expect(stdout).toContain("questions.jsonl\nhybrid · 2 questions, 1 without an answer\n");
    expect(stdout).toContain("Not found: line 1.\n");
    expect(stdout).toContain("Out of date (the document, or the words in it, are not in the knowledge base): line 1.");
    expect(stdout).toContain("Answered, and should not have been: line 2.\n");
    expect(stdout).toContain("questions.jsonl, line 1: there is no document docs/keys.md.\n");
    expect(stderr).toContain("success@5 is 0.0000, below 0.9.");
    await rm(empty, { recursive: true });
  });

  it("a floor on what nothing was asked about is not reached", async () => {
    const folder = await makeFolder({ "q.jsonl": lines({ question: "Keys?", uri: "docs/keys.md" }) });
    const { code, stderr } = await ibid(join(folder, "q.jsonl"), "--min", "refused=0");
    expect(code).toBe(1);
    expect(stderr).toContain("refused cannot be measured");
    await rm(folder, { recursive: true });
  });
});

describe("two configurations in one run", () => {
  it("--versus asks again with other settings, and compares", async () => {
    const { stdout, code } = await ibid("questions.jsonl", "--versus", "mode=lexical", "--versus", "fusion=rrf");
    expect(code).toBe(0);
    expect(stdout).toContain("baseline: lexical, fusion rrf. p:");
    const { baseline } = await json<{ baseline: object }>("questions.jsonl", "--versus", "rerank=false");
    expect(baseline).toMatchObject({ "success@1": { mean: 1, difference: 0, p: 1 } });
  });

  it("of a test collection too, with the variant", async () => {
    const { metrics } = await json<{ metrics: object }>("set", "--variant", "bm25l", "--mode", "lexical");
    const { baseline } = await json<{ baseline: Record<string, { mean: number }> }>(
      "set",
      "--mode",
      "lexical",
      "--versus",
      "variant=bm25l",
    );
    expect(Object.fromEntries(Object.entries(baseline).map(([name, { mean }]) => [name, mean]))).toEqual(metrics);
  });

  it("other options of a search count, and are named", async () => {
    const { stdout } = await ibid("questions.jsonl", "--fusion", "rrf", "--no-rerank");
    expect(stdout).toContain("hybrid, fusion rrf, rerank false · 2 questions");
  });
});

describe("what is written", () => {
  it("--html and --junit, also where a gate fails", async () => {
    const { code } = await ibid("lost.jsonl", "--html", "r.html", "--junit", "r.xml", "--min", "success@5=1");
    expect(code).toBe(1);
    const [html, xml] = await Promise.all([
      readFile(join(cwd, "r.html"), "utf8"),
      readFile(join(cwd, "r.xml"), "utf8"),
    ]);
    expect(html).toContain("<h3>How often do the keys rotate?</h3>");
    // Words are marked in all their forms: the text has "Keys", the question "keys".
    expect(html).toMatch(/<mark>Keys<\/mark> <mark>rotate<\/mark> every ninety days/u);
    expect(html).toContain("<li>success@5 is 0.0000, below 1.</li>");
    expect(xml).toContain('<failure message="success@5 is 0.0000, below 1."/>');
  });

  it("suggest: questions that eval takes unchanged, and never over a file that is there", async () => {
    const first = await ibid("suggest", "--out", "suggested.jsonl");
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toContain("1 question from the headings of 1 document; 0 headings passed over.");
    expect(first.stdout).toContain("then run: ibid eval suggested.jsonl");
    expect(JSON.parse(await readFile(join(cwd, "suggested.jsonl"), "utf8"))).toMatchObject({
      question: "Keys",
      uri: "docs/keys.md",
      quote: "Keys rotate every ninety days.",
      note: 'from the heading "Keys" of docs/keys.md; write it as a person would ask',
    });
    expect(await json("suggested.jsonl")).toMatchObject({ questions: 1, metrics: { "success@1": 1 }, lost: [] });
    const again = await ibid("suggest", "--out", "suggested.jsonl");
    expect([again.code, again.stdout]).toEqual([2, ""]);
    expect(again.stderr).toContain("suggested.jsonl exists, and is not written over.");
    expect((await ibid("suggest")).stdout).toBe(await readFile(join(cwd, "suggested.jsonl"), "utf8"));
    expect((await ibid("suggest", "--under", "other/")).stderr).toContain("No heading of 0 documents names a topic");
  });
});

describe("errors say what, where, and the hint", () => {
  it.each([
    [2, ["set", "--k", "10,1.5"], "whole numbers, 1 or more", "ibid eval --help"],
    [2, ["set", "--k", "0"], "whole numbers, 1 or more", "ibid eval --help"],
    [2, ["set", "--depth", "many"], "whole number, 1 or more", "ibid eval --help"],
    [2, ["set", "--mode", "regex"], "hybrid, dense, lexical", "ibid eval --help"],
    [2, ["set", "--variant", "magic"], "default", "ibid eval --help"],
    [2, ["set", "--min", "map"], "It must be metric=value", "ibid eval --help"],
    [2, ["set", "--min", "map=2"], "from 0 to 1", "ibid eval --help"],
    [2, ["set", "--min", "accuracy=1"], 'There is no metric "accuracy".', "ndcg"],
    [2, ["set", "--read-run", "other.run", "--mode", "dense"], "cannot be used with", "ibid eval --help"],
    [2, ["set", "--save-baseline", "x", "--against", "y"], "cannot be used with", "ibid eval --help"],
    [2, ["set", "--run", "no/such/folder.run"], "--run cannot be written to no/such/folder.run.", "in a folder"],
    [2, ["set", "--save-baseline", "docs"], "--save-baseline cannot be written to docs.", "Name a file"],
    [1, ["spaced", "--run", "x.run"], 'the _id "a b" has white space', "leave --run out"],
    [2, ["questions.jsonl", "--run", "x.run"], "--run is for test collections", "Leave --run out"],
    [2, ["questions.jsonl", "--html", "no/such/page.html"], "--html cannot be written to no/such", "in a folder"],
    [2, ["questions.jsonl", "--versus", "mode=magic"], "mode is hybrid, dense or lexical", "ibid eval --help"],
    [2, ["questions.jsonl", "--versus", "fusion=magic"], "It must be", "ibid eval --help"],
    [2, ["questions.jsonl", "--versus", "speed=2"], "with one of these names: mode", "ibid eval --help"],
    [2, ["questions.jsonl", "--versus", "variant=lucene"], "--versus variant is for test collections", "Leave"],
    [2, ["questions.jsonl", "--versus", "mode=dense", "--against", "x"], "cannot be used with", "ibid eval --help"],
    [2, ["set", "--versus", "variant=magic"], "There is no variant magic.", "lucene"],
    [2, ["set", "--html", "x.html"], "--html is for questions", "Leave --html out"],
    [2, ["questions.jsonl", "--min", "ndcg@10=1"], 'no metric "ndcg@10" of questions', "success@k"],
    [2, ["questions.jsonl", "--against", "perfect.json"], "is a baseline of other queries", "--save-baseline"],
    [1, ["nowhere"], "There is no nowhere.", "corpus.jsonl"],
    [1, ["half"], "half has no queries.jsonl.", "qrels/test.tsv"],
    [1, ["broken"], "broken/corpus.jsonl, line 5 is not JSON.", "one JSON object a line"],
    [1, ["wrong.jsonl"], "wrong.jsonl, line 3 does not say what must be found.", "answerable"],
    [1, ["set", "--read-run", "no.run"], "There is no no.run.", "Check the name."],
    [1, ["set", "--against", "no.json"], "There is no no.json.", "--save-baseline"],
    [1, ["set", "--against", "questions.jsonl"], "questions.jsonl is not a baseline.", "--save-baseline"],
    [1, ["questions.jsonl", "--kb", "elsewhere"], "There is no knowledge base", "ibid ingest"],
  ])("exit %i: ibid eval %j", async (code, args, message, hint) => {
    const failed = await ibid(...args);
    expect([failed.code, failed.stdout]).toEqual([code, ""]);
    expect(failed.stderr.replaceAll(/\s+/gu, " ")).toContain(message);
    expect(failed.stderr.replaceAll(/\s+/gu, " ")).toContain(hint);
  });
});

it.each([
  // Exact halves, which C rounds to the even digit: 1/32 and 3/32, and what lies around them.
  [0.03125, "0.0312"],
  [0.09375, "0.0938"],
  [0.15625, "0.1562"],
  [0.0625, "0.0625"],
  [0.5, "0.5000"],
  [1 / 3, "0.3333"],
  [2 / 3, "0.6667"],
  [1, "1.0000"],
  [0, "0.0000"],
])("%d has four decimals like trec_eval's: %s", (value, text) => {
  expect(formatScore(value)).toBe(text);
});

describe("models of an evaluation", () => {
  // Nothing listens there.
  const dead = "openai-compatible/nothing@http://127.0.0.1:9/v1";

  it("uses the embedding model that it is given, and fails when the model fails", async () => {
    for (const mode of ["dense", "hybrid"]) {
      const { code, stdout, stderr } = await ibid("set", "--mode", mode, "--embedding-model", dead);
      expect([mode, code === 0, stdout]).toEqual([mode, false, ""]);
      expect(stderr).toContain("nothing");
    }
    // The model takes no part in a lexical search, but its vectors would be made.
    const { code } = await ibid("set", "--variant", "lucene", "--embedding-model", dead);
    expect(code).not.toBe(0);
  });

  it("uses the reranker that it is given, and fails where there is none of that name", async () => {
    const { code, stderr } = await ibid("set", "--reranker", "cohere-compatible-nothing");
    expect(code).not.toBe(0);
    expect(stderr).toContain("cohere-compatible-nothing");
    expect((await ibid("set", "--reranker", "proximity")).stdout).toContain("reranker proximity");
  });
});

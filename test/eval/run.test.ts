import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQrels } from "../../src/eval/qrels.ts";
import { formatRun, parseRun, type Run } from "../../src/eval/run.ts";
import { scoreRun } from "../../src/eval/score-run.ts";

const idsOf = (run: Run, query: string): readonly string[] => (run.get(query) ?? []).map((found) => found.documentId);

const ranked = (...pairs: readonly (readonly [string, number])[]): Run =>
  new Map([["1", pairs.map(([documentId, score]) => ({ documentId, score }))]]);

describe("a run of somebody else's", () => {
  it("is ranked by score, and ties by document id, last first, whatever the lines and ranks say", () => {
    const run = parseRun("1 Q0 a 1 2.5 x\n1 Q0 c 2 2.5 x\r\n\n2\tQ0\tb\t9\t1e-3\tx\n1 Q0 b 3 7 x\n");
    expect([...run.keys()]).toEqual(["1", "2"]);
    expect(idsOf(run, "1")).toEqual(["b", "c", "a"]);
    expect(run.get("2")).toEqual([{ documentId: "b", score: 0.001 }]);
  });

  it("orders ids by their UTF-8, where a shorter one comes before what it begins", () => {
    // U+FF5E is before U+1F600 in UTF-8 and after it in UTF-16.
    const run = parseRun("1 Q0 \uFF5E 1 1 x\n1 Q0 \u{1F600} 1 1 x\n1 Q0 d 1 1 x\n1 Q0 d1 1 1 x\n");
    expect(idsOf(run, "1")).toEqual(["\u{1F600}", "\uFF5E", "d1", "d"]);
  });

  it.each([
    ["1 Q0 a 1 2.5\n", "my.run, line 1 is no line of a run."],
    ["1 Q0 a 1 2.5 x\n\n1 Q0 b 2 high x\n", "my.run, line 3 has no number as its score."],
    ["1 Q0 a 1 NaN x\n", "my.run, line 1 has no number as its score."],
    ["1 Q0 a 1 2.5 x\n1 Q0 a 2 2 x\n", "my.run, line 2 has document a again for query 1."],
  ])("%j is refused", (text, message) => {
    expect(() => parseRun(text, { file: "my.run" })).toThrow(
      expect.objectContaining({
        code: "unreadable",
        message,
        uri: "my.run",
        hint: expect.any(String) as string,
      }) as Error,
    );
  });
});

describe("a run of ours", () => {
  it("is written with ranks, and with scores that fall", () => {
    expect(formatRun(ranked(["a", 2], ["b", 2], ["c", 1]))).toBe(
      "1 Q0 a 1 2.00000000 ibid\n1 Q0 b 2 1.99999988 ibid\n1 Q0 c 3 1.00000000 ibid\n",
    );
  });

  it("keeps its order also where scores tie at 0, at one number below, or go up", () => {
    const order = ["a", "b", "c", "d", "e"];
    const run = ranked(["a", 0], ["b", -0], ["c", 0], ["d", -1e-45], ["e", 3]);
    expect(idsOf(parseRun(formatRun(run)), "1")).toEqual(order);
  });

  it("is read in the order in which it was written, with numbers of single precision too", () => {
    const score = fc.oneof(
      fc.constantFrom(0, -0, 1, 0.1, 16_777_217, 1e-40, -5),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }),
      fc.double({ noNaN: true, min: 0.5, max: 0.5000001 }),
    );
    fc.assert(
      fc.property(fc.array(score, { maxLength: 30 }), fc.boolean(), (scores, isSorted) => {
        const falling = isSorted ? scores.toSorted((x, y) => y - x) : scores;
        const ids = falling.map((_, index) => `d${index}`);
        const text = formatRun(
          new Map([["q", falling.map((each, index) => ({ documentId: ids[index]!, score: each }))]]),
        );
        const fields = text
          .split("\n")
          .slice(0, -1)
          .map((line) => line.split(" "));
        // As trec_eval 10 reads it, and as trec_eval 9 does.
        for (const read of [Number, (field: string) => Math.fround(Number(field))]) {
          const values = fields.map((each) => read(each[4]!));
          for (let i = 1; i < values.length; i++) expect(values[i]).toBeLessThan(values[i - 1]!);
        }
        expect(idsOf(parseRun(text), "q")).toEqual(ids);
        // A score that need not move stays what it was, in single precision.
        expect(fields.slice(0, 1).map((each) => Math.fround(Number(each[4])))).toEqual(
          falling.slice(0, 1).map((each) => Math.fround(each) + 0),
        );
      }),
    );
  });

  it.each([
    [ranked(["a b", 1]), {}, "document id"],
    [ranked(["", 1]), {}, "document id"],
    [new Map([["1 2", [{ documentId: "a", score: 1 }]]]), {}, "query id"],
    [ranked(["a", 1]), { tag: "my run" }, "tag"],
  ])("ids with white space cannot be written", (run, options, what) => {
    expect(() => formatRun(run, options)).toThrow(
      expect.objectContaining({ code: "invalid-id", message: expect.stringContaining(what) as string }) as Error,
    );
  });

  it("scores that are no numbers cannot either", () => {
    for (const score of [NaN, Infinity, 1e300])
      expect(() => formatRun(ranked(["a", score]))).toThrow(
        expect.objectContaining({ code: "invalid-argument" }) as Error,
      );
  });
});

describe("judgements", () => {
  const expected = new Map([
    ["q1", new Map([["d1", 2]])],
    ["q2", new Map([["d 3", 0]])],
  ]);

  it.each([
    ["BEIR", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq2\td 3\t0\n"],
    ["without a heading", "\uFEFFq1\td1\t2\r\nq2\td 3\t0"],
    ["twice the same", "q1\td1\t2\nq1\td1\t2\n\nq2\td 3\t0\n"],
    ["TREC, with tabs", "q1\t0\td1\t2\nq2\t0\td 3\t0\n"],
  ])("%s", (_, text) => {
    expect(parseQrels(text)).toEqual(expected);
  });

  it("TREC, with spaces", () => {
    expect(parseQrels("q1 0 d1 2\nq1  Q0  d2 -1 \n")).toEqual(
      new Map([
        [
          "q1",
          new Map([
            ["d1", 2],
            ["d2", -1],
          ]),
        ],
      ]),
    );
  });

  it.each([
    ["q1\td1\n", "line 1 is no judgement."],
    ["q1\td1\t1\nq1\td2\tyes\n", "line 2 has no whole number as its grade."],
    ["q1\td1\t0.5\n", "line 1 has no whole number as its grade."],
    ["q1\td1\t1\nq1\t\t1\n", "line 2 is no judgement."],
    ["q1\td1\t1\nq1\td1\t2\n", "line 2 gives document d1 another grade for query q1 than a line before."],
  ])("%j is refused", (text, message) => {
    expect(() => parseQrels(text, { file: "qrels.tsv" })).toThrow(
      expect.objectContaining({ code: "unreadable", message: `qrels.tsv, ${message}` }) as Error,
    );
  });
});

describe("scoring a run", () => {
  const qrels = parseQrels("1\ta\t1\n2\tb\t1\n3\tc\t0\n");

  it("averages over every judged query, also those that the run lacks, and leaves out those that nobody judged", () => {
    const run = parseRun("1 Q0 a 1 2 x\n4 Q0 a 1 2 x\n");
    const { metrics, queries } = scoreRun(run, qrels, { metrics: ["mrr", "p@1"] });
    expect(Object.fromEntries(queries)).toEqual({
      1: { mrr: 1, "p@1": 1 },
      2: { mrr: 0, "p@1": 0 },
      3: { mrr: 0, "p@1": 0 },
    });
    expect(metrics["mrr"]).toMatchObject({ mean: 1 / 3, queries: 3 });
    expect(Object.keys(metrics)).toEqual(["mrr", "p@1"]);
  });

  it("by default as the command line does", () => {
    expect(Object.keys(scoreRun(new Map(), qrels).metrics)).toEqual(["ndcg@10", "recall@100", "map", "mrr@10", "p@10"]);
  });

  it("refuses what it does not know, and judgements of nothing", () => {
    expect(() => scoreRun(new Map(), qrels, { metrics: ["err@10"] })).toThrow("There is no metric");
    expect(() => scoreRun(new Map(), qrels, { metric: ["p@1"] } as never)).toThrow('no option "metric"');
    expect(() => scoreRun(new Map(), new Map())).toThrow(expect.objectContaining({ code: "empty" }) as Error);
  });
});

import { describe, expect, it } from "vitest";
import { collectRun, latencyQuantiles } from "../../src/eval/collect-run.ts";
import { parseCollection } from "../../src/eval/collection.ts";

const good = {
  corpus:
    '\uFEFF{"_id":"d1","title":"T","text":"one","metadata":{"x":1}}\r\n\n{"_id":"d2","text":""}\n{"_id":"d3","title":null,"text":"x"}',
  queries: '{"_id":"q2","text":"second"}\n{"_id":"q1","text":"first"}\n{"_id":"unjudged","text":""}\n',
  qrels: "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\tgone\t1\nq2\tgone\t2\nq2\tbad\t0\n",
};

const parse = (files: Partial<typeof good>) => {
  const { corpus, queries, qrels } = { ...good, ...files };
  return parseCollection({
    corpus: { text: corpus, file: "corpus.jsonl" },
    queries: { text: queries, file: "queries.jsonl" },
    qrels: { text: qrels, file: "qrels.tsv" },
  });
};

describe("a test collection [T59]", () => {
  it("is documents, judged queries in their order, judgements, and what cannot be found", () => {
    const { documents, queries, qrels, missing } = parse({});
    expect(documents).toEqual([
      { id: "d1", title: "T", text: "one" },
      { id: "d2", title: "", text: "" },
      { id: "d3", title: "", text: "x" },
    ]);
    expect([...queries]).toEqual([
      ["q2", "second"],
      ["q1", "first"],
    ]);
    expect(qrels.size).toBe(2);
    expect(missing).toEqual(["gone"]);
  });

  it.each([
    [{ corpus: '{"_id":"a","text":"secret"}\n\n{"_id":"b" "text":"secret"}' }, "corpus.jsonl, line 3 is not JSON."],
    [{ corpus: "[1]" }, "corpus.jsonl, line 1 is JSON, but no object."],
    [{ corpus: '{"text":"secret"}' }, "corpus.jsonl, line 1 has no _id."],
    [{ corpus: '{"_id":7,"text":"secret"}' }, "corpus.jsonl, line 1 has an _id that is no text, or blank."],
    [{ corpus: '{"_id":" ","text":"secret"}' }, "corpus.jsonl, line 1 has an _id that is no text, or blank."],
    [{ corpus: '{"_id":"a"}' }, "corpus.jsonl, line 1 has no text."],
    [{ corpus: '{"_id":"a","text":"","title":5}' }, "corpus.jsonl, line 1 has a title that is no text."],
    [{ corpus: '{"_id":"a","text":""}\n{"_id":"a","text":""}' }, "corpus.jsonl, line 2 has the _id a of line 1 again."],
    [{ queries: `${good.queries}{"_id":"q1","text":"x"}` }, "queries.jsonl, line 4 has the _id q1 of line 2 again."],
    [{ queries: good.queries.replace("second", " ") }, "queries.jsonl, line 1 asks nothing: its text is blank."],
    [{ qrels: "q1\td1\tyes\nq1\td1\tno\n" }, "qrels.tsv, line 2 has no whole number as its grade."],
  ])("%j is unreadable, and says where", (files, message) => {
    const error = expect.objectContaining({ code: "unreadable", message, uri: message.split(",")[0] }) as Error;
    expect(() => parse(files)).toThrow(error);
    expect(() => parse(files)).not.toThrow("secret");
  });

  it.each([
    [{ corpus: "\n" }, "empty", "corpus.jsonl has no document."],
    [{ qrels: "query-id\tcorpus-id\tscore\n" }, "empty", "qrels.tsv has no judgement."],
    [{ qrels: "q9\td1\t1\n" }, "not-found", "qrels.tsv judges query q9, which is not in queries.jsonl."],
  ])("%j is %s", (files, code, message) => {
    expect(() => parse(files)).toThrow(
      expect.objectContaining({ code, message, hint: expect.any(String) as string }) as Error,
    );
  });
});

describe("collecting a run", () => {
  const queries = new Map([
    ["q1", "one"],
    ["q2", "two"],
  ]);

  it("asks each query once, after the first once more, and cuts at the depth", async () => {
    const asked: string[] = [];
    const seen: string[] = [];
    const { run } = await collectRun(
      (text, depth) => {
        asked.push(`${text} ${depth}`);
        const ids = ["a", "b", "a", "c"];
        return Promise.resolve(ids.map((documentId, index) => ({ documentId, score: 9 - index })));
      },
      queries,
      { depth: 2, onQuery: (done, total) => seen.push(`${done}/${total}`) },
    );
    expect(asked).toEqual(["one 2", "one 2", "two 2"]);
    expect(seen).toEqual(["0/2", "1/2"]);
    // The second find of a is passed over, and makes no room for c.
    expect(run.get("q2")).toEqual([
      { documentId: "a", score: 9 },
      { documentId: "b", score: 8 },
    ]);
    expect([...run.keys()]).toEqual(["q1", "q2"]);
  });

  it("stops between queries", async () => {
    const stop = new AbortController();
    const search = () => {
      stop.abort();
      return Promise.resolve([]);
    };
    await expect(collectRun(search, queries, { signal: stop.signal })).rejects.toMatchObject({ code: "aborted" });
  });

  it("refuses what cannot be", async () => {
    const search = () => Promise.resolve([]);
    await expect(collectRun(search, queries, { depth: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(collectRun(search, queries, { topK: 5 } as never)).rejects.toThrow('no option "topK"');
    await expect(collectRun(search, new Map())).rejects.toMatchObject({ code: "empty" });
  });

  it("quantiles are times that were taken: nearest rank", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(latencyQuantiles(hundred)).toEqual({ p50: 50, p95: 95, p99: 99 });
    expect(latencyQuantiles([3, 1, 2])).toEqual({ p50: 2, p95: 3, p99: 3 });
    expect(latencyQuantiles([7])).toEqual({ p50: 7, p95: 7, p99: 7 });
  });
});

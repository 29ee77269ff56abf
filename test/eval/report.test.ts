import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { checkConditions } from "../../src/eval/check-conditions.ts";
import { evaluateQuestions, type QuestionEvaluation } from "../../src/eval/evaluate-questions.ts";
import { formatJUnit } from "../../src/eval/format-junit.ts";
import { formatReport } from "../../src/eval/format-report.ts";
import { parseQuestions } from "../../src/eval/questions.ts";
import { formatQuestions, suggestQuestions } from "../../src/eval/suggest-questions.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { makePdf } from "../readers/make-pdf.ts";

const parse = (...lines: readonly object[]) => parseQuestions(lines.map((line) => JSON.stringify(line)).join("\n"));
const means = ({ metrics }: Pick<QuestionEvaluation, "metrics">) =>
  Object.fromEntries(Object.entries(metrics).map(([name, { mean }]) => [name, mean]));

/** A heading, a sentence, and enough words of nothing that two pages are no chunk. */
const page = (title: string, text: string) => [
  { text: title, x: 72, y: 730, size: 18 },
  { text, x: 72, y: 700 },
  ...Array.from({ length: 14 }, (_, index) => ({
    text: `The committee met on day ${index} and spoke of ${title.toLowerCase()} and of other matters.`,
    x: 72,
    y: 660 - 30 * index,
  })),
];

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  await kb.ingest([
    {
      uri: "reports/2024.pdf",
      bytes: makePdf([
        page("Revenue", "Revenue of the turbine division rose by nine percent in the year."),
        page("Risks", "A drought of several months would stop the turbines of the lower valley."),
        [],
      ]),
    },
    {
      uri: "docs/keys.md",
      text: "# Keys\n\n## Introduction\n\nThis page is about keys and their use in the house.\n\n## Rotating keys\n\nKeys rotate every ninety days, and the old one stays valid for a week.\n\n## Storage\n\nKeys are kept in the vault below the weir of the lower valley.\n",
    },
    {
      uri: "docs/doors.md",
      text: "# Doors\n\n## Storage\n\nSpare doors are kept in the shed behind the turbine hall.\n\n## Contents of <b>crates</b>\n\nEvery crate holds four hinges, two locks and one handle.\n",
    },
  ]);
});
afterAll(() => kb.close());

describe("pages and spans", () => {
  it("are held by the hits that stand on them, and each metric looks at its own", async () => {
    const { metrics, outcomes, problems } = await evaluateQuestions(
      kb,
      parse(
        { question: "What would stop the turbines?", uri: "reports/2024.pdf", page: 2 },
        { question: "How far did revenue of the turbine division rise?", uri: "reports/2024.pdf", page: [2] },
        { question: "How often do keys rotate?", spans: [{ uri: "keys.md", quote: "every ninety\n days" }] },
        {
          question: "Would a drought stop the turbines?",
          spans: [{ uri: "2024.pdf", page: 2, quote: "A drought of several months" }],
        },
      ),
      { metrics: ["success@1", "document@1", "page@1", "span@1"] },
    );
    // Revenue stands on page 1: its hit is of the document, and of no part of page 2.
    expect(means({ metrics })).toEqual({ "success@1": 3 / 4, "document@1": 1, "page@1": 2 / 3, "span@1": 1 });
    expect(["success@1", "document@1", "page@1", "span@1"].map((name) => metrics[name]?.queries)).toEqual([4, 4, 3, 2]);
    expect(problems).toEqual([]);
    expect(outcomes.map(({ rank }) => rank)).toEqual([1, expect.any(Number), 1, 1]);
    expect(outcomes[0]?.expected).toMatchObject([{ uri: "reports/2024.pdf", page: 2, rank: 1 }]);
    expect(outcomes[0]?.expected[0]?.text).toMatch(/^Risks\n\nA drought/u);
    expect(outcomes[2]?.expected).toMatchObject([{ uri: "docs/keys.md", text: "every ninety days" }]);
    expect(outcomes[0]?.found[0]).toMatchObject({ rank: 1, uri: "reports/2024.pdf", page: 2, isRight: true });
  });

  it("that are not there are said by line", async () => {
    const { problems, stale } = await evaluateQuestions(
      kb,
      parse(
        { question: "a?", uri: "reports/2024.pdf", page: 7 },
        { question: "b?", uri: "reports/2024.pdf", page: 3 },
        { question: "c?", uri: "docs/keys.md", page: 1 },
        { question: "d?", uri: "gone.md" },
        {
          question: "e?",
          spans: [
            { uri: "keys.md", quote: "every ninety days" },
            { uri: "doors.md", quote: "of gold" },
          ],
        },
      ),
    );
    expect(problems).toEqual([
      { line: 1, problem: "reports/2024.pdf has 3 pages, and no page 7" },
      { line: 2, problem: "page 3 of reports/2024.pdf has no text" },
      { line: 3, problem: "docs/keys.md has no pages" },
      { line: 4, problem: "there is no document gone.md" },
      { line: 5, problem: "docs/doors.md does not say “of gold”" },
    ]);
    expect(stale.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
  });

  it.each([
    [{ question: "a?", page: 1 }, "has a page of no document"],
    [{ question: "a?", uri: "a", page: 0 }, "has a page that is no whole number from 1"],
    [{ question: "a?", uri: "a", page: "1" }, "has a page that is no whole number from 1"],
    [{ question: "a?", uri: "a", page: [] }, "has a page that is no whole number from 1"],
    [{ question: "a?", spans: [{ uri: "a" }] }, "has spans that are no list of places"],
    [{ question: "a?", spans: [{ uri: "a", page: 1.5 }] }, "has spans that are no list of places"],
    [{ question: "a?", uri: "a", note: 1 }, "has a note that is no text"],
  ])("%j is refused", (line, message) => {
    expect(() => parse(line)).toThrow(`questions, line 1 ${message}.`);
  });

  it("other options of a search reach it, and an unknown one throws", async () => {
    const questions = parse({ question: "keys", uri: "docs/keys.md" });
    await evaluateQuestions(kb, questions, { search: { fusion: "rrf" } });
    await expect(evaluateQuestions(kb, questions, { search: { fusoin: "rrf" } as object })).rejects.toThrow("fusoin");
    await expect(evaluateQuestions(kb, questions, { keep: -1 })).rejects.toThrow("keep is -1.");
  });
});

describe("conditions", () => {
  const of = (...values: readonly number[]) => ({
    metrics: {
      map: { mean: values.reduce((a, b) => a + b, 0) / values.length, low: 0, high: 1, queries: values.length },
    },
    queries: new Map(values.map((map, index) => [String(index), { map }])),
  });

  it("are thresholds to four decimals, and falls beyond chance", () => {
    expect(checkConditions(of(2 / 3), { min: { map: 0.6667, "p@1": 0 } })).toEqual([
      { metric: "map", by: "minimum", passed: true, message: "map is 0.6667, not below 0.6667." },
      {
        metric: "p@1",
        by: "minimum",
        passed: false,
        message: "p@1 cannot be measured: no question contributes to it.",
      },
    ]);
    // Of 2^6 assignments of signs two are as far apart: p = 2/64. Of 2^5 two: p = 2/32.
    const fall = (size: number) =>
      checkConditions(of(...Array(size).fill(0)), { baseline: of(...Array(size).fill(1)) });
    expect(fall(6)).toMatchObject([{ by: "baseline", passed: false }]);
    expect(fall(6)[0]?.message).toBe("map is 0.0000, was 1.0000: worse than the baseline beyond chance (p 0.0312).");
    expect(fall(5)).toMatchObject([{ by: "baseline", passed: true }]);
  });
});

describe("a report", () => {
  let evaluation: QuestionEvaluation;
  beforeAll(async () => {
    evaluation = await evaluateQuestions(
      kb,
      parse(
        { question: "How often do keys rotate?", kind: "value", uri: "docs/keys.md", quote: "every ninety days" },
        {
          question: "What is <script>alert(1)</script> in a crate?",
          kind: "list",
          uri: "docs/doors.md",
          quote: "made of <gold>",
        },
        { question: "Where are keys kept?", kind: "value", uri: "docs/doors.md", quote: "Spare doors", note: "a trap" },
        { question: "Where are turbines kept?", answerable: false },
      ),
      { metrics: ["success@1", "success@5", "refused"] },
    );
  });

  it("shows each miss with the expected words beside what was found, and loads nothing", () => {
    const conditions = checkConditions(evaluation, { min: { "success@5": 1 } });
    const html = formatReport(evaluation, { title: "q<1>.jsonl", how: "hybrid", conditions, within: 1 });
    expect(html).toContain("<title>q&lt;1&gt;.jsonl: evaluation</title>");
    expect(html).toContain("1 of 1 conditions are not met");
    expect(html).toContain("What is &lt;script&gt;alert(1)&lt;/script&gt; in a crate?");
    expect(html).toContain("<li>Line 2: docs/doors.md does not say “made of &lt;gold&gt;”.</li>");
    // The words of the question are marked in what was found, and the expected ones in their place.
    expect(html).toContain("<mark>Keys</mark> rotate");
    expect(html).toMatch(/<blockquote>[^<]*<mark>Spare doors<\/mark> are kept in the shed/u);
    expect(html).toMatch(/<h2>By kind<\/h2>[\s\S]*<td>value<\/td><td>2<\/td>/u);
    expect(html).not.toMatch(/<(?:script|link|img|iframe)|https?:|@import|url\(/iu);
    expect(html).toContain("default-src 'none'");
    expect(formatReport(evaluation, { title: "q<1>.jsonl", how: "hybrid", conditions, within: 1 })).toBe(html);
  });

  it("sets the figures beside a baseline, and says which misses it had found", () => {
    const queries = new Map([...evaluation.queries].map(([id, own]) => [id, { ...own, "success@5": 1 }]));
    const html = formatReport(evaluation, { title: "q", baseline: { how: "lexical", queries } });
    expect(html).toContain("Baseline: lexical.");
    expect(html).toMatch(/<td>success@5<\/td>.*<td>1\.0000<\/td><td><span class="">−0\.3333<\/span><\/td><td>1\.0000/u);
    expect(html).toMatch(/in a crate\?<\/h3>\n<p class="dim">[^<]*found in the baseline/u);
    // A baseline of other questions says nothing.
    const other = formatReport(evaluation, { title: "q", baseline: { how: "old", queries: new Map() } });
    expect(other).not.toContain("Baseline:");
  });

  it("as JUnit's XML: conditions fail, and misses are skipped with a reason", () => {
    const conditions = checkConditions(evaluation, { min: { "success@5": 1, refused: 0 } });
    const xml = formatJUnit(evaluation, { title: "q", conditions });
    expect(xml).toContain('<testsuite name="conditions" tests="2" failures="1" skipped="0" errors="0">');
    expect(xml).toContain('<failure message="success@5 is 0.6667, below 1."/>');
    expect(xml).toContain('<testcase classname="value" name="line 1: How often do keys rotate?"/>');
    expect(xml).toContain('<skipped message="not found: docs/doors.md does not say “made of &lt;gold&gt;”"/>');
    expect(xml.match(/<testcase /gu)?.length).toBe(6);
  });
});

describe("suggested questions", () => {
  it("are headings that name a topic, each with its place, and are read again unchanged", async () => {
    const { questions, documents, passedOver } = await suggestQuestions(kb, { perDocument: 9 });
    expect(documents).toBe(3);
    expect(questions.map(({ question, uri, quotes, pages = [] }) => [question, uri, quotes[0], ...pages])).toEqual([
      ["Storage (Doors)", "docs/doors.md", "Spare doors are kept in the shed behind the turbine hall."],
      ["Contents of crates", "docs/doors.md", "Every crate holds four hinges, two locks and one handle."],
      ["Rotating keys", "docs/keys.md", "Keys rotate every ninety days, and the old one stays valid for a week."],
      ["Storage (Keys)", "docs/keys.md", "Keys are kept in the vault below the weir of the lower valley."],
      ["Revenue", "reports/2024.pdf", "Revenue of the turbine division rose by nine percent in the year.", 1],
      ["Risks", "reports/2024.pdf", "A drought of several months would stop the turbines of the lower valley.", 2],
    ]);
    // "Introduction", and "Keys" and "Doors", which have no text of their own.
    expect(passedOver).toBe(3);
    expect(questions[2]?.note).toBe(
      'from the heading "Keys > Rotating keys" of docs/keys.md; write it as a person would ask',
    );
    const lines = formatQuestions(questions);
    const read = parseQuestions(lines);
    expect(read).toEqual(questions.map((question, index) => ({ ...question, line: index + 1 })));
    const { lost, problems, metrics } = await evaluateQuestions(kb, read);
    expect([lost, problems]).toEqual([[], []]);
    expect(metrics["success@5"]?.mean).toBe(1);
    expect(formatQuestions((await suggestQuestions(kb, { perDocument: 9 })).questions)).toBe(lines);
  });

  it("are spread over a document, and stay below a folder", async () => {
    const { questions, documents } = await suggestQuestions(kb, { perDocument: 1, under: "docs/" });
    expect([documents, questions.map(({ question }) => question)]).toEqual([2, ["Storage (Doors)", "Rotating keys"]]);
  });

  it("write several quotes and pages as lists, and a question without an answer as such", () => {
    const questions = parse(
      { question: "a?", uri: "a.pdf", quote: ["one", "two"], page: [1, 2] },
      { question: "b?", spans: [{ uri: "a", page: 3 }], kind: "value" },
      { question: "c?", answerable: false, note: "off topic" },
    );
    expect(parseQuestions(formatQuestions(questions))).toEqual(questions);
  });
});

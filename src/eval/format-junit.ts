import { checkGiven, readingGiven } from "../runtime/check-options.ts";
import type { Condition } from "./check-conditions.ts";
import type { QuestionEvaluation } from "./evaluate-questions.ts";
import { escape } from "./format-report.ts";

/**
 * An evaluation in the XML of JUnit, which CI services show: a test for each condition, and one for each question.
 *
 * **Shape** a condition that is not met is a failure. A question that was missed is a skipped test with the reason, because the conditions alone decide.
 * **Source** the schema of Jenkins' xUnit plugin.
 *
 * @experimental
 */
export function formatJUnit(
  evaluation: QuestionEvaluation,
  options: { readonly title: string; readonly conditions?: readonly Condition[] | undefined },
): string {
  checkGiven("formatJUnit", "evaluation", evaluation, "object");
  checkGiven("formatJUnit", "options", options, "object", { title: "text" });
  return readingGiven("formatJUnit", "evaluation or conditions", "an evaluation", () => writeXml(evaluation, options));
}

function writeXml(
  evaluation: QuestionEvaluation,
  { title, conditions = [] }: { readonly title: string; readonly conditions?: readonly Condition[] | undefined },
): string {
  const tests = conditions.map(({ metric, by, passed, message }) =>
    testCase("conditions", `${metric}, by ${by}`, passed ? "" : `<failure message="${escape(message)}"/>`),
  );
  const missed = (reason: string): string => `<skipped message="${escape(reason)}"/>`;
  const questions = evaluation.outcomes.map(({ question, rank, refused, expected }) => {
    const { line, kind = "questions", answerable } = question;
    const problem = expected.find((place) => place.problem !== undefined)?.problem;
    const result = answerable
      ? rank > 0
        ? ""
        : missed(`not found${problem === undefined ? "" : `: ${problem}`}`)
      : refused
        ? ""
        : missed("answered, and the documents do not answer it");
    return testCase(kind, `line ${line}: ${question.question}`, result);
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escape(title)}">
${suite("conditions", tests)}
${suite("questions", questions)}
</testsuites>
`;
}

function testCase(group: string, name: string, result: string): string {
  const head = `<testcase classname="${escape(group)}" name="${escape(name)}"`;
  return result === "" ? `${head}/>` : `${head}>${result}</testcase>`;
}

function suite(name: string, cases: readonly string[]): string {
  const countOf = (tag: string): number => cases.filter((one) => one.includes(`<${tag} `)).length;
  return `<testsuite name="${name}" tests="${cases.length}" failures="${countOf("failure")}" skipped="${countOf("skipped")}" errors="0">
${cases.join("\n")}
</testsuite>`;
}

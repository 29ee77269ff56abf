import { describe, expect, it } from "vitest";

import { checkSentence } from "../../scripts/prose/check-sentence.ts";
import { compareCounts, countBreaches, lowerCounts } from "../../scripts/prose/count-breaches.ts";
import { readComment, readMarkdown } from "../../scripts/prose/read-sentences.ts";
import { parseSource, readSource, reexportsOf } from "../../scripts/prose/read-source.ts";

const words = (count: number): string => `${Array.from({ length: count }, () => "word").join(" ")}.`;

describe("a sentence of plain English", () => {
  it.each([
    ["What is kept.", ["opening"]],
    ["which version it is", ["opening"]],
    ["That of the model.", ["opening"]],
    ["Which version is it?", []],
    ["Whatever happens, it ends.", []],
    ["Often it ends.", []],
    [words(25), []],
    [words(26), ["length"]],
    ["The gate decides (law 3).", ["code"]],
    ["Deletes by filter [B35 L4].", ["code"]],
    ["Sorted, as in T43.", ["code"]],
    ["See DESIGN 5.", ["code"]],
    ["A blob store speaks S3 or UTF-8.", []],
    ["The floor of a leg.", ["word"]],
    ["The name is told to the model.", ["word"]],
    ["The grounding is strict.", []],
    ["It stops when somebody reads it.", ["person"]],
  ])("%s", (sentence, rules) => {
    expect(checkSentence(sentence)).toEqual(rules);
  });
});

describe("the sentences of a comment", () => {
  it("end at a full stop, a blank line, a label or a tag", () => {
    const comment =
      "*\n * Reads `a. B` bytes, e.g. Word\n * files. Then stops.\n *\n * **Errors** `a` for one; `b` for two. **Cost** one pass.\n * @param text the text\n * @example\n * What is code.\n * @experimental\n ";
    expect(readComment(comment)).toEqual([
      "Reads Code bytes, e.g. Word files.",
      "Then stops.",
      "Code for one;",
      "Code for two.",
      "one pass.",
      "text the text",
    ]);
  });

  it("are none in a command that is set apart", () => {
    expect(readComment(" Runs it.\n\n   npm run size   what it weighs\n   npm run all\n")).toEqual(["Runs it."]);
  });

  it("are none where it speaks to a tool", () => {
    expect(readComment(" oxlint-disable-next-line no-x -- What it is.")).toEqual([]);
  });
});

it("Markdown has sentences in headings, items, cells and paragraphs, and none in fences and lists of names", () => {
  const page =
    "# What it is\n\nOne\nline. [Two](b.md).\n- of it\n- and\n\n| a b | what c |\n|---|---|\n| `d` `e` | |\n\n```sh\nWhat runs.\n```\n";
  expect(readMarkdown(page)).toEqual(["What it is", "One line.", "Two.", "of it", "and", "a b", "what c"]);
});

describe("the texts of a source", () => {
  const source = parseSource(
    "a.ts",
    `// One line
// and its second.
/** A public function. */
export function open(): void {
  // Inside.
  throw new IbidError("x", \`The \${name} is blank.\`, { hint: "Give a name." });
}
/** A public type. */
export interface Shape {
  /** A member. */
  readonly a: string;
}
/** Not public. */
export const hidden = 1;
const fail = (message: string) => new IbidError("x", message);
fail("It cannot be read.");
export { other as another } from "./b.ts";
`,
  );

  it("are public where a subpath exports the name, else comments or errors", () => {
    const texts = readSource(source, (name) => name === "open" || name === "Shape");
    expect(texts.map(({ kind, sentences }) => [kind, ...sentences])).toEqual([
      ["public", "One line and its second."],
      ["public", "A public function."],
      ["comments", "Inside."],
      ["public", "A public type."],
      ["public", "A member."],
      ["comments", "Not public."],
      ["errors", "The Code is blank."],
      ["errors", "Give a name."],
      ["errors", "It cannot be read."],
    ]);
  });

  it("exports names of others", () => {
    expect(reexportsOf(source)).toEqual([{ name: "other", from: "./b.ts" }]);
  });
});

describe("the counts", () => {
  const counts = countBreaches([
    { room: "b", kind: "errors" },
    { room: "a", kind: "public" },
    { room: "a", kind: "public" },
  ]);

  it("are by room and kind", () => {
    expect(counts).toEqual({ a: { public: 2 }, b: { errors: 1 } });
  });

  it("may fall and may not rise, in a new room neither", () => {
    expect(compareCounts({ a: { public: 3 }, b: { errors: 1 } }, counts)).toEqual([]);
    expect(compareCounts({ a: { public: 1 } }, counts)).toEqual([
      { room: "a", kind: "public", was: 1, is: 2 },
      { room: "b", kind: "errors", was: 0, is: 1 },
    ]);
  });

  it("are recorded only where they are lower", () => {
    expect(lowerCounts({ a: { public: 1 }, b: { errors: 4 }, c: { errors: 2 } }, counts)).toEqual({
      a: { public: 1 },
      b: { errors: 1 },
    });
  });
});

// Sentences of comments, Markdown and messages: without code, links, marks and tags.

/** Stands for a code span, and for a value in a template: one word, with a capital so that a sentence may begin with it. */
export const codeWord = "Code";

const directive = /^\s*(?:oxlint-|eslint-|@ts-|v8 |c8 |#__|<reference)/u;
/** An indented command with its explanation is code. */
const commandLine = /^\s{3,}(?:npm|npx|node)\s/u;
const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|cf|vs|al|fig|no|approx)\.$/iu;

/** Sentences of a comment's text, as it stands between `/*` and its end, or after `//`. */
export function readComment(text: string): readonly string[] {
  if (directive.test(text)) return [];
  const lines = text.split("\n").map((line) => line.replace(/^\s*\*+ ?/u, ""));
  const kept: string[] = [];
  let isCode = false;
  for (const line of lines) {
    const [, tag, rest = ""] = /^\s*@(\w+)\s*(.*)$/u.exec(line) ?? [];
    if (tag !== undefined) {
      isCode = tag === "example";
      kept.push("", isCode ? "" : rest.replace(/^\{[^}]*\}\s*/u, ""), "");
    } else if (commandLine.test(line)) kept.push("");
    else if (!isCode) kept.push(line);
  }
  return readMarkdown(kept.join("\n"));
}

/** Sentences of a page or of a comment: paragraphs, list items, headings, cells. Fenced code is left out. */
export function readMarkdown(text: string): readonly string[] {
  const blocks: string[] = [];
  let block = "";
  let fence = "";
  const finish = (): void => {
    blocks.push(block);
    block = "";
  };
  for (const line of text.replaceAll(/<!--[\s\S]*?-->/gu, "").split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/u.exec(line)?.[1] ?? "";
    if (mark !== "" || fence !== "") {
      finish();
      if (fence === "") fence = mark;
      else if (mark.startsWith(fence)) fence = "";
    } else if (line.trim() === "") finish();
    else if (/^\s*\|/u.test(line)) {
      finish();
      if (!/^[\s|:-]+$/u.test(line)) blocks.push(...line.split(/(?<!\\)\|/u));
    } else if (/^\s*#{1,6} /u.test(line)) {
      finish();
      blocks.push(line.replace(/^\s*#+ /u, ""));
    } else {
      if (/^\s*(?:[-*+]|\d+[.)]) /u.test(line)) finish();
      block += `${line.replace(/^\s*(?:[-*+]|\d+[.)]|>) /u, "").trim()}\n`;
    }
  }
  finish();
  return blocks.flatMap(readParagraph);
}

/** Sentences of one paragraph. */
export function readParagraph(text: string): readonly string[] {
  const plain = text
    .replaceAll(/(`+)(?:(?!\1)[\s\S])+?\1/gu, codeWord)
    .replaceAll(/!?\[([^\]]*)\]\([^)\s]*(?: "[^"\n]*")?\)/gu, "$1")
    .replaceAll(/\{@link ([^}|]+)[^}]*\}/gu, codeWord)
    // A label of a doc comment begins a sentence, and is none of its words.
    .replaceAll(/\*\*(?:Shape|Units|Errors|Cost|Source)\*\*:?/gu, "\n\n")
    .replaceAll(/\*\*|__/gu, "");
  return plain.split(/\n\n+/u).flatMap((part) => splitSentences(part.replaceAll(/\s+/gu, " ").trim()));
}

function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  // After a semicolon, a code begins the next item of a list: `a` for this; `b` for that.
  for (const { index, 0: gap } of text.matchAll(
    /(?<=[.!?…]["'”’)\]*_]*) +(?=["'“‘([*_]*[\p{Lu}\p{N}])|(?<=;) (?=Code\b)/gu,
  )) {
    const sentence = text.slice(from, index);
    if (abbreviation.test(sentence)) continue;
    sentences.push(sentence);
    from = index + gap.length;
  }
  sentences.push(text.slice(from));
  // A list of names alone is no sentence.
  return sentences
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence.replaceAll(codeWord, "")));
}

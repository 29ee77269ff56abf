import type { Block } from "../../contracts/document.ts";
import type { Reader, ReadResult, TextReadInput } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import { buildSections } from "../build-sections.ts";
import { codeBlocks } from "./code-blocks.ts";
import { decodeInput } from "./decode-source.ts";
import { fileNameOf } from "../file-name.ts";

/** Prose that we read paragraph by paragraph, whatever markup it has. */
const proseTypes = new Set(["text/plain", "text/x-rst", "text/asciidoc", "text/x-log"]);

/** Text formats that carry another main type. */
const textualApplications = new Set([
  "application/json",
  "application/x-ndjson",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/xml",
  "application/javascript",
  "application/ecmascript",
  "application/x-javascript",
  "application/typescript",
  "application/sql",
  "application/graphql",
  "application/x-sh",
  "application/x-ipynb+json",
]);

/** `text/…` types whose words only a parser can tell from their markup. */
const markedUpText = new Set([
  "text/html",
  "text/markdown",
  "text/x-markdown",
  "text/mdx",
  "text/x-mdx",
  "text/rtf",
  "text/calendar",
]);

/** Whether what `mediaType` names can be read as it stands. */
export function isPlainTextType(mediaType: string): boolean {
  if (mediaType.startsWith("text/")) return !markedUpText.has(mediaType);
  return textualApplications.has(mediaType) || /^application\/[\w.-]+\+(?:json|yaml)$/.test(mediaType);
}

/**
 * Plain text, source code and text formats such as JSON, YAML or CSV: the canonical text is the source itself.
 *
 * **Shape** prose has a paragraph block for each run of lines between blank lines; all other text is one code block.
 * There is one section, the root, titled by the file name. Lines of the text are lines of the source.
 * **Errors** `binary`, `unreadable`, `too-large`.
 * **Cost** linear.
 * **Source** Ballerina `TextDataLoader`, Embabel's plain text reader, Wesichain `TextLoader`.
 *
 * @experimental
 */
export const plainTextReader: Reader = {
  name: "plain-text/1",
  accepts: isPlainTextType,
  read: async ({ bytes, charset, ...input }) => readPlainText({ ...input, text: decodeInput(bytes, charset, input) }),
  readText: readPlainText,
};

/** Paragraphs after which others have their turn. */
const paragraphsAtOnce = 8192;

/**
 * Number of paragraphs after which short neighbours count as one. A text of single letters between blank lines has tens of millions, and each would be
 * an object. They only say where it is good to cut.
 */
const mostParagraphs = 500_000;
/** **Units** UTF-16. The size of a chunk, by default. */
const joinedLength = 1000;

async function readPlainText({ uri, text, mediaType, signal }: TextReadInput): Promise<ReadResult> {
  const title = fileNameOf(uri);
  const blocks: Block[] = [];
  if (proseTypes.has(mediaType)) {
    let seen = 0;
    for (const block of eachParagraph(text)) {
      const last = blocks.at(-1);
      if (last && blocks.length >= mostParagraphs && block.end - last.start <= joinedLength)
        blocks[blocks.length - 1] = { ...last, end: block.end };
      else blocks.push(block);
      if (++seen % paragraphsAtOnce !== 0) continue;
      await nextTurn();
      throwIfAborted(signal, `Reading ${uri}`, { uri });
    }
  } else for (const block of codeBlocks(text, [], languageOf(mediaType))) blocks.push(block);
  return {
    text,
    title,
    root: buildSections(text, title, []),
    sourceMap: { lines: "text" },
    blocks,
    metadata: {},
  };
}

/** Runs of lines that hold something, from their first character that is not white space to their last. */
export function findParagraphs(text: string): Block[] {
  return [...eachParagraph(text)];
}

function* eachParagraph(text: string): Generator<Block, undefined> {
  let start = -1;
  let end = 0;
  for (let line = 0; line < text.length;) {
    const newline = text.indexOf("\n", line);
    const lineEnd = newline === -1 ? text.length : newline;
    let first = line;
    while (first < lineEnd && isSpace(text.charCodeAt(first))) first++;
    if (first === lineEnd) {
      if (start !== -1) yield { kind: "paragraph", start, end };
      start = -1;
    } else {
      if (start === -1) start = first;
      end = lineEnd;
      while (isSpace(text.charCodeAt(end - 1))) end--;
    }
    line = lineEnd + 1;
  }
  if (start !== -1) yield { kind: "paragraph", start, end };
}

/** `python` for `text/x-python`, `json` for `application/json` and `application/ld+json`. */
function languageOf(mediaType: string): string | undefined {
  const name = /^(?:text|application)\/(?:x-)?(.+)$/.exec(mediaType)?.[1];
  return name?.replace(/^.*\+(?=(?:json|yaml|xml)$)/, "");
}

/** White space as `String.prototype.trim` has it, for one unit. */
function isSpace(unit: number): boolean {
  return unit <= 0x20
    ? unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
    : unit >= 0xa0 && String.fromCharCode(unit).trim() === "";
}

import type { Block } from "../../contracts/document.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { decodeSource } from "../text/decode-source.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf } from "../read-limits.ts";
import { readFrontMatter } from "./front-matter.ts";
import { parseBlocks } from "./parse-blocks.ts";

/** Implements {@link createMarkdownReader}; loaded with its parsers when the first file is read. */
export async function readMarkdown({ uri, bytes, mediaType, charset, limits }: ReadInput): Promise<ReadResult> {
  const source = decodeSource(bytes, uri, charset, limitsOf({ ...(limits && { limits }) }).maxTextLength);
  const frontMatter = readFrontMatter(source);
  const parse = (text: string): ReturnType<typeof parseBlocks> =>
    parseBlocks(text, frontMatter?.end ?? 0, mediaType.endsWith("mdx"));
  const asWritten = parse(source);
  const rewritten = /<table[\s>]/iu.test(source)
    ? (await import("./html-tables.ts")).writeHtmlTables(source, asWritten.blocks)
    : undefined;
  const text = rewritten?.text ?? source;
  const { blocks, headings } = rewritten === undefined ? asWritten : parse(text);
  const named = frontMatter?.metadata["title"];
  const title =
    (typeof named === "string" ? named.trim() : "") ||
    headings.find((heading) => heading.level === 1)?.title ||
    fileNameOf(uri);
  const head: readonly Block[] =
    frontMatter === undefined ? [] : [{ kind: "front-matter", start: 0, end: frontMatter.blockEnd }];
  return {
    text,
    title,
    root: buildSections(text, title, headings),
    sourceMap: rewritten === undefined ? { lines: "text" } : { lines: "anchors", anchors: rewritten.anchors },
    blocks: [...head, ...blocks],
    metadata: frontMatter?.metadata ?? {},
  };
}

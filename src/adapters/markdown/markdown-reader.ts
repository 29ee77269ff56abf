import type { Block } from "../../contracts/document.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../../documents/build-sections.ts";
import { decodeSource } from "../../documents/decode-source.ts";
import { fileNameOf } from "../../documents/file-name.ts";

import { readFrontMatter } from "./front-matter.ts";
import { parseBlocks } from "./parse-blocks.ts";

const mediaTypes = new Set(["text/markdown", "text/x-markdown", "text/mdx", "text/x-mdx"]);

/**
 * Markdown and MDX: the canonical text is the source itself, front matter and markup included.
 *
 * **Shape** sections from ATX and Setext headings of the outermost level; title from front matter, else the first level-1 heading, else the file name;
 * metadata from YAML front matter; lines of the text are lines of the source.
 * **Errors** as every reader: `binary`, `unreadable`, `too-large`. Broken front matter is text, never an error.
 * **Cost** linear in the length of the text.
 * **Source** Embabel's Markdown reader (E15), Ballerina's `TextDataLoader` (B52).
 */
export function createMarkdownReader(): Reader {
  return {
    name: "markdown/1",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) => readMarkdown(input),
  };
}

function readMarkdown({ uri, bytes, mediaType }: ReadInput): ReadResult {
  const text = decodeSource(bytes, uri);
  const frontMatter = readFrontMatter(text);
  const { blocks, headings } = parseBlocks(text, frontMatter?.end ?? 0, mediaType.endsWith("mdx"));
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
    sourceMap: { lines: "text" },
    blocks: [...head, ...blocks],
    metadata: frontMatter?.metadata ?? {},
  };
}

import type { Reader } from "../../contracts/reader.ts";

const mediaTypes = new Set(["text/markdown", "text/x-markdown", "text/mdx", "text/x-mdx"]);

/**
 * Markdown and MDX: the canonical text is the source itself, front matter and markup included. Tables of HTML in it are written with bars, as Markdown has them.
 *
 * **Shape** sections from ATX, Setext and HTML headings of the outermost level. The title comes from front matter, the first level-1 heading, or the file name;
 * metadata from YAML or TOML front matter. Each line of the text knows its line of the source.
 * **Errors** as every reader: `binary`, `unreadable`, `too-large`. Broken front matter is text, never an error.
 * **Cost** linear in the length of the text.
 * **Source** Embabel's Markdown reader, Ballerina's `TextDataLoader`.
 *
 * @experimental
 */
export function createMarkdownReader(): Reader {
  return {
    name: "markdown/2",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) => (await import("./read-markdown.ts")).readMarkdown(input),
  };
}

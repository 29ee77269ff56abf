import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";

/** Markups by the media types that name them, each with the code that reads it. */
const markups: readonly {
  readonly types: readonly string[];
  load(): Promise<(input: ReadInput) => ReadResult | Promise<ReadResult>>;
}[] = [
  { types: ["text/x-rst", "text/prs.fallenstein.rst"], load: async () => (await import("./read-rst.ts")).readRst },
  { types: ["text/asciidoc", "text/x-asciidoc"], load: async () => (await import("./read-asciidoc.ts")).readAsciidoc },
  { types: ["text/x-org", "text/org"], load: async () => (await import("./read-org.ts")).readOrg },
  {
    types: ["text/x-tex", "application/x-tex", "application/x-latex"],
    load: async () => (await import("./read-latex.ts")).readLatex,
  },
  { types: ["text/mediawiki", "text/x-wiki"], load: async () => (await import("./read-mediawiki.ts")).readMediawiki },
  {
    types: ["application/docbook+xml", "application/jats+xml", "application/tei+xml", "application/x-fictionbook+xml"],
    load: async () => (await import("./read-structured-xml.ts")).readStructuredXml,
  },
  {
    types: ["application/xml", "text/xml"],
    load: async () => (await import("./read-generic-xml.ts")).readGenericXml,
  },
  {
    types: ["text/vtt", "text/srt", "application/x-subrip"],
    load: async () => (await import("./read-subtitles.ts")).readSubtitles,
  },
];

/**
 * Reads reStructuredText, AsciiDoc, Org, LaTeX, MediaWiki, DocBook, JATS, TEI, FictionBook, other XML and subtitles: the canonical text is what their page shows, without the markup.
 *
 * **Shape** sections by heading; lists, tables as rows of `| a | b |`, code and quotes as blocks, addresses of links in the source map. Lines are those of the source.
 * Directives that only a program can carry out (includes, macros of one's own) show their words, or nothing.
 * **Errors** `binary`, `empty`, `unreadable`, `too-large`. **Cost** linear.
 * **Source** the specification that each part names.
 */
export function createMarkupReader(): Reader {
  const find = (mediaType: string) => markups.find(({ types }) => types.includes(mediaType));
  return {
    name: "markup/7",
    accepts: (mediaType) => find(mediaType) !== undefined,
    read: async (input) => (await find(input.mediaType)!.load())(input),
  };
}

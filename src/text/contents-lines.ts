/** **Source** our own choice, of how documents in English, German, French, Spanish and Italian, and in Chinese, Japanese and Korean name it. */
export const contentsHeading =
  /^(?:table of contents|contents|on this page|in this (?:article|section|guide|chapter|document)|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|contenido|indice|目录|目次|목차)$/iu;

/** A line that leads to a page: its words, then dots, an ellipsis or a tab, then a number. The reader of PDF writes dots as one ellipsis. */
export const pageEntry = /(?:(?:\.\s?){4,}|…{2,}|\s…\s|\t)\s*(?:\d{1,4}|[ivxlc]{1,7})\s*$/iu;

/** A list item that is a link to a page beside this one, or to a place in it. */
export const linkEntry =
  /^\s*(?:[-*+•]|\d{1,9}[.)])\s+\[[^\]\n]{1,200}\]\((?:#|\.{0,2}\/|[\w-]+\.(?:mdx?|html?))[^)\n]{0,200}\)\s*$/u;

/** A list item that is a link to a place in the same page. */
export const anchorEntry = /^\s*(?:[-*+•]|\d{1,9}[.)])\s+\[[^\]\n]{1,200}\]\(#[^)\n]{0,200}\)\s*$/u;

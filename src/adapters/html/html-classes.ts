/**
 * Class names that widespread software gives to what a reader does not see or does not mean by the text:
 * MediaWiki's edit links, category lists and boxes of links to other pages, the anchor marks that Sphinx, Docusaurus and GitHub put beside headings, and text for screen readers alone.
 */
export const noiseClass =
  /(?:^|\s)(?:mw-editsection|mw-jump-link|catlinks|mw-hidden-catlinks|nomobile|headerlink|hash-link|heading-anchor|sr-only|visually-hidden|visuallyhidden|screen-reader-text)(?:\s|$)/;

/** How highlighters name the language of code: Prism, highlight.js and CommonMark renderers, GitHub, Sphinx. */
export const languageClass = /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]+)/;

/** A class attribute worth keeping. */
export const tellingClass = new RegExp(`${noiseClass.source}|${languageClass.source}`);

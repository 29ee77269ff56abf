/**
 * Class names that widespread software gives to invisible text or to text beside the content.
 * MediaWiki has edit links, category lists and boxes of links. Sphinx, Docusaurus and GitHub put anchor marks beside headings. Others mark text for screen readers alone.
 */
export const noiseClass =
  /(?:^|\s)(?:mw-editsection|mw-jump-link|catlinks|mw-hidden-catlinks|nomobile|headerlink|hash-link|heading-anchor|sr-only|visually-hidden|visuallyhidden|screen-reader-text)(?:\s|$)/;

/** The numbers that highlighters put beside lines of code: Pygments, Rouge, highlight.js, Prism, GitHub. */
export const lineNumberClass =
  /(?:^|\s)(?:linenos?|linenodiv|line-?numbers?-?(?:rows|cell)?|rouge-gutter|gutter|gl|hljs-ln-(?:numbers|n)|blob-num|code-line-number)(?:\s|$)/;

/**
 * Names of classes and ids that parts of a page have which serve to get around it, to sell something or to ask for consent. A name is a hint and no proof:
 * what bears it is left out only when its content says the same.
 */
export const furnitureName =
  /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|breadcrumbs?|side-?bars?|sidenav|toc|table-of-contents|pagination|pager|share|sharing|sharedaddy|social|newsletter|subscribe|promo|advert(?:isement)?s?|ads?|related(?:posts)?|recommended|comments?|respond|widget-area|widgets?|nav(?:bar|box|igation)?|sphinxsidebar|menu|footer|banner|skip-?(?:link|nav|to-content)|topbar|masthead|site-header|site-footer|printfooter)(?:[\s_-]|$)/i;

/** Names of classes and ids of a table of contents. */
export const contentsName = /(?:^|[\s_-])(?:toc|table-of-contents)(?:[\s_-]|$)/i;

/** How highlighters name the language of code: Prism, highlight.js and CommonMark renderers, GitHub, Sphinx. */
export const languageClass = /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]+)/;

/** A class attribute worth keeping. */
export const tellingClass = new RegExp(
  [noiseClass, languageClass, lineNumberClass, furnitureName].map(({ source }) => source).join("|"),
  "i",
);

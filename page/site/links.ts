import type { Hit } from "../../src/contracts/retriever.ts";

/** Longest quotation that a link names whole. **Units** UTF-16 code units. */
const longestName = 80;
/** Words at each end by which a longer one is named. */
const wordsAtEnds = 5;

/** A place of a page, and the ids of the page's headings. */
interface Place {
  readonly source: Pick<Hit["source"], "uri" | "headings">;
  readonly metadata: Hit["metadata"];
}

/**
 * The address of a place in a page: the section, and the words themselves, which the browser marks.
 *
 * **Source** URL fragment text directives, https://wicg.github.io/scroll-to-text-fragment/.
 */
export function linkTo(hit: Place, base: URL, quote?: string): string {
  // An address is a path: no sign in a file's name begins a query, a hash or a scheme.
  const url = new URL(hit.source.uri.split("/").map(encodeURIComponent).join("/"), base);
  const anchor = anchorOf(hit);
  if (anchor !== undefined) url.hash = anchor;
  const words = quote === undefined ? "" : directive(quote);
  return words === "" ? url.href : `${url.href}${url.hash === "" ? "#" : ""}:~:text=${words}`;
}

/** The id of the innermost heading that has one. Of several that say the same, the key of all but the first begins with the heading above. */
function anchorOf({ source: { headings }, metadata }: Place): string | undefined {
  const anchors = metadata["anchors"];
  if (typeof anchors !== "string") return undefined;
  const known = new Map(Object.entries(JSON.parse(anchors) as Readonly<Record<string, string>>));
  return headings
    .map((heading, i) => known.get(`${headings[i - 1]}\n${heading}`) ?? known.get(heading))
    .findLast((id) => id !== undefined);
}

/** The first line of a quotation that has words, as a directive names it: without marks and numbers of lists, which are no text of a page. */
function directive(quote: string): string {
  const line = quote
    .split("\n")
    .map((each) => each.replaceAll(/^(?:[\s|>*#-]|\d{1,3}[.)]\s)+|[\s|]+$/gu, "").replaceAll(/\s+/gu, " "))
    // A cell's end is a place where the text of the page goes on elsewhere.
    .map((each) => each.split(" | ")[0] ?? "")
    // A page that was Markdown shows no marks of it.
    .map((each) => each.replaceAll(/!?\[([^\]]*)\]\([^)]*\)|\*\*|`/gu, "$1"))
    .find((each) => /\p{L}/u.test(each));
  if (line === undefined) return "";
  if (line.length <= longestName) return encode(line);
  const words = line.split(" ");
  return `${encode(words.slice(0, wordsAtEnds).join(" "))},${encode(words.slice(-wordsAtEnds).join(" "))}`;
}

/** A hyphen, too, has a meaning in a directive. */
function encode(words: string): string {
  return encodeURIComponent(words).replaceAll("-", "%2D");
}

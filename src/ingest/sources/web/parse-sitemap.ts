import { parseUrlList } from "./url-list.ts";

/** The addresses that a sitemap lists. */
export interface Sitemap {
  /** Addresses of pages. */
  readonly pages: readonly string[];
  /** When pages were last modified, as it says: of those alone of which it says so. */
  readonly modified: ReadonlyMap<string, string>;
  /** Addresses of further sitemaps. */
  readonly sitemaps: readonly string[];
  /** Whether the text held more than `maxEntries`. */
  readonly truncated: boolean;
}

/**
 * Reads a sitemap, a sitemap index, or the plain list of addresses that the protocol allows in their place.
 *
 * **Shape** names are taken without their prefix; `loc` of an image or a video is none of ours. Entities of a document type are not expanded.
 * `undefined` for what is none of these. **Cost** linear; memory for `maxEntries` addresses.
 * **Source** sitemaps.org protocol 0.9.
 */
export async function parseSitemap(text: string, maxEntries: number): Promise<Sitemap | undefined> {
  const start = text.replace(/^\uFEFF/u, "").trimStart();
  if (!start.startsWith("<")) {
    const all = parseUrlList(start);
    const isList = all.length > 0 && all.every((line) => /^https?:\/\//iu.test(line));
    return isList
      ? { pages: all.slice(0, maxEntries), modified: new Map(), sitemaps: [], truncated: all.length > maxEntries }
      : undefined;
  }
  const { Parser } = await import("htmlparser2");
  const pages: string[] = [];
  const sitemaps: string[] = [];
  const path: string[] = [];
  let root: string | undefined;
  let address = "";
  let modified = "";
  /** The address in the entry that is being read. */
  let page: string | undefined;
  let date = "";
  const dates = new Map<string, string>();
  let truncated = false;
  const parser = new Parser(
    {
      onopentag(name) {
        root ??= localName(name);
        path.push(localName(name));
        // A file of nothing but open tags ends here.
        if (path.length > maxNesting) {
          truncated = true;
          parser.pause();
        }
        address = "";
        modified = "";
        if (localName(name) === "url") [page, date] = [undefined, ""];
      },
      ontext(part) {
        if (path.at(-1) === "lastmod" && modified.length < maxDateLength) modified += part;
        if (path.at(-1) === "loc" && address.length < maxAddressLength) address += part;
      },
      onclosetag(name) {
        path.pop();
        const owner = path.at(-1);
        if (localName(name) === "lastmod" && owner === "url") date = modified.trim();
        if (localName(name) === "url" && page !== undefined && date !== "") dates.set(page, date);
        if (localName(name) !== "loc") return;
        const list = owner === "url" ? pages : owner === "sitemap" ? sitemaps : undefined;
        const trimmed = address.trim();
        if (list === undefined || trimmed === "") return;
        if (pages.length + sitemaps.length >= maxEntries) truncated = true;
        else list.push(trimmed);
        if (owner === "url") page = trimmed;
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return root === "urlset" || root === "sitemapindex" ? { pages, modified: dates, sitemaps, truncated } : undefined;
}

/** The protocol needs three. */
const maxNesting = 100;

const maxDateLength = 64;

/** The protocol's own limit is 2,048. */
const maxAddressLength = 10_000;

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

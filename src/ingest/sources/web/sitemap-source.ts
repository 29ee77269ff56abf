import { gunzipSync } from "node:zlib";
import { IbidError } from "../../../contracts/errors.ts";
import type { AskKept, Source, SourceItem, SourceRefusal, SourceUnchanged } from "../../../contracts/reader.ts";
import { throwIfAborted } from "../../../runtime/abort.ts";
import { decodeText } from "../../../text/charsets/decode-text.ts";
import { checkGiven, checkOptions } from "../../../runtime/check-options.ts";
import {
  openPageClient,
  type Page,
  type PageClient,
  readUrlLimits,
  type UrlSourceOptions,
  urlOptionNames,
} from "./fetch-page.ts";
import { checkUrl, withoutCredentials } from "./normalize-url.ts";
import { parseSitemap, type Sitemap } from "./parse-sitemap.ts";
import { fetchItem } from "./url-source.ts";

/**
 * Options of a sitemap source.
 *
 * @experimental
 */
export interface SitemapSourceOptions extends UrlSourceOptions {
  /** Pages of one walk; beyond it the rest is refused in one sentence. Default 10,000. */
  readonly maxPages?: number | undefined;
  /** Sitemaps of one walk, the first included. Default 100. */
  readonly maxSitemaps?: number | undefined;
  /** Indexes within indexes: 1 is an index and its sitemaps. Default 3. */
  readonly maxDepth?: number | undefined;
  /** Hosts besides the sitemap's own whose pages are fetched, such as `docs.example.com`. Default: none. */
  readonly hosts?: readonly string[] | undefined;
}

/** Limits for one sitemap, uncompressed. **Source** sitemaps.org: 50 MB and 50,000 addresses. */
const maxSitemapBytes = 50 * 1024 * 1024;
const maxSitemapEntries = 50_000;

/**
 * Opens the pages of a sitemap as a source: an XML sitemap, an index of them, or a plain list, gzipped or not.
 *
 * Pages are fetched like any address (see `openUrlSource`), one request at a time. Only the sitemap's own host and `hosts` are allowed:
 * a sitemap speaks for its own site. `robots.txt` is not read: the site's owner lists the pages for programs to fetch.
 *
 * **Shape** each page once, in the order of the lists, with the sitemap as its folder. After a complete walk, unlisted pages are gone.
 * `folders` loses the sitemap when any list could not be read or a limit was reached.
 * **Errors** as refusals: as for an address, also for the sitemaps themselves; `unreadable` for a file that is no sitemap; `blocked-address` for a page of
 * another host; `too-large` at a limit. While iterating: `aborted`. **Cost** memory for one list and the addresses seen.
 * **Source** sitemaps.org protocol 0.9.
 *
 * @experimental
 */
export function openSitemapSource(address: string, options: SitemapSourceOptions = {}): Source {
  checkGiven("openSitemapSource", "address", address, "text");
  checkOptions("openSitemapSource", options, {
    ...urlOptionNames,
    maxPages: true,
    maxSitemaps: true,
    maxDepth: true,
    hosts: true,
  });
  const limits = readUrlLimits(options);
  const { maxPages = 10_000, maxSitemaps = 100, maxDepth = 3, hosts = [] } = options;
  const first = checkUrl(address);
  const allowed = new Set([first.host, ...hosts.map((host) => host.toLowerCase())]);
  const folders = [first.href];

  async function* walk(kept: AskKept | undefined, signal: AbortSignal | undefined) {
    const client = await openPageClient(limits);
    const seen = new Set<string>();
    const sitemaps = new Set([first.href]);
    const waiting: { readonly url: URL; readonly depth: number }[] = [{ url: first, depth: 0 }];
    let pages = 0;
    let complete = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const sitemap = await readSitemap(client, next.url, signal);
        if (sitemap instanceof Error) {
          complete = false;
          yield { uri: next.url.href, error: sitemap };
          continue;
        }
        if (sitemap.truncated) complete = false;
        for (const listed of sitemap.sitemaps) {
          const url = toListed(listed, next.url, allowed);
          if (url instanceof Error) {
            complete = false;
            yield { uri: withoutCredentials(listed), error: url };
          } else if (!sitemaps.has(url.href)) {
            sitemaps.add(url.href);
            const { depth } = next;
            if (sitemaps.size <= maxSitemaps && depth < maxDepth) waiting.push({ url, depth: depth + 1 });
            else {
              complete = false;
              yield { uri: url.href, error: beyond(url.href, depth < maxDepth ? "maxSitemaps" : "maxDepth") };
            }
          }
        }
        for (const listed of sitemap.pages) {
          const url = toListed(listed, next.url, allowed);
          const uri = url instanceof Error ? withoutCredentials(listed) : url.href;
          if (seen.has(uri)) continue;
          seen.add(uri);
          if (++pages > maxPages) {
            drop(folders);
            yield { uri: first.href, error: beyond(first.href, "maxPages", maxPages) };
            return;
          }
          if (url instanceof Error) yield { uri, error: url };
          else {
            const modified = sitemap.modified.get(listed);
            const item = await fetchItem(client, uri, kept, signal, modified === undefined ? {} : { modified });
            yield "error" in item ? item : { ...item, folder: first.href };
          }
        }
      }
    } finally {
      await client.close();
    }
    if (!complete) drop(folders);
  }

  return {
    folders,
    items: (signal) => walk(undefined, signal) as AsyncIterable<SourceItem | SourceRefusal>,
    changes: (kept, signal): AsyncIterable<SourceItem | SourceRefusal | SourceUnchanged> => walk(kept, signal),
  };
}

/** Nothing can be concluded from its silence any more. */
function drop(folders: string[]): void {
  folders.length = 0;
}

async function readSitemap(
  client: PageClient,
  url: URL,
  signal: AbortSignal | undefined,
): Promise<Sitemap | IbidError> {
  const uri = url.href;
  try {
    const page = await client.fetch(
      url,
      { accept: "application/xml,text/xml,text/plain;q=0.9,*/*;q=0.5", maxBytes: maxSitemapBytes },
      signal,
    );
    const text = "bytes" in page ? toText(page, uri) : "";
    const sitemap = await parseSitemap(text, maxSitemapEntries);
    if (sitemap !== undefined) return sitemap;
    return new IbidError("unreadable", `${uri} is no sitemap.`, {
      uri,
      hint: "Give the address of an XML sitemap, an index of sitemaps, or a text with one address a line.",
    });
  } catch (error) {
    throwIfAborted(signal, "Fetching");
    if (IbidError.isInstance(error)) return error;
    throw error;
  }
}

/** Many sites give `sitemap.xml.gz` as it lies there, not as an encoding of what they send. */
function toText({ bytes, mediaType }: Page, uri: string): string {
  let plain = bytes;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      plain = gunzipSync(bytes, { maxOutputLength: maxSitemapBytes });
    } catch (cause) {
      const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
      throw isTooLarge
        ? new IbidError("too-large", `${uri} unpacks to more than ${maxSitemapBytes.toLocaleString("en")} bytes.`, {
            uri,
            hint: "A sitemap may have 50 MB; ask the site's operator to split it.",
            cause,
          })
        : new IbidError("unreadable", `${uri} cannot be unpacked.`, { uri, hint: "Check it in a browser.", cause });
    }
  }
  const charset = /charset\s*=\s*"?([\w.:-]+)/iu.exec(mediaType ?? "")?.[1];
  try {
    return decodeText(plain, charset).text;
  } catch (cause) {
    throw new IbidError("unreadable", `${uri} is no text.`, { uri, hint: "A sitemap is XML in UTF-8.", cause });
  }
}

/** An address in a list. **Shape** an error for what cannot be fetched, and for what is of another host. */
function toListed(address: string, from: URL, allowed: ReadonlySet<string>): URL | IbidError {
  let url: URL;
  try {
    url = checkUrl(address, from);
  } catch (error) {
    if (IbidError.isInstance(error)) return error;
    throw error;
  }
  if (allowed.has(url.host)) return url;
  return new IbidError("blocked-address", `${url.href} is not on ${from.host}, whose sitemap lists it.`, {
    uri: url.href,
    hint: `Name it outright, or permit the host: hosts: ["${url.host}"].`,
    details: { host: url.host },
  });
}

function beyond(uri: string, limit: "maxPages" | "maxSitemaps" | "maxDepth", max?: number): IbidError {
  const message =
    limit === "maxPages"
      ? `${uri} lists more than ${max?.toLocaleString("en")} pages; the rest was left.`
      : `${uri} was left: ${limit === "maxDepth" ? "indexes are too deep within one another" : "there are too many sitemaps"}.`;
  return new IbidError("too-large", message, { uri, hint: `Raise ${limit}.`, details: { limit } });
}

import type { Reader } from "../../contracts/reader.ts";

const mediaTypes = new Set(["application/rss+xml", "application/atom+xml", "application/rdf+xml"]);

/**
 * Reads feeds, RSS 0.9 to 2.0 and Atom: the canonical text has each entry as a feed program shows it.
 *
 * **Shape** the feed's title is a heading of level 1 and each entry's of level 2, with date, author and link below it. An entry's content is read by the reader of
 * HTML. The whole content counts before a summary. Metadata `language`, `author`, `link` and `modifiedAt` of the feed.
 * **Errors** `unreadable` for a file that is no feed, `too-large` beyond `maxParts` entries, `empty` without a word.
 * **Cost** linear. No entity of a document type is expanded, and nothing is fetched.
 * **Source** RSS 2.0, RSS 1.0 with its Dublin Core and content modules, RFC 4287 (Atom); Embabel's content readers.
 *
 * @experimental
 */
export function createFeedReader(): Reader {
  return {
    name: "feed/2",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) => (await import("./read-feed.ts")).readFeed(input),
  };
}

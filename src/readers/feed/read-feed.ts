import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { type Composition, composeDocument } from "../compose-document.ts";
import { decodeSource } from "../text/decode-source.ts";
import { declaredCharset } from "../text/find-charset.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { canonicalize } from "../../text/canonical-text.ts";

import { type FeedFields, type FeedValue, parseFeed, plainText } from "./parse-feed.ts";

/** Facts longer than this are none. */
const maxFactLength = 1000;

/** Implements {@link createFeedReader}; loaded with its parser when the first feed is read. */
export async function readFeed(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, charset, signal } = input;
  const { maxParts, maxTextLength } = limitsOf(input);
  const feed = parseFeed(decodeSource(bytes, uri, charset ?? declaredCharset(bytes)).toWellFormed(), maxParts);
  if (feed === undefined) {
    throw new IbidError("unreadable", `${uri} is not a feed: it holds neither a channel nor entries.`, {
      hint: "Rename it to .xml to read it as text, or give the address of the feed itself.",
      uri,
    });
  }
  if (feed.entries.length > maxParts) throw overLimit(uri, "maxParts", maxParts);
  const document = composeDocument();
  const title = first(feed.fields, "title") || fileNameOf(uri);
  document.heading(first(feed.fields, "title"), 1);
  await writeContent(document, choose(feed.fields, "description", "subtitle"), "description", 1, input);
  for (const [index, entry] of feed.entries.entries()) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    document.heading(first(entry, "title") || `Entry ${index + 1}`, 2);
    document.write(factLines(entry).join("\n"));
    const content = choose(entry, "content:encoded", "content", "description", "summary");
    await writeContent(document, content, `entry ${index + 1}`, 2, input);
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
  }
  return { ...document.finish(title), title, metadata: factsOf(feed.fields) };
}

async function writeContent(
  document: Composition,
  value: FeedValue | undefined,
  name: string,
  level: number,
  { readPart }: ReadInput,
): Promise<void> {
  if (value === undefined) return;
  if (!value.isMarkup) {
    for (const paragraph of canonicalize(value.text).split(/\n[^\S\n]*\n/u)) document.write(paragraph);
    return;
  }
  if (readPart === undefined) {
    document.write(plainText(value));
    return;
  }
  try {
    const bytes = new TextEncoder().encode(value.text);
    document.include(await readPart({ name: `${name}.html`, bytes, mediaType: "text/html", charset: "utf-8" }), level);
  } catch (error) {
    // An entry that is nothing but a picture has no text.
    if (!IbidError.isInstance(error) || error.code === "aborted" || error.code === "too-large") throw error;
  }
}

function factLines(entry: FeedFields): string[] {
  return [
    ["Date", first(entry, "pubdate", "published", "dc:date", "updated")],
    ["Author", first(entry, "author", "dc:creator")],
    ["Link", first(entry, "link", "guid")],
  ].flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]));
}

function factsOf(fields: FeedFields): Metadata {
  const modified = Date.parse(first(fields, "lastbuilddate", "updated", "pubdate", "dc:date"));
  const facts = {
    language: first(fields, "language", "dc:language"),
    author: first(fields, "author", "dc:creator", "managingeditor"),
    link: first(fields, "link"),
    modifiedAt: Number.isNaN(modified) ? "" : new Date(modified).toISOString(),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== "" && value.length <= maxFactLength));
}

function choose(fields: FeedFields, ...names: readonly string[]): FeedValue | undefined {
  return names.map((name) => fields.get(name)).find((value) => value !== undefined);
}

function first(fields: FeedFields, ...names: readonly string[]): string {
  const value = choose(fields, ...names);
  return value === undefined ? "" : plainText(value);
}

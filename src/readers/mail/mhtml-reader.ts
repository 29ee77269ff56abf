import { IbidError } from "../../contracts/errors.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { unreadable } from "../office/refusals.ts";

/**
 * Reads web pages that a browser saved in one file (MHTML): the page itself, by the reader of HTML.
 *
 * **Shape** as the page by itself, without lines. Metadata `source`, the address that the page was saved from. Pictures and styles are left out.
 * **Errors** `unreadable` for a file without a page; otherwise those of the reader of HTML.
 * **Source** RFC 2557.
 */
export function createMhtmlReader(): Reader {
  return { name: "mhtml/3", accepts: (mediaType) => mediaType === "multipart/related", read: readMhtml };
}

async function readMhtml({ uri, bytes, readPart }: ReadInput): Promise<ReadResult> {
  if (readPart === undefined) {
    throw new IbidError("unsupported-media", `${uri} is a saved web page, and no reader of HTML was given.`, {
      hint: "Read it together with the reader of HTML, as a knowledge base does.",
      uri,
    });
  }
  const { parseMessage } = await import("./parse-message.ts");
  const { html, headers } = (await parseMessage(bytes)).email;
  if (html === undefined || html.trim() === "") throw unreadable(uri, "holds no web page");
  const page = await readPart({
    name: "page.html",
    bytes: new TextEncoder().encode(html),
    mediaType: "text/html",
    charset: "utf-8",
  });
  const source = headers.find(({ key }) => key === "snapshot-content-location" || key === "content-location")?.value;
  const { mediaType: _, sourceMap, ...result } = page;
  return {
    ...result,
    sourceMap: { ...sourceMap, lines: "none" },
    metadata: { ...result.metadata, ...(source !== undefined && { source: source.slice(0, 2000).trim() }) },
  };
}

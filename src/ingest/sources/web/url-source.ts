import { IbidError } from "../../../contracts/errors.ts";
import type {
  AskKept,
  Source,
  SourceItem,
  SourceRefusal,
  SourceUnchanged,
  SaidOfIt,
} from "../../../contracts/reader.ts";
import { throwIfAborted } from "../../../runtime/abort.ts";
import { findCharsetName } from "../../../text/charsets/decode-text.ts";
import { checkOptions } from "../../../runtime/check-options.ts";
import { openPageClient, type PageClient, readUrlLimits, type UrlSourceOptions, urlOptionNames } from "./fetch-page.ts";
import { checkUrl, isUrl, normalizeUrl, withoutCredentials } from "./normalize-url.ts";

export { isUrl, normalizeUrl };

/**
 * Pages and files on the public web as a source, one request at a time.
 *
 * Only http and https, never to an address that is not public (checked by IP, at every redirect), never from https to http.
 *
 * **Shape** uris are the addresses as given, normalised; a redirect does not change them. `mediaType` is the `content-type` header as it came,
 * with its parameters. `changes` sends what the server said last time (`ETag`, `Last-Modified`), and takes its 304 for an answer.
 * **Errors** as refusals: `invalid-argument` for an address that cannot be fetched, `blocked-address`, `fetch-failed` with
 * `details.status`, `too-large`, `timeout`. While iterating: `aborted`. **Cost** memory for one page.
 *
 * @experimental
 */
export function openUrlSource(urls: readonly string[], options: UrlSourceOptions = {}): Source {
  checkOptions("openUrlSource", options, urlOptionNames);
  const limits = readUrlLimits(options);

  async function* walk(kept: AskKept | undefined, signal: AbortSignal | undefined) {
    const client = await openPageClient(limits);
    const seen = new Set<string>();
    try {
      for (const address of urls) {
        const item = await fetchItem(client, address, kept, signal);
        if (seen.has(item.uri)) continue;
        seen.add(item.uri);
        yield item;
      }
    } finally {
      await client.close();
    }
  }

  return {
    folders: [],
    items: (signal) => walk(undefined, signal) as AsyncIterable<SourceItem | SourceRefusal>,
    changes: (kept, signal) => walk(kept, signal),
  };
}

/** One address as an item: fetched, refused, or unchanged where `kept` says how to ask. **Errors** `aborted`, and what `kept` throws. */
export async function fetchItem(
  client: PageClient,
  address: string,
  kept: AskKept | undefined,
  signal: AbortSignal | undefined,
  said?: SaidOfIt,
): Promise<SourceItem | SourceRefusal | SourceUnchanged> {
  throwIfAborted(signal, "Fetching");
  const url = toUrl(address);
  if (url instanceof Error) return { uri: withoutCredentials(address), error: url };
  const uri = url.href;
  const before = await kept?.(uri, said);
  if (before?.wanted === false) return { uri, unchanged: true };
  try {
    const page = await client.fetch(url, { validators: before?.validators }, signal);
    if ("unchanged" in page) return { uri, ...page };
    const { bytes, mediaType, validators, modifiedAt } = page;
    return {
      uri,
      size: bytes.byteLength,
      ...(mediaType === undefined ? {} : { mediaType, ...charsetOf(mediaType) }),
      ...(validators === undefined ? {} : { validators }),
      ...(modifiedAt === undefined ? {} : { metadata: { modifiedAt } }),
      bytes: () => Promise.resolve(bytes),
    };
  } catch (error) {
    throwIfAborted(signal, "Fetching");
    if (IbidError.isInstance(error)) return { uri, error };
    throw error;
  }
}

function toUrl(address: string): URL | IbidError {
  try {
    return checkUrl(address);
  } catch (error) {
    if (IbidError.isInstance(error)) return error;
    throw error;
  }
}

/** The `charset` of a `content-type`, when it names an encoding. **Source** RFC 9110, 8.3.2. */
function charsetOf(contentType: string): Pick<SourceItem, "charset"> {
  const label = /;\s*charset\s*=\s*"?([^\s;"]{1,60})/i.exec(contentType)?.[1];
  return label === undefined || findCharsetName(label) === undefined ? {} : { charset: label };
}

import { IbidError } from "../../../contracts/errors.ts";

/** Whether an input is meant as an address rather than as a path: `scheme://…`, but for `file://`. */
export function isUrl(input: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//iu.test(input) && !/^file:/iu.test(input);
}

/**
 * One spelling per address. Scheme and host are lower-case, the host without a final dot.
 * The default port, `.` and `..`, the fragment and an empty query are removed.
 * Percent-encoding is upper-case, and absent where a plain character says the same.
 *
 * **Errors** `invalid-argument` for what is no http or https address, and for one that carries a user name or password.
 * **Source** RFC 3986, sections 6.2.2 and 6.2.3.
 */
export function normalizeUrl(address: string): string {
  return checkUrl(address).href;
}

/** {@link normalizeUrl} with its parts. */
export function checkUrl(address: string, from?: URL): URL {
  let url: URL;
  try {
    url = new URL(address, from);
  } catch (cause) {
    throw new IbidError("invalid-argument", `"${withoutCredentials(address)}" is not an address that can be read.`, {
      hint: "Write it in full, such as https://example.com/page.",
      cause,
    });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new IbidError(
      "invalid-argument",
      `${withoutCredentials(address)} cannot be fetched: only http and https are.`,
      {
        hint: "Save it to a file and ingest the file.",
      },
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new IbidError("invalid-argument", `The address of ${url.host} carries a user name or password.`, {
      hint: "Leave them out: the address becomes the document's name, for everybody to see.",
    });
  }
  url.hash = "";
  if (url.search === "") url.search = "";
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.replace(/\.+$/u, "");
  url.pathname = normalizeEncoding(url.pathname);
  url.search = normalizeEncoding(url.search);
  return url;
}

/** For messages about addresses that may hold secrets. A password with a sign that ends a host makes an address unreadable: all before the last `@` is left out then. */
export function withoutCredentials(address: string): string {
  const user = URL.canParse(address) ? /\/\/[^/?#@]*@/u : /\/\/.*@/su;
  return address.slice(0, 2000).replace(user, "//…@");
}

function normalizeEncoding(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/giu, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[A-Za-z0-9._~-]/u.test(character) ? character : code.toUpperCase();
  });
}

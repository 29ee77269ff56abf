import { IbidError } from "../../../contracts/errors.ts";

/** The error for a response larger than `maxBytes`. */
export function tooLarge(uri: string, maxBytes: number): IbidError {
  return new IbidError("too-large", `${uri} is larger than the limit of ${maxBytes.toLocaleString("en")} bytes.`, {
    uri,
    hint: "Save it to a file and ingest that, or raise the limit.",
    details: { limit: maxBytes },
  });
}

/** A server that answered, and not with what was asked for. */
export function badStatus(uri: string, status: number): IbidError {
  const hint =
    status === 401 || status === 403
      ? "The page is not open to everybody: save it to a file and ingest that."
      : status === 404 || status === 410
        ? "Check the address."
        : status === 429 || status >= 500
          ? "Try again later."
          : "Check the address in a browser.";
  return new IbidError("fetch-failed", `${uri} answered with status ${status}.`, { uri, hint, details: { status } });
}

/** Errors of the network come wrapped; the innermost says what happened. */
export function toFetchError(error: unknown, uri: string): IbidError {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    if (IbidError.isInstance(cause)) {
      if (cause.uri !== undefined) return cause;
      const message = cause.message.includes(uri) ? cause.message : `${uri}: ${cause.message}`;
      return new IbidError(cause.code, message, {
        uri,
        details: cause.details,
        ...(cause.hint === undefined ? {} : { hint: cause.hint }),
      });
    }
    // Fetch has no code for a port that the web keeps for other protocols.
    const known = cause.message === "bad port" ? "BAD_PORT" : undefined;
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : known;
    const reason = code === undefined ? undefined : reasons[code];
    if (code !== undefined && (reason !== undefined || cause.cause === undefined)) {
      const [happened, hint] = reason ?? [`could not be fetched (${code}).`, "Check the address and the network."];
      // No later attempt finds another port.
      const kind = known === undefined ? "fetch-failed" : "invalid-argument";
      return new IbidError(kind, `${uri} ${happened}`, { uri, hint, details: { code }, cause: error });
    }
  }
  return new IbidError("fetch-failed", `${uri} could not be fetched.`, {
    uri,
    hint: "Check the address and the network; `cause` has the error.",
    cause: error,
  });
}

const reasons: { readonly [code: string]: readonly [what: string, hint: string] } = {
  ENOTFOUND: ["names a host that does not exist.", "Check the spelling of the address."],
  EAI_AGAIN: ["could not be looked up: the name server did not answer.", "Check the network and try again."],
  ECONNREFUSED: ["could not be reached: the host refused the connection.", "Check the address and its port."],
  ECONNRESET: ["could not be read: the host closed the connection.", "Try again later."],
  UND_ERR_SOCKET: ["could not be read: the host closed the connection.", "Try again later."],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ["could not be read: the host closed the connection.", "Try again later."],
  UND_ERR_CONNECT_TIMEOUT: ["could not be reached: the host did not answer.", "Check the address and the network."],
  BAD_PORT: ["has a port that serves no web pages.", "Serve it at another port, or save it to a file and ingest that."],
  CERT_HAS_EXPIRED: ["has a certificate that has expired.", "Inform the site's operator."],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "has a certificate that nobody vouches for.",
    "Save the page to a file and ingest that.",
  ],
};

import type { fetch, Response } from "undici";
import { IbidError } from "../../../contracts/errors.ts";
import type { HttpAnswer, HttpRequest, SendRequest } from "../../../contracts/http.ts";
import { anySignal, throwIfAborted } from "../../../runtime/abort.ts";
import { toFetchError } from "./fetch-errors.ts";
import { defaultUserAgent, discard, readBody } from "./fetch-page.ts";
import { checkUrl } from "./normalize-url.ts";
import type { AllowAddress } from "./public-agent.ts";

/** The addresses that a request may go to. */
export interface SendRequestOptions {
  /** Permits addresses that are not public, by IP. Default: none. */
  readonly allowAddress?: AllowAddress | undefined;
}

const mostRedirects = 5;

/**
 * Requests to public addresses, within limits.
 *
 * **Shape** redirects of a `GET` are followed within the request's origin. Any other is an error: the request may carry a token for that server alone.
 * **Errors** as {@link SendRequest}.
 */
export function createRequestSender({ allowAddress }: SendRequestOptions = {}): SendRequest {
  return async (request, { maxBytes, timeoutMs, signal }) => {
    throwIfAborted(signal, "The request");
    const url = checkUrl(request.url);
    const uri = url.origin;
    const [{ fetch }, { createPublicAgent }] = await Promise.all([import("undici"), import("./public-agent.ts")]);
    const agent = createPublicAgent({ allowAddress, timeoutMs });
    const clock = AbortSignal.timeout(timeoutMs);
    try {
      const response = await follow(fetch, url, request, {
        dispatcher: agent,
        signal: signal === undefined ? clock : anySignal([signal, clock]),
      });
      const bytes = await readBody(response, uri, maxBytes);
      return toAnswer(response, bytes);
    } catch (error) {
      throwIfAborted(signal, "The request");
      if (clock.aborted) {
        throw new IbidError("timeout", `${uri} did not answer within ${timeoutMs / 1000} s.`, {
          uri,
          hint: "Try again later, or allow more time.",
        });
      }
      if (IbidError.isInstance(error, "too-large")) {
        throw new IbidError("too-large", `${uri} answered with more than ${maxBytes.toLocaleString("en")} bytes.`, {
          uri,
          hint: "Ask for less, or raise maxBytes.",
          details: error.details,
        });
      }
      throw toFetchError(error, uri);
    } finally {
      await agent.destroy();
    }
  };
}

async function follow(
  send: typeof fetch,
  first: URL,
  { method, headers, body }: HttpRequest,
  init: Omit<NonNullable<Parameters<typeof fetch>[1]>, "method" | "headers" | "body">,
): Promise<Response> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, {
      ...init,
      method,
      redirect: "manual",
      headers: { "user-agent": defaultUserAgent(), ...headers },
      ...(body !== undefined && { body }),
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await discard(response);
    const next = checkUrl(location, url);
    if ((method === "GET" || method === "HEAD") && next.origin === first.origin && redirects < mostRedirects) {
      url = next;
      continue;
    }
    throw new IbidError("fetch-failed", `${first.origin} redirects, which is not followed here.`, {
      uri: first.origin,
      hint: "Use the address that it leads to.",
      details: { status: response.status },
    });
  }
}

function toAnswer(response: Response, bytes: Uint8Array): HttpAnswer {
  return {
    status: response.status,
    mediaType: response.headers.get("content-type") ?? undefined,
    text: new TextDecoder().decode(bytes),
  };
}

import { IbidError } from "../../contracts/errors.ts";
import type { SendRequest } from "../../contracts/http.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import type { DeliveryFailure, JobWebhook } from "./job.ts";

/** Sends a message to a webhook. **Shape** `undefined` when the receiver took it, else why it did not; never rejects. */
export type DeliverWebhook = (to: JobWebhook, id: string, message: object) => Promise<DeliveryFailure | undefined>;

const timeoutMs = 10_000;
const mostAnswerBytes = 2 ** 16;

/**
 * Signs messages, and sends them by `send`, which knows the addresses that are permitted.
 *
 * **Source** Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` in seconds, and `webhook-signature`, a HMAC-SHA256 over `id.timestamp.body`.
 */
export function createWebhookSender(send: SendRequest): DeliverWebhook {
  return async ({ url, secret }, id, message) => {
    const body = JSON.stringify({ ...message, timestamp: new Date(platformNow()).toISOString() });
    const timestamp = String(Math.floor(platformNow() / 1000));
    try {
      const headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${await sign(secret, `${id}.${timestamp}.${body}`)}`,
      };
      const { status } = await send({ method: "POST", url, headers, body }, { maxBytes: mostAnswerBytes, timeoutMs });
      if (status >= 200 && status < 300) return undefined;
      return notTaken(`answered with status ${status}`);
    } catch (error) {
      return whyNotSent(error);
    }
  };
}

/** The failure of an attempt. The sentences about an address are the service's own: the library's may name what lies behind it. */
function whyNotSent(error: unknown): DeliveryFailure {
  if (IbidError.isInstance(error, "blocked-address"))
    return {
      code: error.code,
      message: "The address of the webhook is not public.",
      hint: "Name a public one, or ask the operator for serve.webhookNetworks.",
    };
  if (IbidError.isInstance(error)) return notTaken("cannot be reached");
  return {
    code: "internal",
    message: "The service could not send the message.",
    hint: "Ask the operator, who sees the cause in this job.",
    cause: String(error),
  };
}

function notTaken(happened: string): DeliveryFailure {
  return {
    code: "fetch-failed",
    message: `The address of the webhook ${happened}.`,
    hint: "It must answer a POST with a status from 200 to 299, within ten seconds and without a redirect.",
  };
}

/** **Shape** Base64. A secret `whsec_…` is the Base64 of its bytes; any other is its text. */
async function sign(secret: string, content: string): Promise<string> {
  const encoder = new TextEncoder();
  const bytes = secret.startsWith("whsec_")
    ? Uint8Array.from(atob(secret.slice("whsec_".length)), (letter) => letter.codePointAt(0)!)
    : encoder.encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(content)));
  return btoa(String.fromCodePoint(...signature));
}

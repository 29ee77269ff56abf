import { IbidError } from "../contracts/errors.ts";

/**
 * An address on the web, checked.
 *
 * **Errors** `invalid-argument`, "Must be a valid URL", for anything but an absolute http or https address. **Source** Ballerina's constraint on `ai:Url`.
 */
export function readAddress(address: unknown, what: string): URL {
  const text = address instanceof URL ? address.href : address;
  const url = typeof text === "string" && URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url !== undefined && (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== "") return url;
  throw new IbidError("invalid-argument", `Must be a valid URL: ${what} is not an http or https address.`, {
    hint: "Give it whole, such as https://example.com/picture.png.",
    details: { argument: what },
  });
}

import { IbidError } from "../../contracts/errors.ts";

/** The collection of calls that name none. **Source** Semantic Kernel. */
export const defaultCollection = "generic";

/**
 * The uri of a memory's document: `memory:generic/key`, with percent-encoded parts, so that no key reaches into another collection.
 *
 * **Errors** `invalid-argument` for a blank collection or key, and for half a surrogate pair, which a uri cannot express.
 */
export function memoryUri(collection: string, key: string): string {
  return `memory:${encodePart("collection", collection)}/${encodePart("key", key)}`;
}

/** **Errors** `invalid-argument` for a value that is not a text, or is blank. */
export function checkSaid(what: string, value: unknown): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new IbidError(
    "invalid-argument",
    `The memory's ${what} is ${value === "" ? "empty" : "blank or not a text"}.`,
    {
      hint: `Give a ${what} that is not blank.`,
    },
  );
}

function encodePart(what: string, value: string): string {
  if (!checkSaid(what, value).isWellFormed()) {
    throw new IbidError("invalid-argument", `The memory's ${what} contains half of a surrogate pair.`, {
      hint: "Cut texts between characters, not within them.",
    });
  }
  // Dots alone would be a step through folders.
  return encodeURIComponent(value).replaceAll(/^\.+$/gu, (dots) => dots.replaceAll(".", "%2E"));
}

import { IbidError } from "../../contracts/errors.ts";

/** The collection of whoever names none. **Source** Semantic Kernel (S20). */
export const defaultCollection = "generic";

/**
 * The uri under which a memory is a document: `memory:generic/key`, its parts percent-encoded, so that no key reaches into another collection.
 *
 * **Errors** `invalid-argument` for a blank collection or key, and for half a surrogate pair, which no uri can say.
 */
export function memoryUri(collection: string, key: string): string {
  return `memory:${encodePart("collection", collection)}/${encodePart("key", key)}`;
}

/** **Errors** `invalid-argument` for a text that is none, or blank (S20). */
export function checkSaid(what: string, value: unknown): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new IbidError("invalid-argument", `The memory's ${what} is ${value === "" ? "empty" : "blank or no text"}.`, {
    hint: `Give it a ${what} that says something.`,
  });
}

function encodePart(what: string, value: string): string {
  if (!checkSaid(what, value).isWellFormed()) {
    throw new IbidError("invalid-argument", `The memory's ${what} holds half a character.`, {
      hint: "Cut texts between characters, not within.",
    });
  }
  // Dots alone would be a step through folders.
  return encodeURIComponent(value).replaceAll(/^\.+$/gu, (dots) => dots.replaceAll(".", "%2E"));
}

import { IbidError } from "../../../contracts/errors.ts";

const mostCharacters = 5_000_000;

/**
 * An OpenAPI document as it is written: JSON or YAML.
 *
 * **Errors** `invalid-argument` for what is neither, `too-large` beyond five million characters. **Cost** the YAML parser is loaded when it is needed.
 */
export async function readOpenApi(text: string): Promise<Readonly<Record<string, unknown>>> {
  if (text.length > mostCharacters) {
    throw new IbidError("too-large", "The OpenAPI document is longer than five million characters.", {
      hint: "Leave out what is not called.",
    });
  }
  const { parse } = await import("yaml");
  let read: unknown;
  try {
    // JSON is YAML but for a few corners; where it is JSON, it is read as that.
    read = /^\s*\{/u.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    throw new IbidError("invalid-argument", "The OpenAPI document is neither JSON nor YAML that can be read.", {
      hint: "Check it with an OpenAPI editor.",
      cause,
    });
  }
  if (read !== null && typeof read === "object" && !Array.isArray(read)) return read as Record<string, unknown>;
  throw new IbidError("invalid-argument", "The OpenAPI document is no object.", {
    hint: "Hand in the text of the document, not its address or path.",
  });
}

import { IbidError } from "../../../contracts/errors.ts";

const mostCharacters = 5_000_000;

/**
 * Parses an OpenAPI document in JSON or YAML.
 *
 * **Errors** `invalid-argument` for a text that is neither; `too-large` above five million characters. **Cost** the YAML parser is loaded on demand.
 */
export async function readOpenApi(text: string): Promise<Readonly<Record<string, unknown>>> {
  if (text.length > mostCharacters) {
    throw new IbidError("too-large", "The OpenAPI document is longer than five million characters.", {
      hint: "Leave out operations that are not called.",
    });
  }
  const { parse } = await import("yaml");
  let read: unknown;
  try {
    // JSON is nearly a subset of YAML; valid JSON is parsed as JSON.
    read = /^\s*\{/u.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    throw new IbidError("invalid-argument", "The OpenAPI document is neither JSON nor YAML that can be read.", {
      hint: "Check it with an OpenAPI editor.",
      cause,
    });
  }
  if (read !== null && typeof read === "object" && !Array.isArray(read)) return read as Record<string, unknown>;
  throw new IbidError("invalid-argument", "The OpenAPI document is not an object.", {
    hint: "Give the text of the document, not its address or path.",
  });
}

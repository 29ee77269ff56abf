import { IbidError } from "../../contracts/errors.ts";
import type { AnyCollection } from "../parts.ts";

const verbs = [
  "ensure",
  "drop",
  "get",
  "upsert",
  "delete",
  "search",
  "vectorSearch",
  "hybridSearch",
  "textSearch",
  "regexSearch",
  "rebuild",
] as const;

/**
 * The collection, whose failures of a store say which collection was asked, beside store and operation.
 *
 * **Source** Semantic Kernel's `VectorStoreException`.
 */
export function nameFailures(collection: AnyCollection): AnyCollection {
  const { name } = collection;
  const named = verbs.map((verb) => {
    const work = collection[verb] as (...given: readonly unknown[]) => Promise<unknown>;
    const call = async (...given: readonly unknown[]): Promise<unknown> => {
      try {
        return await work(...given);
      } catch (error) {
        if (!IbidError.isInstance(error, "store-failed")) throw error;
        const { code, message, hint, uri, details, cause } = error;
        const about = { hint, uri, cause, details: { ...details, collection: name } };
        throw new IbidError(code, message.startsWith(`${name}:`) ? message : `${name}: ${message}`, about);
      }
    };
    return [verb, call];
  });
  return { ...collection, ...(Object.fromEntries(named) as Partial<AnyCollection>) };
}

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

/** Codes of errors that name their collection. */
const named: ReadonlySet<string> = new Set(["store-failed", "dimension-mismatch"]);

/**
 * The collection, whose failures of a store and wrong vectors say which collection was asked, beside store and operation.
 *
 * **Source** Semantic Kernel's `VectorStoreException`.
 */
export function nameFailures(collection: AnyCollection, store: string): AnyCollection {
  const { name } = collection;
  const renamed = verbs.map((verb) => {
    const work = collection[verb] as (...given: readonly unknown[]) => Promise<unknown>;
    const call = async (...given: readonly unknown[]): Promise<unknown> => {
      try {
        return await work(...given);
      } catch (error) {
        if (!IbidError.isInstance(error) || !named.has(error.code)) throw error;
        const { code, message, hint, uri, details, cause } = error;
        // A failure of the store names it and its own operation already.
        const about = { hint, uri, cause, details: { store, operation: verb, ...details, collection: name } };
        throw new IbidError(code, message.startsWith(`${name}:`) ? message : `${name}: ${message}`, about);
      }
    };
    return [verb, call];
  });
  return { ...collection, ...(Object.fromEntries(renamed) as Partial<AnyCollection>) };
}

import { operator } from "../access/gate.ts";
import { IbidError } from "../contracts/errors.ts";
import { nameOfCollection, collectionsPrefix } from "./records/collection-uri.ts";
import { type AnyDefinition, planCollection } from "./records/check-definition.ts";
import type { Collections, CollectionSummary } from "../contracts/collection.ts";
import type { CollectionParts } from "./parts.ts";
import { createRecordCollection } from "./record-collection.ts";
import { nameFailures } from "./records/name-failures.ts";

/** The verbs about collections, behind the same gate as every other. */
export function createCollections(parts: CollectionParts): Collections {
  return {
    // The types of a definition were checked where it was written; from here on fields are names.
    collection: ((name: string, definition: AnyDefinition) =>
      nameFailures(
        createRecordCollection(parts, planCollection(name, definition)),
        parts.store.name,
      )) as unknown as Collections["collection"],
    async collections() {
      const found: CollectionSummary[] = [];
      for await (const { uri, scope } of parts.store.documents(await parts.readable(), { under: collectionsPrefix }))
        found.push({ name: nameOfCollection(uri), scope });
      return found;
    },
    async copyRecords(options) {
      const { engine: from, store, gate, caller } = parts;
      if (caller !== operator) {
        throw new IbidError("access-denied", "Only the operator may copy records to another engine.", {
          hint: "Call copyRecords() of the knowledge base itself.",
        });
      }
      if (from === undefined) {
        throw new IbidError("configuration-missing", "The knowledge base has no engine to copy records from.", {
          hint: "Open it with the engine that keeps them.",
        });
      }
      return (await import("./engine-records/copy-records.ts")).copyRecords({ store, gate, from }, options);
    },
  };
}

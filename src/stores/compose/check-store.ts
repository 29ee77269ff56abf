import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeStore } from "../../contracts/knowledge-store.ts";
import { isStore } from "../guard/guard-store.ts";

/** Methods that every store has; a value that lacks one is refused by its name. */
const storeMethods = [
  "replace",
  "delete",
  "touch",
  "held",
  "find",
  "document",
  "documents",
  "chunks",
  "scopes",
  "status",
  "close",
] as const satisfies readonly (keyof KnowledgeStore)[];

/**
 * Returns the value when it is a guarded store.
 *
 * **Errors** `invalid-argument` for anything else; the message names the first missing method, where one is missing.
 */
export function checkStore(value: unknown): KnowledgeStore {
  if (isStore(value)) return value;
  const has = (name: string): boolean =>
    typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
  if (["add", "query", "delete"].every(has)) {
    throw new IbidError("invalid-argument", "store is a vector store with add, query and delete, and no Store.", {
      hint: "Put it under a knowledge base with fromVectorStore of ibid/stores.",
    });
  }
  const missing = storeMethods.find((name) => !has(name));
  throw new IbidError(
    "invalid-argument",
    missing === undefined ? "store was not made by composeStore." : `store has no method "${missing}".`,
    {
      hint: "Give a store that createMemoryStore, openSqliteStore, openSnapshotStore or composeStore made, not a copy of one.",
    },
  );
}

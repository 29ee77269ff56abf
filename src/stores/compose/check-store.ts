import { IbidError } from "../../contracts/errors.ts";
import type {
  Checked,
  DocumentStore,
  History,
  Store,
  StoreParts,
  Trash,
  Upkeep,
  VersionSwitch,
} from "../../contracts/store.ts";
import { showValue } from "../../runtime/plan-options.ts";

/** Every composed store; looked up, never trusted by shape. Only `composeStore` adds to it. */
export const stores = new WeakSet<object>();

const documentMethods = [
  "replace",
  "delete",
  "touch",
  "held",
  "find",
  "document",
  "documents",
  "chunks",
  "chunkCounts",
  "scopes",
  "status",
  "moment",
  "close",
] as const satisfies readonly (keyof Store & keyof DocumentStore)[];

const capabilityMethods = {
  versions: ["versions", "lacking", "addVectors", "changeVersion"] satisfies (keyof VersionSwitch)[],
  trash: ["deleted", "restore", "vacuum"] satisfies (keyof Trash)[],
  upkeep: ["settle", "scrub", "examine"] satisfies (keyof Upkeep)[],
  history: ["keep", "at", "versions", "version"] satisfies (keyof History<Checked, StoreParts>)[],
} as const;

/** **Errors** `invalid-argument` for an incomplete part, by the name of the missing method. */
export function checkParts(parts: StoreParts): void {
  checkPart("documents", parts.documents, [...documentMethods, "readChunks"]);
  if (!Array.isArray(parts.legs)) {
    throw new IbidError("invalid-argument", "legs is no array.", { hint: "Give a list of legs; [] for none." });
  }
  const names = new Set<string>();
  for (const [i, leg] of parts.legs.entries()) {
    checkPart(`legs[${i}]`, leg, ["accepts", "search"]);
    if (typeof leg.name !== "string" || leg.name === "" || names.has(leg.name) || leg.capabilities === undefined) {
      throw new IbidError("invalid-argument", `legs[${i}] has the name ${JSON.stringify(leg.name)}.`, {
        hint: "Each leg has a name of its own, and capabilities.",
      });
    }
    names.add(leg.name);
  }
  for (const [name, methods] of Object.entries(capabilityMethods)) {
    const part = parts[name as keyof typeof capabilityMethods];
    if (part !== undefined) checkPart(name, part, methods);
  }
}

function checkPart(name: string, part: unknown, methods: readonly string[]): void {
  const missing = methods.find((method) => !has(part, method));
  if (missing === undefined) return;
  throw new IbidError("invalid-argument", `${name} has no method "${missing}".`, {
    hint: name in capabilityMethods ? `Add it, or leave out ${name}: a capability is whole or absent.` : "Add it.",
  });
}

function has(value: unknown, method: string): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function";
}

/**
 * Returns the value when it is a composed store.
 *
 * **Errors** `invalid-argument` for anything else; the message names the first missing method, where one is missing.
 */
export function checkStore(value: unknown): Store {
  if (typeof value === "object" && value !== null && stores.has(value)) return value as Store;
  if (["add", "query", "delete"].every((name) => has(value, name))) {
    throw new IbidError("invalid-argument", "store is a vector store with add, query and delete, and no Store.", {
      hint: "Put it under a knowledge base with fromVectorStore of ibid/stores.",
    });
  }
  const named = typeof value === "string" ? value : (value as { readonly name?: unknown } | null | undefined)?.name;
  // A copy of a store has a name, too.
  if (typeof named === "string" && !documentMethods.some((name) => has(value, name))) {
    throw new IbidError("invalid-argument", `store is ${showValue(named)}, a name and no Store.`, {
      hint: 'Name an engine of ibid with its options, such as { name: "qdrant", url }. Give a folder or a database as the location.',
    });
  }
  const missing = documentMethods.find((name) => !has(value, name));
  throw new IbidError(
    "invalid-argument",
    missing === undefined ? "store was not made by composeStore." : `store has no method "${missing}".`,
    {
      hint: "Give a store that createMemoryStore, openSqliteStore, openSnapshotStore or composeStore made, not a copy of one.",
    },
  );
}

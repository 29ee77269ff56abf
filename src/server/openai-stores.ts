import { z } from "zod";
import type { Filter } from "../contracts/filter.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Scope } from "../contracts/scope.ts";
import type { MadeStore, OpenAiShelf } from "./openai-shelf.ts";
import { Refusal } from "./refusal.ts";
import { scopeSchema } from "./request-schemas.ts";

/** Key of the metadata by which a search finds the documents of a vector store: filters know metadata, not uris. */
export const storeKey = "vectorStore";

/** A vector store: a scope, or the documents of one below an id. */
export interface VectorStore {
  readonly id: string;
  readonly scope: Scope;
  /** Prefix of the uris of its documents; empty for a whole scope. */
  readonly under: string;
  /** Absent for a whole scope. */
  readonly made?: MadeStore;
}

/** Finds a vector store that the caller may read. **Errors** 404. */
export async function findStore(
  kb: KnowledgeBase,
  shelf: OpenAiShelf | undefined,
  wanted: string,
): Promise<VectorStore> {
  const made = await shelf?.store(kb, wanted);
  if (made !== undefined) return { id: made.id, scope: made.scope, under: `${made.id}/`, made };
  const read = scopeSchema.safeParse(wanted);
  const isThere =
    read.success && ((await kb.status()).scopes.some(({ scope }) => scope === read.data) || kb.mayWrite(read.data));
  if (read.success && isThere) return { id: read.data, scope: read.data, under: "" };
  throw new Refusal(404, "not-found", `The vector store ${JSON.stringify(wanted.slice(0, 100))} is not here.`, {
    hint: "See GET /v1/vector_stores. A scope that the key may read is one by its name, such as deployment or team:acme.",
  });
}

/** The documents of vector stores, as scopes and a filter of a search. **Errors** 400 for a store beside another whole scope: no filter knows scopes. */
export function searchWithin(
  stores: readonly VectorStore[],
  attributes: Filter | undefined,
): { readonly scopes: readonly Scope[]; readonly filter?: Filter } {
  const scopes = [...new Set(stores.map(({ scope }) => scope))];
  const whole = new Set(stores.filter(({ under }) => under === "").map(({ scope }) => scope));
  // A whole scope has everything that a store of it has.
  const parts = stores.filter(({ scope }) => !whole.has(scope));
  if (parts.length > 0 && whole.size > 0)
    throw new Refusal(400, "invalid-argument", `${parts[0]!.id} stands beside the scope ${[...whole][0]!}.`, {
      hint: "Search in scopes or in vector stores that were created, not in both at once.",
    });
  const filters: Filter[] = attributes === undefined ? [] : [attributes];
  if (parts.length > 0) filters.push({ op: "in", key: storeKey, values: parts.map(({ id }) => id) });
  return { scopes, ...(filters.length > 0 && { filter: { op: "and", filters } }) };
}

/** The attributes of a document in OpenAI's shape: its metadata, as far as that shape has them. */
export function attributesOf(metadata: Metadata): Readonly<Record<string, string | number | boolean>> {
  const entries = Object.entries(metadata).filter(
    (entry): entry is [string, string | number | boolean] =>
      ["string", "number", "boolean"].includes(typeof entry[1]) && entry[0] !== storeKey,
  );
  return Object.fromEntries(entries);
}

const value = z.union([z.string().max(512), z.number(), z.boolean()]);

/** Metadata of a document, as OpenAI calls them. */
export const storeAttributes = z
  .record(z.string().min(1).max(64), value)
  .refine((given) => Object.keys(given).length <= 16, { error: "must have at most 16 entries" });

type AttributeFilter =
  | {
      readonly type: "eq" | "ne" | "gt" | "gte" | "lt" | "lte";
      readonly key: string;
      readonly value: string | number | boolean;
    }
  | { readonly type: "in" | "nin"; readonly key: string; readonly value: readonly (string | number)[] }
  | { readonly type: "and" | "or"; readonly filters: readonly AttributeFilter[] };

const key = z.string().min(1).max(64);

/** A filter in OpenAI's shape. **Source** OpenAI's API reference: comparison and compound filters. */
export const storeFilter: z.ZodType<AttributeFilter> = z
  .lazy(() =>
    z.union([
      z.strictObject({ type: z.enum(["eq", "ne"]), key, value }),
      z.strictObject({ type: z.enum(["gt", "gte", "lt", "lte"]), key, value: z.union([z.string(), z.number()]) }),
      z.strictObject({
        type: z.enum(["in", "nin"]),
        key,
        value: z
          .array(z.union([z.string(), z.number()]))
          .min(1)
          .max(100),
      }),
      z.strictObject({ type: z.enum(["and", "or"]), filters: z.array(storeFilter).min(1).max(20) }),
    ]),
  )
  .meta({ id: "OpenAIFilter" });

/** The same filter in ibid's language. */
export function toFilter(given: AttributeFilter): Filter {
  switch (given.type) {
    case "and":
    case "or":
      return { op: given.type, filters: given.filters.map(toFilter) };
    case "in":
    case "nin":
      return { op: given.type, key: given.key, values: given.value };
    case "eq":
    case "ne":
      return { op: given.type, key: given.key, value: given.value };
    default:
      return { op: given.type, key: given.key, value: given.value as string | number };
  }
}

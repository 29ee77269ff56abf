import * as z from "zod";
import type { FilterInput } from "../contracts/filter.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Scope } from "../contracts/scope.ts";

/*
 * Schemas of the requests: the options of the library under the same names, with bounds for strangers. Unknown fields are refused.
 */

/** Each hit carries its text, so their number is bounded. */
const mostHits = 100;
const mostEvidence = 50;

/** An object that is passed on unchanged. A copy would lose the key `__proto__`, and a filter without it finds more. */
const plainObject = <Value>(description: string) =>
  z
    .custom<Value>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
      error: "must be an object",
    })
    .meta({ type: "object", additionalProperties: true, description });

export const scopeSchema = z
  .custom<Scope>(
    (value) => typeof value === "string" && /^(?:platform|deployment|(?:team|user):.*\S.*)$/su.test(value),
    {
      error: "must be platform, deployment, team:<id> or user:<id>",
    },
  )
  .meta({ type: "string", description: "platform, deployment, team:<id> or user:<id>" });

const notBlank = z.string().regex(/\S/u, "must not be blank").meta({ description: "Any text that is not blank." });

const retrieval = {
  filter: plainObject<FilterInput>(
    'Only where the metadata match: {"department": "HR", "year": {"gte": 2024}}.',
  ).optional(),
  minScore: z.number().optional(),
  minFusedScore: z.number().optional(),
  pattern: z.string().min(1).optional(),
  ignoreCase: z.boolean().optional(),
  origins: z.array(z.enum(["user-content", "narrative", "note", "synthetic"])).optional(),
  fusion: z.enum(["absolute", "weighted", "rrf"]).optional(),
  rerank: z.boolean().optional(),
  snippetLength: z.int().min(0).max(2000).optional(),
  explain: z.boolean().optional(),
  scopes: z.array(scopeSchema).max(100).optional(),
  strategy: z.enum(["active-team", "active-team-plus-user", "active-team-plus-platform", "all"]).optional(),
};

/** The body of `POST /rag/query`. */
export const queryBody = z.strictObject({ query: notBlank });

export const searchBody = z.strictObject({
  query: notBlank,
  topK: z.int().min(1).max(mostHits).optional(),
  mode: z.enum(["hybrid", "dense", "lexical", "regex"]).optional(),
  syntax: z.enum(["literal", "lucene"]).optional(),
  ...retrieval,
});

export const askBody = z.strictObject({
  question: notBlank,
  topK: z.int().min(1).max(mostEvidence).optional(),
  mode: z.enum(["hybrid", "dense", "lexical"]).optional(),
  syntax: z.enum(["literal", "lucene"]).optional(),
  grounding: z.enum(["permissive", "preferred", "strict"]).optional(),
  history: z
    .array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.string() }))
    .max(200)
    .optional()
    .meta({ description: "The messages before, oldest first." }),
  ...retrieval,
});

/** The body that `useChat` of the AI SDK posts. `readUIMessages` reads the text of its messages. */
export const chatBody = z.strictObject({
  messages: z.array(z.unknown()).min(1),
  id: z.string().optional(),
  messageId: z.string().optional(),
  trigger: z.string().optional(),
});

/** Numbers in an address arrive as text. */
const position = z.coerce.number().int().min(0);
const uri = notBlank.max(4096);

export const listQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().min(1).max(10_000).optional().meta({ description: "The `next` of the page before." }),
});

export const documentQuery = z.strictObject({ uri, scope: scopeSchema.optional() });

export const documentTextQuery = documentQuery.extend({ start: position.optional(), end: position.optional() });

export const deleteQuery = documentQuery.extend({
  purge: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "Erase it from every file; no restore is possible." }),
});

export const uploadQuery = documentQuery.extend({
  title: z.string().min(1).max(1000).optional(),
  charset: z.string().min(1).max(40).optional(),
});

export const textBody = z.strictObject({
  uri,
  text: z.string(),
  mediaType: z.string().min(1).max(200).optional(),
  title: z.string().min(1).max(1000).optional(),
  metadata: plainObject<Metadata>("Facts about the document: open keys, JSON values.").optional(),
  scope: scopeSchema.optional(),
});

import { z } from "zod";
import type { AskOptions } from "../contracts/answer.ts";
import type { IngestOptions, ListOptions } from "../contracts/knowledge-base.ts";
import type { SearchOptions } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";

import type { VerifyOptions } from "../contracts/verification.ts";
import { askOptions } from "../knowledge-base/asking/ask-options.ts";
import { verifyOptions } from "../knowledge-base/asking/verify-options.ts";
import { ingestOptions } from "../ingest/ingest-options.ts";
import { plainDoc, readOptionText, toJsonSchema } from "../runtime/describe-options.ts";
import {
  acceptsOption,
  describeOption,
  type OptionRule,
  type OptionTable,
  showValue,
} from "../runtime/plan-options.ts";
import { listOptions } from "../search/list-options.ts";
import { aScope, searchOptions } from "../search/search-options.ts";

/*
 * Schemas of the requests: the options of the library under the same names, with bounds for strangers. Unknown fields are refused.
 */

export const scopeSchema = z
  .custom<Scope>((value) => typeof value === "string" && aScope.pattern.test(value), {
    error: `must be ${aScope.expects}`,
  })
  .meta({ id: "Scope", type: "string", description: aScope.expects });

export const notBlank = z
  .string()
  .regex(/\S/u, "must not be blank")
  .meta({ description: "Any text that is not blank." });

/** The options of a table that HTTP takes, each checked as the table says. */
type HttpFields<Options, Table extends OptionTable> = {
  [Name in keyof Options & keyof Table as "http" extends Table[Name]["for"][number] ? Name : never]-?: z.ZodOptional<
    z.ZodType<Exclude<Options[Name], undefined>>
  >;
};

/** Checks hand values on unchanged: a copy of a filter would lose the key `__proto__`. */
function fieldsOf<Options, const Table extends OptionTable = OptionTable>(table: Table): HttpFields<Options, Table> {
  const fields = Object.entries(table)
    .filter(([, rule]) => rule.for.includes("http"))
    .map(([name, rule]) => [name, fieldOf(rule)]);
  return Object.fromEntries(fields) as HttpFields<Options, Table>;
}

function fieldOf(rule: OptionRule): z.ZodOptional {
  return z
    .custom((value) => acceptsOption(rule, "http", value), {
      error: ({ input }) => `is ${showValue(input)}; it must be ${describeOption(rule, "http")}`,
    })
    .meta(toJsonSchema(rule, "http"))
    .optional();
}

/** The same options as parameters of an address, each written as on the command line. */
function parametersOf<Options, const Table extends OptionTable = OptionTable>(
  table: Table,
): HttpFields<Options, Table> {
  const fields = Object.entries(table)
    .filter(([, rule]) => rule.for.includes("http"))
    .map(([name, rule]) => [name, z.preprocess((text) => readParameter(rule, text), fieldOf(rule)).optional()]);
  return Object.fromEntries(fields) as HttpFields<Options, Table>;
}

const readParameter = (rule: OptionRule, text: unknown): unknown =>
  typeof text === "string" ? readOptionText(rule, text) : text;

/** The body of `POST /rag/query`. */
export const queryBody = z
  .strictObject({ query: z.string() })
  .meta({ id: "Query", examples: [{ query: "How long is a key valid?" }] });

export const searchBody = z
  .strictObject({
    query: notBlank,
    ...fieldsOf<SearchOptions, typeof searchOptions>(searchOptions),
  })
  .meta({ id: "SearchRequest", examples: [{ query: "rotate a key", topK: 3, filter: { year: { gte: 2024 } } }] });

export const askBody = z
  .strictObject({
    // A text that asks nothing gets a reply that says so.
    question: z.string(),
    ...fieldsOf<AskOptions, typeof askOptions>(askOptions),
    // Messages of other roles come from the application alone.
    history: z
      .array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.string() }))
      .max(askOptions.history.bounds.http.max)
      .optional()
      .meta({ description: plainDoc(askOptions.history) }),
  })
  .meta({ id: "AskRequest", examples: [{ question: "How long is a key valid?", grounding: "strict" }] });

export const verifyBody = z
  .strictObject({
    answer: z
      .union([notBlank, z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .meta({ description: "A text in Markdown, or the response of an API with its citations." }),
    ...fieldsOf<VerifyOptions, typeof verifyOptions>(verifyOptions),
  })
  .meta({
    id: "VerifyRequest",
    examples: [{ answer: 'A key is valid for ninety days [1].\n\n[1]: docs/keys.md "valid for ninety days"' }],
  });

const { history: _history, ...chatOptions } = askOptions;

/**
 * The body that `useChat` of the AI SDK posts, with the options of `POST /ask` that its `body` gives. The messages are the history. `readUIMessages` reads their text.
 */
export const chatBody = z
  .strictObject({
    messages: z.array(z.unknown()).min(1),
    id: z.string().max(200).optional().meta({ description: "The chat, by which its stream is found again." }),
    messageId: z.string().optional(),
    trigger: z.string().optional(),
    ...fieldsOf<AskOptions, typeof chatOptions>(chatOptions),
  })
  .meta({
    id: "ChatRequest",
    examples: [{ messages: [{ role: "user", parts: [{ type: "text", text: "How long is a key valid?" }] }] }],
  });

/** Numbers in an address arrive as text. */
const position = z.coerce.number().int().min(0);
export const uri = notBlank.max(4096);

export const listQuery = z.strictObject({
  ...parametersOf<ListOptions, typeof listOptions>(listOptions),
  total: z.enum(["true", "false"]).optional().meta({
    description: "Whether to count all documents of the list.",
  }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().min(1).max(10_000).optional().meta({ description: "The `next` of the page before." }),
});

export const foldersQuery = z.strictObject({
  under: z.string().max(4096).optional().meta({ description: "Folder below which kinds are counted." }),
});

export const documentQuery = z.strictObject({ uri, scope: scopeSchema.optional() });

export const chunksQuery = documentQuery.extend({
  after: position.optional().meta({ description: "The `next` of the page before." }),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

export const documentTextQuery = documentQuery.extend({
  start: position.optional(),
  end: position.optional(),
  ...parametersOf<Pick<ListOptions, "asOf">>({
    asOf: { ...listOptions.asOf, doc: "The text of this time, such as `2026-11-23`, by today's rights." },
  }),
});

export const viewQuery = documentTextQuery.extend({
  around: z.coerce.number().int().min(0).max(100_000).optional().meta({
    description:
      "Characters before `start` and behind `end` that are shown too; `place` is that of the stretch itself.",
  }),
});

export const geometryQuery = documentTextQuery.omit({ asOf: true });

export const restoreBody = documentQuery
  .extend(
    fieldsOf<Pick<ListOptions, "asOf">>({
      asOf: { ...listOptions.asOf, doc: "Time whose version is written again, such as `2026-11-23`." },
    }),
  )
  .meta({ id: "Restore" });

export const deleteQuery = documentQuery.extend({
  purge: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "Erase it from every file; no restore is possible." }),
});

export const uploadQuery = z.strictObject({
  uri,
  title: z.string().min(1).max(1000).optional(),
  ...parametersOf<IngestOptions, typeof ingestOptions>(ingestOptions),
});

export const textBody = z
  .strictObject({
    uri,
    text: z.string(),
    mediaType: z.string().min(1).max(200).optional(),
    title: z.string().min(1).max(1000).optional(),
    ...fieldsOf<IngestOptions, typeof ingestOptions>(ingestOptions),
  })
  .meta({
    id: "NewText",
    examples: [{ uri: "notes/keys.md", text: "# Keys\n\nA key is valid for ninety days.", mediaType: "text/markdown" }],
  });

/** Options of an ingestion, in JSON and as texts. */
export const jobFacts = fieldsOf<IngestOptions, typeof ingestOptions>(ingestOptions);
export const jobText = parametersOf<IngestOptions, typeof ingestOptions>(ingestOptions);

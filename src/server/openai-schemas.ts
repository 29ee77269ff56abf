import { z } from "zod";
import { storeFilter } from "./openai-stores.ts";
import { scopeSchema } from "./request-schemas.ts";

/** The one model of the service: the knowledge base with its own answers. */
export const modelName = "ibid";
export const model = { id: modelName, object: "model", created: 0, owned_by: "ibid" };

const textPart = z.looseObject({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() });
const content = z.union([z.string(), z.array(textPart)]);
export const message = z.looseObject({ role: z.enum(["user", "assistant", "system", "developer"]), content });
/** Settings of ibid in a request of OpenAI's shape. */
export const settings = z
  .strictObject({
    topK: z.int().min(1).max(100).optional(),
    filter: z.looseObject({}).optional(),
    scopes: z.array(scopeSchema).max(100).optional(),
    grounding: z.enum(["permissive", "preferred", "strict"]).optional(),
  })
  .meta({ description: "Settings of ibid." });

/** Fields that change nothing here: ibid's answers do not follow them. Others are refused by name. */
const idle = {
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  user: z.string().optional(),
  metadata: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  service_tier: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
};

/** Fields that clients send with the value that says what happens here anyway. Other values are refused. */
const plainText = z.strictObject({ type: z.literal("text") });
const none = z.array(z.never()).max(0).nullish();

export const completionBody = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1).max(200),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  n: z.literal(1).nullish(),
  ibid: settings.optional(),
  ...idle,
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  seed: z.int().nullish(),
  max_tokens: z.int().nullish(),
  max_completion_tokens: z.int().nullish(),
  reasoning_effort: z.string().nullish(),
  verbosity: z.string().nullish(),
  response_format: plainText.nullish(),
  tools: none,
  tool_choice: z.enum(["none", "auto"]).nullish(),
  stop: none,
  logprobs: z.literal(false).nullish(),
  modalities: z.tuple([z.literal("text")]).nullish(),
});

const fileSearch = z.strictObject({
  type: z.literal("file_search"),
  vector_store_ids: z.array(z.string()).max(100).optional(),
  max_num_results: z.int().min(1).max(50).optional(),
  filters: storeFilter.nullish(),
});
export const responseBody = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(message).min(1).max(200)]),
  instructions: z.string().nullish(),
  tools: z.array(fileSearch).max(1).nullish(),
  tool_choice: z.union([z.enum(["auto", "required"]), z.strictObject({ type: z.literal("file_search") })]).nullish(),
  text: z.strictObject({ format: plainText.nullish(), verbosity: z.string().nullish() }).nullish(),
  include: z.array(z.literal("file_search_call.results")).nullish(),
  stream: z.boolean().nullish(),
  ibid: settings.optional(),
  ...idle,
  max_output_tokens: z.int().nullish(),
  max_tool_calls: z.int().nullish(),
  reasoning: z.looseObject({}).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  background: z.literal(false).nullish(),
  previous_response_id: z.null().optional(),
  conversation: z.null().optional(),
});

/** Responses in OpenAI's shapes: the fields that clients read. */
export const completion = z
  .looseObject({
    id: z.string(),
    object: z.literal("chat.completion"),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        message: z.looseObject({
          role: z.literal("assistant"),
          content: z.string(),
          annotations: z.array(z.looseObject({})),
        }),
        finish_reason: z.string(),
      }),
    ),
    usage: z.looseObject({ total_tokens: z.int() }),
  })
  .meta({ id: "OpenAICompletion" });
export const completionChunk = z
  .looseObject({ id: z.string(), object: z.literal("chat.completion.chunk"), choices: z.array(z.looseObject({})) })
  .meta({ id: "OpenAICompletionChunk" });
export const response = z
  .looseObject({
    id: z.string(),
    object: z.literal("response"),
    status: z.string(),
    output: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: "OpenAIResponse" });
const responseEvent = z.looseObject({ type: z.string(), sequence_number: z.int() }).meta({ id: "OpenAIResponseEvent" });
/** Names of the events of a response, each with the same schema. */
const responseEventNames = [
  "created",
  "in_progress",
  "output_item.added",
  "output_item.done",
  "file_search_call.completed",
  "content_part.added",
  "content_part.done",
  "output_text.delta",
  "output_text.annotation.added",
  "output_text.done",
  "completed",
  "incomplete",
  "failed",
] as const;
export const responseEventSchemas = Object.fromEntries(
  responseEventNames.map((name) => [`response.${name}`, responseEvent]),
);

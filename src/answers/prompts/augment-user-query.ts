import { checkGiven } from "../../runtime/check-options.ts";
import type { ChatUserMessage } from "../../contracts/chat.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { Document } from "../../contracts/document.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { hitAsChunk } from "./hit-as-chunk.ts";
import { prompt } from "./prompt.ts";

/**
 * A question with what was found for it, as one message.
 *
 * The template is Ballerina's, word for word, and fences nothing: for text that others may have written, {@link createGroundedMessages} is the safe one.
 *
 * **Shape** a structured prompt: the context is one insertion, the query another. Hits become the chunks that they show; no context is an empty text.
 * **Source** Ballerina `augmentUserQuery`.
 *
 * @experimental
 */
export function augmentUserQuery(context: readonly (Hit | Chunk | Document)[], query: string): ChatUserMessage {
  checkGiven("augmentUserQuery", "context", context, "list");
  for (const [at, item] of context.entries()) checkGiven("augmentUserQuery", `context[${at}]`, item, "object");
  const contents = context.map((item): Chunk | Document => ("chunkId" in item ? hitAsChunk(item) : item));
  return {
    role: "user",
    content: prompt`Answer the question based on the following provided context:
<CONTEXT>${contents.length === 0 ? "" : contents}</CONTEXT>

Question: ${query}`,
  };
}

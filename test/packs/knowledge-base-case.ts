import type { ChatModel } from "../../src/contracts/chat.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { AccessPolicy } from "../../src/contracts/scope.ts";
import type { Tracer } from "../../src/contracts/tracer.ts";

/** Options that a case may set on a fresh knowledge base. The subject chooses all others. */
export interface KnowledgeBaseParts {
  readonly models?: { readonly chat?: ChatModel; readonly embedding?: EmbeddingModel };
  readonly operations?: { readonly tracer?: Tracer };
  readonly access?: AccessPolicy;
}

/** A case of a knowledge base, opened with what the case asks for. */
export type KnowledgeBaseCase = readonly [
  name: string,
  items: string,
  run: (open: (parts?: KnowledgeBaseParts) => Promise<KnowledgeBase>) => Promise<void>,
];

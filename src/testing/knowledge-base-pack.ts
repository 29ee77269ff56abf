import type { ChatModel } from "../contracts/chat.ts";
import type { EmbeddingModel } from "../contracts/embedding.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AccessPolicy } from "../contracts/scope.ts";
import type { Tracer } from "../contracts/tracer.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { answeringCases } from "./knowledge-base-answering-cases.ts";
import { inputCases } from "./knowledge-base-input-cases.ts";
import { ingestingCases } from "./knowledge-base-ingesting-cases.ts";
import { sharingCases } from "./knowledge-base-sharing-cases.ts";

/** What a case may ask of a fresh knowledge base; everything else is the subject's own choice. */
export interface KnowledgeBaseParts {
  readonly model?: ChatModel;
  readonly embeddingModel?: EmbeddingModel;
  readonly tracer?: Tracer;
  readonly access?: AccessPolicy;
}

export interface KnowledgeBaseSubject {
  /** A fresh, empty knowledge base that reads `text/plain`. */
  open(parts: KnowledgeBaseParts): Promise<KnowledgeBase>;
}

/** A case of a knowledge base, opened with what the case asks for. */
export type KnowledgeBaseCase = readonly [
  name: string,
  items: string,
  run: (open: (parts?: KnowledgeBaseParts) => Promise<KnowledgeBase>) => Promise<void>,
];

/** What every {@link KnowledgeBase} promises: idempotent ingestion, whole and cited hits, verified citations, one gate. */
export function createKnowledgeBasePack(subject: KnowledgeBaseSubject): readonly ContractCase[] {
  const cases = [...ingestingCases, ...inputCases, ...answeringCases, ...sharingCases].map(
    ([name, items, run]): CaseDefinition => [
      name,
      items,
      async () => {
        const opened: KnowledgeBase[] = [];
        try {
          await run(async (parts = {}) => {
            const kb = await subject.open(parts);
            opened.push(kb);
            return kb;
          });
        } finally {
          for (const kb of opened) await kb.close();
        }
      },
    ],
  );
  return defineCases("knowledge-base", cases);
}

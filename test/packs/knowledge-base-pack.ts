import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { CaseDefinition, ContractCase } from "../../src/testing/contract-case.ts";
import { answeringCases } from "./knowledge-base-answering-cases.ts";
import { excerptCases } from "./knowledge-base-excerpt-cases.ts";
import { inputCases } from "./knowledge-base-input-cases.ts";
import type { KnowledgeBaseParts } from "./knowledge-base-case.ts";
import { healthCases } from "./knowledge-base-health-cases.ts";
import { ingestingCases } from "./knowledge-base-ingesting-cases.ts";
import { reembeddingCases } from "./knowledge-base-reembedding-cases.ts";
import { keepingCases } from "./knowledge-base-keeping-cases.ts";
import { sharingCases } from "./knowledge-base-sharing-cases.ts";

/** How the pack gets knowledge bases; it closes them itself. */
export interface KnowledgeBaseSubject {
  /** A fresh, empty knowledge base that reads `text/plain`. */
  open(parts: KnowledgeBaseParts): Promise<KnowledgeBase>;
}

/** What every {@link KnowledgeBase} promises: idempotent ingestion, whole and cited hits, verified citations, one gate. */
export function createKnowledgeBasePack(subject: KnowledgeBaseSubject): readonly ContractCase[] {
  const cases = [
    ...ingestingCases,
    ...inputCases,
    ...answeringCases,
    ...excerptCases,
    ...healthCases,
    ...reembeddingCases,
    ...keepingCases,
    ...sharingCases,
  ].map(([name, items, run]): CaseDefinition => [
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
  ]);
  return defineCases("knowledge-base", cases);
}

import type { Usage } from "../contracts/chat.ts";
import type { EmbeddedChunks } from "./embed-chunks.ts";
import type { IngestStages } from "./stages.ts";

/** Tokens and cost of the embeddings of one ingestion, counted as they come. */
export interface EmbeddingUsage {
  add(embedded: Pick<EmbeddedChunks, "sent" | "tokens">): void;
  /** For a summary. **Shape** `usage` is absent when no text was sent, or when the tokens of some are unknown: a partial sum would mislead. */
  total(): Promise<{ readonly usage?: Usage }>;
}

/** **Shape** tokens of models of before, during a change of models, are counted and priced like the present one's. */
export function createEmbeddingUsage({ embedder, prices }: Pick<IngestStages, "embedder" | "prices">): EmbeddingUsage {
  let inputTokens: number | undefined = 0;
  let any = false;
  return {
    add({ sent, tokens }) {
      if (sent === 0) return;
      any = true;
      inputTokens = inputTokens === undefined || tokens === undefined ? undefined : inputTokens + tokens;
    },
    async total() {
      if (!any || inputTokens === undefined || embedder === undefined) return {};
      const { priceOf, priceUsage } = await import("../models/price-usage.ts");
      const { provider, model } = embedder.model;
      return { usage: priceUsage({ inputTokens }, priceOf(prices, `${provider}/${model}`)) };
    },
  };
}

import { priceOf, priceUsage } from "../models/price-usage.ts";
import type { Usage } from "../contracts/chat.ts";
import type { EmbeddedChunks } from "./embed-chunks.ts";
import type { IngestStages } from "./stages.ts";

/** What the embeddings of one ingestion used, counted as they come. */
export interface EmbeddingUsage {
  add(embedded: Pick<EmbeddedChunks, "sent" | "tokens">): void;
  /** For a summary. **Shape** nothing where nothing was sent, and where some of what was sent was not counted: a part of the truth would be taken for all of it. */
  total(): { readonly usage?: Usage };
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
    total() {
      if (!any || inputTokens === undefined || embedder === undefined) return {};
      const { provider, model } = embedder.model;
      return { usage: priceUsage({ inputTokens }, priceOf(prices, `${provider}/${model}`)) };
    },
  };
}

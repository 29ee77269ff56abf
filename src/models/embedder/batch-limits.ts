import { IbidError } from "../../contracts/errors.ts";

/** How much one request may carry, as far as it is known by now. */
export interface BatchLimits {
  /** Cuts what stands next from a list: as many items as fit, one at least. */
  take<Item extends { readonly tokens: number }>(items: readonly Item[], from: number): readonly Item[];
  /** Whether so many inputs with so many tokens may go together. */
  allow(count: number, tokens: number): boolean;
  /** A batch was refused for its size, and its halves went through: none is made as large again. */
  learn(refused: readonly { readonly tokens: number }[]): void;
}

/**
 * Batches by count and by tokens; both can only become smaller, as the provider shows what it takes.
 *
 * **Units** tokens as estimated by {@link estimateTokens}.
 */
export function createBatchLimits(batchSize: number, maxBatchTokens: number): BatchLimits {
  let size = batchSize;
  let most = maxBatchTokens;
  return {
    take(items, from) {
      let tokens = 0;
      let end = from;
      while (end < items.length && end - from < size) {
        tokens += items[end]?.tokens ?? 0;
        if (end > from && tokens > most) break;
        end++;
      }
      return items.slice(from, end);
    },
    allow: (count, tokens) => count <= size && tokens <= most,
    learn(refused) {
      const tokens = refused.reduce((sum, item) => sum + item.tokens, 0);
      // The provider does not say which limit was passed: for short texts it is their number, else their length. Half of both is safe.
      size = Math.max(1, Math.min(size, Math.ceil(refused.length / 2)));
      most = Math.max(1, Math.min(most, Math.ceil(tokens / 2)));
    },
  };
}

/**
 * Tokens of a text, estimated so as to be too many rather than too few: a third of its bytes in UTF-8.
 *
 * **Source** English prose has about four bytes a token, Chinese and Japanese about three, in the vocabularies of current models (measured with `o200k_base`).
 * **Cost** linear, without allocation.
 */
export function estimateTokens(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a pair stands for two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return Math.ceil(bytes / 3);
}

/** Whether a model refused a request for its size, so that a smaller one may pass. Adapters say it by `details.tooLarge`. */
export function isTooLarge(error: unknown): boolean {
  return IbidError.isInstance(error) && (error.code === "too-large" || error.details["tooLarge"] === true);
}

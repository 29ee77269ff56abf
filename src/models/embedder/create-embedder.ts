import type {
  EmbedOptions,
  EmbeddedTexts,
  Embedder,
  EmbeddingCache,
  EmbeddingInput,
  EmbeddingModel,
} from "../../contracts/embedding-model.ts";
import {
  type Embedding,
  type EmbeddingVersion,
  fingerprintVectors,
  isUnnamed,
  kindOf,
  ownFingerprint,
} from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { hmacSha256 } from "../../runtime/hash.ts";
import { throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { createBatchLimits, estimateTokens } from "./batch-limits.ts";
import { copyEmbedding } from "./copy-embedding.ts";
import { embeddedText } from "../../text/embedded-text.ts";
import { inputText } from "./input-text.ts";
import { requestBatches } from "./request-batches.ts";
import { createRequestQueue } from "./request-queue.ts";
import { checkEmbedding, dimensionsOf, isEmbedding } from "./check-embedding.ts";

/** Cache and batching around a model. */
export interface EmbedderOptions {
  /** Where embeddings are kept. Default: nowhere. */
  readonly cache?: EmbeddingCache | undefined;
  /** Key of the hashes that stand for texts in the cache and on the way to the model. */
  readonly secret: Uint8Array;
  /** Inputs in one request, at most; the model's own `maxBatchSize` counts if it is smaller. Default 128. */
  readonly batchSize?: number | undefined;
  /** Tokens in one request, at most, estimated generously; a longer text travels alone. Default 100,000: a third of what OpenAI takes. */
  readonly maxBatchTokens?: number | undefined;
  /** Requests under way at one time, at most, of all calls together. Default 4. */
  readonly concurrency?: number | undefined;
}

/** One thing to embed, wherever it stands among the inputs. */
interface Item {
  readonly input: EmbeddingInput;
  /** `undefined` for media: never cached, never shared. */
  readonly key: string | undefined;
  readonly tokens: number;
  readonly positions: number[];
}

/**
 * Adds batches, cache, coalescing, checks and typed errors to a model.
 *
 * **Shape** embeddings in order of the inputs, none sharing memory with another. Equal texts of one call, and of concurrent calls with the same purpose, are sent
 * once; `sent` counts this call's texts. Unknown dimensions are learned from the model's first valid answer and hold from then on.
 * Batches are bounded by count and tokens, and shrink when the model refuses one for its size.
 * A batch is cached when all of it is valid. A cache that fails counts as empty.
 * **Errors** `embedding-failed` around an error of the model, cause kept; its own `IbidError`s as they are; `invalid-response` for a wrong number of embeddings.
 * Also `invalid-response` for a wrong kind, NaN or infinity; `dimension-mismatch`; `aborted`, or `timeout` from the signal; `invalid-argument` for bad options. No retries.
 * **Source** Ballerina, ToolUp `CachingEmbeddingProvider`, Wesichain.
 */
export function createEmbedder(model: EmbeddingModel, options: EmbedderOptions): Embedder {
  checkOptions("createEmbedder", options, {
    cache: true,
    secret: true,
    batchSize: true,
    maxBatchTokens: true,
    concurrency: true,
  });
  const { cache, secret, concurrency = 4, maxBatchTokens = 100_000 } = options;
  checkCount("batchSize", options.batchSize ?? 128);
  checkCount("maxBatchTokens", maxBatchTokens);
  checkCount("concurrency", concurrency);
  if (!(secret instanceof Uint8Array) || secret.length === 0) {
    throw new IbidError("invalid-argument", "createEmbedder needs a secret: the key of its hashes.", {
      hint: "Give the knowledge base's own key, or 32 random bytes.",
    });
  }
  checkGiven("createEmbedder", "model", model, "object", {
    provider: "text",
    model: "text",
    embed: "function",
  });
  checkWord(model, "kind", model.kind, ["dense", "sparse", "hybrid"]);
  checkWord(model, "similarity", model.similarity ?? "meaning", ["meaning", "form"]);
  const batchSize = Math.max(1, Math.min(options.batchSize ?? 128, model.maxBatchSize ?? Infinity));
  const limits = createBatchLimits(batchSize, maxBatchTokens);
  const queue = createRequestQueue(model, limits, concurrency);
  const name = `${model.provider}/${model.model}`;
  const dimensions = createSettledDimensions(model);
  // Identity of the model at creation: a key must not change when the dimensions are learned.
  const identity = JSON.stringify([
    model.provider,
    model.model,
    model.kind,
    model.dimensions ?? null,
    ownFingerprint(model.fingerprint),
  ]);
  // A field that has a model of its own is embedded alone.
  const isNamed = !isUnnamed(model.fingerprint) && fingerprintVectors(model.fingerprint) !== model.fingerprint;
  const flights = new Map<string, Promise<Embedding>>();

  const versionOf = (count: number): EmbeddingVersion => ({
    provider: model.provider,
    model: model.model,
    dimensions: count,
    fingerprint: fingerprintVectors(model.fingerprint),
  });

  /** A cache is another's, so it learns no text. Without one, a key names a text under way here alone. */
  const keyOf = (purpose: EmbedOptions["purpose"], text: string): string =>
    cache === undefined ? `${purpose}\n${text}` : hmacSha256(secret, `${identity}\n${purpose}\n${text}`);

  function gather(inputs: readonly EmbeddingInput[], purpose: EmbedOptions["purpose"]): Item[] {
    const items: Item[] = [];
    const byText = new Map<string, Item>();
    for (const [position, input] of inputs.entries()) {
      const text = isNamed ? textToEmbed(input) : inputText(input);
      const named = typeof input !== "string" && input.type === "text-chunk" && text !== undefined;
      const known = text === undefined ? undefined : byText.get(text);
      if (known !== undefined) {
        known.positions.push(position);
        continue;
      }
      const key = text === undefined ? undefined : keyOf(purpose, text);
      const tokens = text === undefined ? 0 : estimateTokens(text);
      const item = {
        input: named && text !== input.text ? { ...input, text } : input,
        key,
        tokens,
        positions: [position],
      };
      items.push(item);
      if (text !== undefined) byText.set(text, item);
    }
    return items;
  }

  async function readCache(key: string | undefined): Promise<Embedding | undefined> {
    if (cache === undefined || key === undefined) return undefined;
    try {
      const kept = cache.get(key);
      const found = kept instanceof Promise ? await kept : kept;
      if (found !== undefined) dimensions.check([found], "A cached embedding");
      return found;
    } catch {
      return undefined;
    }
  }

  async function writeCache(key: string | undefined, embedding: Embedding): Promise<void> {
    if (cache === undefined || key === undefined) return;
    try {
      await cache.set(key, embedding);
    } catch {
      // The embedding is there; that it could not be kept costs a request later, not an answer now.
    }
  }

  /** Sends what nobody is sending yet; other calls that want the same wait for it. */
  async function send(
    items: readonly Item[],
    options: EmbedOptions,
    settle: (item: Item, embedding: Embedding) => void,
    count: (tokens: number | undefined) => void,
  ): Promise<void> {
    const promised = new Map<Item, PromiseWithResolvers<Embedding>>();
    for (const item of items) {
      if (item.key === undefined) continue;
      const flight = Promise.withResolvers<Embedding>();
      flight.promise.catch(() => undefined);
      flights.set(item.key, flight.promise);
      promised.set(item, flight);
    }
    try {
      const settings = { limits, queue, concurrency, options };
      await requestBatches(items, settings, async (batch, { embeddings, tokens }) => {
        dimensions.check(embeddings, `The answer of ${name}`);
        count(tokens);
        for (const [index, item] of batch.entries()) {
          const embedding = copyEmbedding(embeddings[index] as Embedding);
          settle(item, embedding);
          promised.get(item)?.resolve(embedding);
        }
        if (cache !== undefined)
          await Promise.all(batch.map((item, index) => writeCache(item.key, embeddings[index] as Embedding)));
        for (const item of batch) if (item.key !== undefined) flights.delete(item.key);
      });
    } catch (error) {
      for (const [item, flight] of promised) {
        if (item.key !== undefined && flights.get(item.key) === flight.promise) flights.delete(item.key);
        flight.reject(error);
      }
      throw error;
    }
  }

  async function embed(inputs: readonly EmbeddingInput[], given: EmbedOptions): Promise<EmbeddedTexts> {
    checkOptions("embed", given, { purpose: true, signal: true });
    const { signal } = given;
    throwIfAborted(signal, "The embedding");
    const results: Embedding[] = [];
    results.length = inputs.length;
    const settle = (item: Item, embedding: Embedding): void => {
      for (const [turn, position] of item.positions.entries()) {
        results[position] = turn === 0 ? embedding : copyEmbedding(embedding);
      }
    };

    const items = gather(inputs, given.purpose);
    const kept = cache === undefined ? [] : await Promise.all(items.map((item) => readCache(item.key)));
    let open = items.filter((item, index) => {
      const found = kept[index];
      if (found !== undefined) settle(item, found);
      return found === undefined;
    });
    let sent = 0;
    let tokens: number | undefined = 0;
    const count = (more: number | undefined): void => {
      tokens = tokens === undefined || more === undefined ? undefined : tokens + more;
    };
    while (open.length > 0) {
      const awaited: { readonly item: Item; readonly flight: Promise<Embedding> }[] = [];
      const own: Item[] = [];
      for (const item of open) {
        const flight = item.key === undefined ? undefined : flights.get(item.key);
        if (flight === undefined) own.push(item);
        else awaited.push({ item, flight });
      }
      sent += own.reduce((sum, item) => sum + (item.key === undefined ? 0 : 1), 0);
      const orphans: Item[] = [];
      const waiting = awaited.map(async ({ item, flight }) => {
        try {
          settle(item, copyEmbedding(await untilAborted(flight, signal, "The embedding")));
        } catch (error) {
          // Another call was stopped, not this one: this call fetches its texts instead.
          if (signal?.aborted === true || !isStopped(error)) throw error;
          orphans.push(item);
        }
      });
      await Promise.all([...waiting, own.length === 0 ? undefined : send(own, given, settle, count)]);
      open = orphans;
    }
    const length = dimensions.known();
    if (length === undefined) {
      throw new IbidError(
        "invalid-argument",
        `${name} does not say how many dimensions it has, and was given nothing to embed.`,
        {
          hint: "Embed at least one text first, or state the model's dimensions.",
        },
      );
    }
    return { version: versionOf(length), embeddings: results, sent, ...(tokens === undefined ? {} : { tokens }) };
  }

  return {
    model,
    get version() {
      const count = dimensions.known();
      return count === undefined ? undefined : versionOf(count);
    },
    get cacheHitRate() {
      return cache?.hitRate ?? 0;
    },
    batchSize,
    embed,
    ...(cache?.delete && {
      forget: async (texts: readonly string[]) => cache.delete?.(texts.map((text) => keyOf("document", text))),
    }),
  };
}

/** `undefined` for what is not text. */
function textToEmbed(input: EmbeddingInput): string | undefined {
  if (typeof input === "string") return input;
  return input.type === "text-chunk" ? embeddedText(input) : undefined;
}

const isStopped = (error: unknown): boolean =>
  IbidError.isInstance(error, "aborted") || IbidError.isInstance(error, "timeout");

function checkWord(model: EmbeddingModel, name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return;
  throw new IbidError(
    "invalid-argument",
    `The ${name} of ${model.provider}/${model.model} is ${JSON.stringify(value)}.`,
    { hint: `Give one of ${words.join(", ")}.` },
  );
}

function checkCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new IbidError(
    "invalid-argument",
    `createEmbedder: ${name} must be a whole number of at least 1, not ${String(value)}.`,
    {
      hint: `Leave ${name} out for the default.`,
    },
  );
}

/** The dimensions of a model's vectors: stated, or learned from what it answers first, and fixed from then on. */
interface SettledDimensions {
  known(): number | undefined;
  /**
   * Checks embeddings, and learns from the first of them when all are sound.
   *
   * **Errors** as `checkEmbedding`; `invalid-response` for another kind of embedding than the model declares.
   */
  check(embeddings: readonly Embedding[], where: string): void;
}

/** **Shape** a sparse model that does not state the size of its vocabulary has 0 dimensions: an open one. */
function createSettledDimensions(model: EmbeddingModel): SettledDimensions {
  let settled = model.dimensions;
  const known = (): number | undefined => {
    settled ??= model.dimensions ?? (model.kind === "sparse" ? 0 : undefined);
    return settled;
  };
  return {
    known,
    check(embeddings, where) {
      const first = embeddings[0];
      const dimensions = known() ?? (isEmbedding(first) ? dimensionsOf(first) : undefined) ?? 0;
      for (const embedding of embeddings) {
        checkEmbedding(embedding, { dimensions }, where);
        if (kindOf(embedding) !== model.kind) {
          throw new IbidError(
            "invalid-response",
            `${where} is a ${kindOf(embedding)} vector; the model declares ${model.kind} ones.`,
            {
              hint: "Declare the kind of vector that the model returns.",
              details: { expected: model.kind, got: kindOf(embedding) },
            },
          );
        }
      }
      if (first !== undefined) settled = dimensions;
    },
  };
}

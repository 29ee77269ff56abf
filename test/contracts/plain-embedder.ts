import type { Embedder, EmbeddingCache, EmbeddingInput, EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Embedding, Vector } from "../../src/contracts/embedding.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { sha256 } from "../../src/runtime/hash.ts";

export type EmbedderFault =
  | "order of arrival"
  | "version without fingerprint"
  | "everything sent"
  | "one big batch"
  | "purposes share a key"
  | "text as key"
  | "models share a key"
  | "vectors shared"
  | "NaN cached before it is refused"
  | "count unchecked"
  | "surplus ignored"
  | "NaN let through"
  | "infinity let through"
  | "dimensions unchecked"
  | "tries again"
  | "cause lost"
  | "media refused as a failure"
  | "deaf while waiting"
  | "dimensions guessed";

/** An embedder in its plainest form, for the pack's mutants: right but for the fault that is named. */
export function createPlainEmbedder(
  fault: EmbedderFault | undefined,
  model: EmbeddingModel,
  cache?: EmbeddingCache,
): Embedder {
  const broken = (name: EmbedderFault): boolean => fault === name;
  let dimensions = model.dimensions ?? (broken("dimensions guessed") ? 3 : undefined);
  const fingerprint = broken("version without fingerprint") ? "" : (model.fingerprint ?? "");
  const versionOf = (count: number) => ({
    provider: model.provider,
    model: model.model,
    dimensions: count,
    fingerprint,
  });
  const wordsOf = (input: EmbeddingInput): string => {
    if (typeof input === "string") return input;
    if (input.type === "text-chunk") return input.text;
    throw new IbidError(
      broken("media refused as a failure") ? "embedding-failed" : "unsupported-input",
      "Text alone, please.",
    );
  };
  const invalid = (message: string): IbidError => new IbidError("invalid-response", message);

  async function ask(
    batch: readonly string[],
    purpose: "document" | "query",
    signal: AbortSignal | undefined,
  ): Promise<readonly Embedding[]> {
    const aborted = new Promise<never>((_, reject) => {
      const stop = (): void => reject(new IbidError("aborted", "Stopped."));
      if (signal?.aborted === true) stop();
      else if (!broken("deaf while waiting")) signal?.addEventListener("abort", stop, { once: true });
      // A mutant that waits for ever would say nothing: it answers something else in the end.
      else setTimeout(() => reject(invalid("It took too long.")), 30);
    });
    aborted.catch(() => {});
    const call = (): Promise<{ embeddings: readonly Embedding[] }> => model.embed(batch, { purpose });
    try {
      const answer = await Promise.race([aborted, broken("tries again") ? call().catch(call) : call()]);
      return answer.embeddings;
    } catch (error) {
      if (IbidError.isInstance(error)) throw error;
      throw new IbidError("embedding-failed", "The model failed.", broken("cause lost") ? {} : { cause: error });
    }
  }
  function checked(embeddings: readonly Embedding[], count: number): readonly Embedding[] {
    if (embeddings.length < count && !broken("count unchecked")) throw invalid("Too few vectors.");
    if (embeddings.length > count && !broken("surplus ignored")) throw invalid("Too many vectors.");
    for (const embedding of embeddings) {
      const values = [...(embedding as Vector)];
      if (values.some(Number.isNaN) && !broken("NaN let through")) throw invalid("NaN.");
      if (values.some((value) => Math.abs(value) === Infinity) && !broken("infinity let through"))
        throw invalid("Infinity.");
      dimensions ??= values.length;
      if (values.length !== dimensions && !broken("dimensions unchecked"))
        throw new IbidError("dimension-mismatch", "Another length.");
    }
    return embeddings;
  }

  return {
    model,
    get version() {
      return dimensions === undefined ? undefined : versionOf(dimensions);
    },
    cacheHitRate: 0,
    async embed(inputs, { purpose, signal }) {
      if (signal?.aborted === true) throw new IbidError("aborted", "Stopped.");
      const texts = inputs.map(wordsOf);
      const keys = texts.map((text) => {
        if (broken("text as key")) return text;
        const identity = broken("models share a key") ? "" : `${model.model}|${model.fingerprint ?? ""}`;
        return sha256(`${identity}|${broken("purposes share a key") ? "" : purpose}|${text}`);
      });
      const found: (Embedding | undefined)[] = [];
      for (const key of keys) found.push(broken("everything sent") ? undefined : await cache?.get(key));
      const missing = texts.flatMap((_, i) => (found[i] === undefined ? [i] : []));
      const size = broken("one big batch") ? Infinity : (model.maxBatchSize ?? Infinity);
      const batches: number[][] = [];
      for (let i = 0; i < missing.length; i += size) batches.push(missing.slice(i, i + size));
      const arrived: (readonly [number, Embedding | undefined])[] = [];
      await Promise.all(
        batches.map(async (batch) => {
          const raw = await ask(
            batch.map((i) => texts[i] ?? ""),
            purpose,
            signal,
          );
          if (broken("NaN cached before it is refused"))
            for (const [j, i] of batch.entries()) await cache?.set(keys[i] ?? "", raw[j] ?? []);
          const embeddings = checked(raw, batch.length);
          for (const [j, i] of batch.entries()) arrived.push([i, embeddings[j]]);
        }),
      );
      for (const [place, [i, embedding]] of arrived.entries()) {
        found[broken("order of arrival") ? (missing[place] ?? 0) : i] = embedding;
        if (embedding !== undefined) await cache?.set(keys[i] ?? "", embedding);
      }
      if (dimensions === undefined) throw new IbidError("invalid-argument", "The dimensions are not known yet.");
      const out = found.map(
        (each, i) => (broken("vectors shared") ? found[texts.indexOf(texts[i] ?? "")] : structuredClone(each)) ?? [],
      );
      return { version: versionOf(dimensions), embeddings: out, sent: missing.length };
    },
  };
}

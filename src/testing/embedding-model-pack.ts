import { kindOf } from "../contracts/embedding.ts";
import type { EmbeddingModel } from "../contracts/embedding-model.ts";
import type { Embedding, HybridVector, SparseVector, Vector } from "../contracts/embedding.ts";
import { check, close, equal, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { chunkOf } from "./store-fixtures.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * A model to be tried, and what may be asked of it.
 *
 * @experimental
 */
export interface EmbeddingModelSubject {
  create(): Promise<EmbeddingModel> | EmbeddingModel;
  /** Texts that the model can embed, all different, five at least. Default: some of our own. */
  readonly texts?: readonly string[] | undefined;
  /** How much two embeddings of one text may differ in a coordinate: hosted models are not exact. Default 0. */
  readonly tolerance?: number | undefined;
  /** Whether the model embeds images and sounds. Default: no, and then it must say so. */
  readonly media?: boolean | undefined;
}

const ownTexts = ["a lighthouse", "the sea at night", "Größe 12,5", "灯台は遠くから見えます。", "👩‍🚀 👍🏽", "x"];

/**
 * Contract of every {@link EmbeddingModel}: one vector for each input, in order, of the stated kind and dimensions, the same every time.
 *
 * @experimental
 */
export function createEmbeddingModelPack(subject: EmbeddingModelSubject): readonly ContractCase[] {
  checkSubject("createEmbeddingModelPack", subject);
  const texts = subject.texts ?? ownTexts;
  const tolerance = subject.tolerance ?? 0;
  const same = (a: Embedding | undefined, b: Embedding | undefined, what: string): void => {
    const [left, right] = [numbersOf(a), numbersOf(b)];
    equal(left.length, right.length, `${what}: length`);
    for (const [i, value] of left.entries()) close(value, right[i] ?? 0, `${what}: coordinate ${i}`, tolerance);
  };
  const embed = (model: EmbeddingModel, inputs: Parameters<EmbeddingModel["embed"]>[0]) =>
    model.embed(inputs, { purpose: "document" });

  const cases: readonly CaseDefinition[] = [
    [
      "says-who-it-is",
      "T36 W6 B13",
      async () => {
        const model = await subject.create();
        check(model.provider.trim() !== "" && model.model.trim() !== "", "provider and model have names", model);
        check(["dense", "sparse", "hybrid"].includes(model.kind), "its kind is one of the three", model.kind);
        const { dimensions, maxBatchSize } = model;
        const whole = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
        check(dimensions === undefined || whole(dimensions) || model.kind === "sparse", "dimensions", dimensions);
        check(
          maxBatchSize === undefined || whole(maxBatchSize),
          "maxBatchSize is a whole number above 0",
          maxBatchSize,
        );
        const again = await subject.create();
        equal(
          [again.provider, again.model, again.kind, again.fingerprint],
          [model.provider, model.model, model.kind, model.fingerprint],
          "the identity of the same model, made again",
        );
      },
    ],
    [
      "one-vector-for-each-input",
      "B12 B14 T36 W6 W14",
      async () => {
        const model = await subject.create();
        for (const count of [1, 2, texts.length]) {
          const { embeddings, tokens } = await embed(model, texts.slice(0, count));
          equal(embeddings.length, Math.min(count, texts.length), `embeddings of ${count} texts`);
          check(tokens === undefined || (Number.isFinite(tokens) && tokens >= 0), "tokens", tokens);
          for (const embedding of embeddings) {
            equal(kindOf(embedding), model.kind, "the kind of an embedding");
            check(numbersOf(embedding).every(Number.isFinite), "a coordinate is not a finite number");
            if (model.kind !== "sparse" && model.dimensions !== undefined) {
              equal(denseOf(embedding)?.length, model.dimensions, "dimensions of an embedding");
            }
          }
        }
      },
    ],
    [
      "no-input-no-vector",
      "B14",
      async () => {
        const model = await subject.create();
        equal((await embed(model, [])).embeddings.length, 0, "embeddings of nothing");
      },
    ],
    [
      "order-and-batches-change-nothing",
      "B14 W6 T36 L11",
      async () => {
        const model = await subject.create();
        const { embeddings } = await embed(model, texts);
        const reversed = (await embed(model, texts.toReversed())).embeddings.toReversed();
        for (const [i, text] of texts.entries()) {
          const alone = await embed(model, [text]);
          same(alone.embeddings[0], embeddings[i], `"${text}" alone and in a batch`);
          same(reversed[i], embeddings[i], `"${text}" in another order`);
        }
        const twice = await embed(model, [texts[0] ?? "", texts[1] ?? "", texts[0] ?? ""]);
        same(twice.embeddings[0], twice.embeddings[2], "one text, twice in a batch");
      },
    ],
    [
      "tells-texts-apart",
      "E24 W34",
      async () => {
        const model = await subject.create();
        const { embeddings } = await embed(model, texts);
        const distinct = new Set(embeddings.map((embedding) => JSON.stringify(numbersOf(embedding))));
        equal(distinct.size, texts.length, "different vectors of different texts");
      },
    ],
    [
      "a-chunk-is-its-text",
      "B13 E4 E9",
      async () => {
        const model = await subject.create();
        const text = texts[0] ?? "";
        const chunk = chunkOf("c", { text, urtext: "something else", metadata: { year: 1 } });
        const { embeddings } = await embed(model, [chunk, text]);
        same(embeddings[0], embeddings[1], "a chunk and its text");
      },
    ],
    [
      "media-as-declared",
      "B9 B13 B16",
      async () => {
        const model = await subject.create();
        const image = {
          type: "image",
          content: new Uint8Array([1, 2, 3]),
          mediaType: "image/png",
          metadata: {},
        } as const;
        if (subject.media === true) return;
        await throwsCode(() => embed(model, [image]), "unsupported-input", "an image for a model of text");
        await throwsCode(() => embed(model, [texts[0] ?? "", image]), "unsupported-input", "an image among texts");
      },
    ],
    [
      "both-purposes",
      "T36",
      async () => {
        const model = await subject.create();
        for (const purpose of ["document", "query"] as const) {
          const { embeddings } = await model.embed([texts[0] ?? ""], { purpose });
          equal(embeddings.length, 1, `embeddings of a ${purpose}`);
        }
      },
    ],
    [
      "stops-when-told",
      "",
      async () => {
        const model = await subject.create();
        const signal = AbortSignal.abort(new Error("enough"));
        try {
          await model.embed(texts, { purpose: "document", signal });
        } catch {
          return;
        }
        check(false, "an aborted call succeeded");
      },
    ],
    [
      "results-not-aliased",
      "B27",
      async () => {
        const model = await subject.create();
        const first = await embed(model, texts);
        const before = first.embeddings.map(numbersOf);
        for (const embedding of first.embeddings)
          denseOf(embedding)?.forEach((_, i) => ((denseOf(embedding) as number[])[i] = 7));
        const second = await embed(model, texts);
        for (const [i, numbers] of before.entries())
          same(second.embeddings[i], numbers, `text ${i} after the caller changed theirs`);
      },
    ],
  ];
  return defineCases("embedding-model", cases);
}

function denseOf(embedding: Embedding | undefined): Vector | undefined {
  if (embedding === undefined || kindOf(embedding) === "sparse") return undefined;
  return kindOf(embedding) === "hybrid" ? (embedding as HybridVector).dense : (embedding as Vector);
}

function numbersOf(embedding: Embedding | undefined): readonly number[] {
  if (embedding === undefined) return [];
  const sparse = kindOf(embedding) === "sparse" ? (embedding as SparseVector) : (embedding as HybridVector).sparse;
  return [...(denseOf(embedding) ?? []), ...(sparse === undefined ? [] : [...sparse.indices, ...sparse.values])];
}

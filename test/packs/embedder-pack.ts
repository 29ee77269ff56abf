import type { Embedder, EmbeddingCache, EmbeddingModel, EmbedOptions } from "../../src/contracts/embedding-model.ts";
import type { IbidErrorCode } from "../../src/contracts/errors.ts";
import { check, equal, inAnyOrder, scribble, throwsCode } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { CaseDefinition, ContractCase } from "../../src/testing/contract-case.ts";
import { chunkOf } from "../../src/testing/store-fixtures.ts";
import { answering, lettersModel, openCache } from "./embedder-fixtures.ts";

/** How the pack gets an embedder around a model of its own. */
export interface EmbedderSubject {
  create(model: EmbeddingModel, cache?: EmbeddingCache): Embedder;
}

const documents: EmbedOptions = { purpose: "document" };

/** What every {@link Embedder} promises: order, batches, a cache without texts, checks of what comes back, no retries. */
export function createEmbedderPack(subject: EmbedderSubject): readonly ContractCase[] {
  return defineCases("embedder", [...answers(subject), ...caching(subject), ...failing(subject)]);
}

function answers(subject: EmbedderSubject): readonly CaseDefinition[] {
  return [
    [
      "in-order-and-of-one-version",
      "B14 T36 T37 W6",
      async () => {
        const model = lettersModel({ fingerprint: "f1" });
        const embedder = subject.create(model);
        const texts = ["c", "bb", "a", "dddd"];
        const { embeddings, version, sent } = await embedder.embed(texts, documents);
        equal(
          embeddings,
          [
            [1, 99],
            [2, 98],
            [1, 97],
            [4, 100],
          ],
          "embeddings",
        );
        equal(
          version,
          { provider: "testing", model: "fixed", dimensions: 2, fingerprint: "f1 named/1" },
          "the version",
        );
        equal(embedder.version, version, "the embedder's own version");
        equal(sent, 4, "texts sent");
        check(embedder.model === model, "the embedder shows its model");
        const chunk = chunkOf("c", { text: "bb", urtext: "b" });
        equal((await embedder.embed([chunk], documents)).embeddings, [[2, 98]], "the embedding of a chunk");
      },
    ],
    [
      "batches-within-the-model's-limit",
      "B14 W6",
      async () => {
        const model = lettersModel({ maxBatchSize: 3 });
        const texts = Array.from({ length: 11 }, (_, i) => "abcdefghijk".slice(i));
        const { embeddings, sent } = await subject.create(model).embed(texts, documents);
        equal(
          embeddings,
          texts.map((text) => [text.length, text.codePointAt(0)]),
          "embeddings over several batches",
        );
        equal(sent, 11, "texts sent");
        check(
          model.calls.every(({ inputs }) => inputs.length <= 3),
          "a batch was larger than the model takes",
        );
        equal(inAnyOrder(model.calls.flatMap(({ inputs }) => inputs)), inAnyOrder(texts), "what the model saw");
      },
    ],
    [
      "in-order-however-batches-finish",
      "B14 T36",
      async () => {
        const letters = lettersModel();
        const slow: EmbeddingModel = {
          ...letters,
          maxBatchSize: 1,
          async embed(inputs, options) {
            const [first] = inputs;
            await new Promise((resolve) => void setTimeout(resolve, first === "first" ? 15 : 0));
            return letters.embed(inputs, options);
          },
        };
        const { embeddings } = await subject.create(slow).embed(["first", "second", "third"], documents);
        equal(
          embeddings.map((embedding) => (embedding as number[])[0]),
          [5, 6, 5],
          "lengths, in the order of the texts",
        );
        equal(
          embeddings.map((embedding) => (embedding as number[])[1]),
          [102, 115, 116],
          "first letters",
        );
      },
    ],
    [
      "dimensions-learned-from-the-first-answer",
      "W15 T36",
      async () => {
        const embedder = subject.create(lettersModel({ dimensions: undefined }));
        equal(embedder.version, undefined, "the version before the first answer");
        await throwsCode(() => embedder.embed([], documents), "invalid-argument", "no inputs and unknown dimensions");
        equal((await embedder.embed(["a"], documents)).version.dimensions, 2, "dimensions of the first answer");
        equal(embedder.version?.dimensions, 2, "dimensions known from then on");
        const told = await subject.create(lettersModel()).embed([], documents);
        equal([told.embeddings, told.sent, told.version.dimensions], [[], 0, 2], "no inputs, known dimensions");
      },
    ],
    [
      "purpose-reaches-the-model",
      "T36",
      async () => {
        const model = lettersModel();
        const embedder = subject.create(model, openCache());
        await embedder.embed(["a"], { purpose: "query" });
        await embedder.embed(["a"], { purpose: "document" });
        equal(
          model.calls.map(({ purpose }) => purpose),
          ["query", "document"],
          "purposes, never answered for one another",
        );
      },
    ],
  ];
}

function caching(subject: EmbedderSubject): readonly CaseDefinition[] {
  return [
    [
      "sends-only-what-is-not-cached",
      "T38 L7",
      async () => {
        const [model, cache] = [lettersModel(), openCache()];
        const embedder = subject.create(model, cache);
        equal((await embedder.embed(["a", "bb"], documents)).sent, 2, "texts sent at first");
        const { embeddings, sent } = await embedder.embed(["bb", "ccc", "a"], documents);
        equal(
          embeddings,
          [
            [2, 98],
            [3, 99],
            [1, 97],
          ],
          "embeddings, cached and new, in order",
        );
        equal(sent, 1, "texts sent then");
        equal(model.calls.at(-1)?.inputs, ["ccc"], "what the model saw then");
        equal(
          (await subject.create(model, cache).embed(["a"], documents)).sent,
          0,
          "texts sent by another embedder of the model",
        );
      },
    ],
    [
      "cache-holds-no-text",
      "T38 L10",
      async () => {
        const cache = openCache();
        const text = "Confidential: the lighthouse";
        await subject.create(lettersModel(), cache).embed([text, chunkOf("c", { text: `${text} again` })], documents);
        check(cache.entries.size === 2, "two texts, two keys", cache.entries.size);
        for (const key of cache.entries.keys()) {
          check(!/confidential|lighthouse|again/iu.test(key), "a key holds words of a text", key);
        }
      },
    ],
    [
      "models-apart-in-one-cache",
      "T37 T38 L6",
      async () => {
        const cache = openCache();
        const models = [{ model: "m" }, { model: "n" }, { model: "m", fingerprint: "refit" }].map((each, i) =>
          lettersModel({ ...each, otherwise: () => [i, i] }),
        );
        for (const [i, model] of models.entries()) {
          const { embeddings, sent } = await subject.create(model, cache).embed(["a"], documents);
          equal([embeddings, sent], [[[i, i]], 1], `model ${i}: its own vector, not another's`);
        }
      },
    ],
    [
      "cached-vectors-not-aliased",
      "B27 T38",
      async () => {
        const embedder = subject.create(lettersModel(), openCache());
        for (const round of ["first", "second"]) {
          const { embeddings } = await embedder.embed(["a", "a"], documents);
          scribble(embeddings[0]);
          equal(embeddings[1], [1, 97], `the other one of a pair, ${round} round`);
        }
        equal(
          (await embedder.embed(["a"], documents)).embeddings,
          [[1, 97]],
          "the vector after a reader changed theirs",
        );
      },
    ],
    [
      "a-failure-leaves-no-trace-in-the-cache",
      "T38 W14",
      async () => {
        const cache = openCache();
        const bad = answering((inputs) => inputs.map(() => [Number.NaN, 1]));
        await throwsCode(() => subject.create(bad, cache).embed(["a"], documents), "invalid-response", "NaN");
        equal(cache.entries.size, 0, "entries after a refused answer");
      },
    ],
  ];
}

function failing(subject: EmbedderSubject): readonly CaseDefinition[] {
  const refuses = (name: string, items: string, code: IbidErrorCode, answer: () => unknown): CaseDefinition => [
    name,
    items,
    async () => {
      const model = answering(answer);
      await throwsCode(() => subject.create(model).embed(["a", "b"], documents), code, name);
      equal(model.asked, 1, "times that the model was asked: no retries");
    },
  ];
  return [
    refuses("too-few-vectors-refused", "T38 W11 W14 B36", "invalid-response", () => [[1, 2]]),
    refuses("too-many-vectors-refused", "W11 W14 B36", "invalid-response", () => [
      [1, 2],
      [1, 2],
      [1, 2],
    ]),
    refuses("nan-refused", "L5 W14", "invalid-response", () => [
      [1, 2],
      [1, Number.NaN],
    ]),
    refuses("infinity-refused", "L5 W14", "invalid-response", () => [
      [1, Number.POSITIVE_INFINITY],
      [1, 2],
    ]),
    refuses("other-dimensions-refused", "W12 W14 L6", "dimension-mismatch", () => [
      [1, 2],
      [1, 2, 3],
    ]),
    [
      "failures-keep-their-cause",
      "B16 W2 W11 W13",
      async () => {
        const cause = new TypeError("the wire was cut");
        const model = answering(() => Promise.reject(cause));
        const error = await throwsCode(
          () => subject.create(model).embed(["a"], documents),
          "embedding-failed",
          "a failing model",
        );
        check(error.cause === cause, "the error keeps its cause", error.cause);
        equal(model.asked, 1, "times that the model was asked: no retries");
      },
    ],
    [
      "media-refused-by-a-model-of-text",
      "B13 B16",
      async () => {
        const image = { type: "image", content: new Uint8Array(3), metadata: {} } as const;
        const refused = (): unknown => subject.create(lettersModel()).embed(["a", image], documents);
        await throwsCode(refused, "unsupported-input", "an image");
      },
    ],
    [
      "stops-when-told",
      "",
      async () => {
        const aborted = { ...documents, signal: AbortSignal.abort() };
        await throwsCode(
          () => subject.create(lettersModel()).embed(["a"], aborted),
          "aborted",
          "a signal that has fired",
        );
        const controller = new AbortController();
        const never = answering(() => new Promise(() => {}));
        const waiting = subject.create(never).embed(["a"], { ...documents, signal: controller.signal });
        setTimeout(() => controller.abort(), 5);
        await throwsCode(() => waiting, "aborted", "a signal that fires while the model is silent");
      },
    ],
  ];
}

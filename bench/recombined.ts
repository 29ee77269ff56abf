// Documents of any number out of the texts of a collection, and vectors for them. The same number gives the same document.
import { createHash } from "node:crypto";
import type { EmbeddingModel } from "../src/contracts/embedding-model.ts";
import { type Item, readCollection } from "./beir.ts";

const dimensions = 384;

/** Lehmer's generator. */
function createRandom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function drawNoise(seed: number): Float32Array {
  const random = createRandom(seed);
  // A sum of four is near enough to a Gaussian.
  return Float32Array.from({ length: dimensions }, () => random() + random() + random() + random() - 2);
}

const centres = Array.from({ length: 400 }, (_, i) => drawNoise(i * 7919 + 1));

/** A vector near one of 400 centres, by a hash of the text. */
function vectorOf(text: string): Float32Array {
  const hash = createHash("sha256").update(text).digest();
  const centre = centres[hash.readUInt16LE(4) % centres.length]!;
  const vector = drawNoise(hash.readUInt32LE(0)).map((noise, i) => noise + centre[i]!);
  const length = Math.hypot(...vector);
  return vector.map((each) => each / length);
}

export interface Recombined {
  /** A document of about seven chunks. */
  readonly makeDocument: (number: number) => {
    readonly uri: string;
    readonly text: string;
    readonly metadata: { readonly even: boolean };
  };
  readonly model: EmbeddingModel;
  readonly queries: readonly Item[];
}

export function recombine(folder: string): Recombined {
  const { corpus, queries } = readCollection(folder);
  const texts = corpus.map(({ text }) => text.trim()).filter((text) => text !== "");
  return {
    queries,
    makeDocument(number) {
      const random = createRandom(number + 1);
      const paragraphs = Array.from({ length: 18 }, () => texts[Math.floor(random() * texts.length)]!);
      return {
        uri: `recombined/${number}.txt`,
        text: paragraphs.join("\n\n"),
        metadata: { even: number % 2 === 0 },
      };
    },
    model: {
      provider: "bench",
      model: "clusters",
      kind: "dense",
      dimensions,
      embed: (inputs) =>
        Promise.resolve({
          embeddings: inputs.map((input) => vectorOf(typeof input === "string" ? input : JSON.stringify(input))),
        }),
    },
  };
}

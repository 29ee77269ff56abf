import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { MediaDocument } from "../../src/contracts/document.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { createChunkFactory } from "../../src/chunkers/create-chunk.ts";
import { createDocument } from "../chunkers/generated-document.ts";

const model = createHashingModel();
const embed = async (text: string): Promise<Float32Array> => {
  const { embeddings } = await model.embed([text], { purpose: "document" });
  return embeddings[0] as Float32Array;
};
const lengthOf = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe("createHashingModel", () => {
  it("says what it is [W43 T36 T37]", () => {
    expect(model).toMatchObject({
      provider: "ibid",
      model: "hashing",
      kind: "dense",
      dimensions: 256,
      similarity: "form",
    });
    expect(model.fingerprint).toMatch(/^v\d+$/);
  });

  it("gives unit vectors of its dimensions, the same for the same text, without a key or a download [W43 L11]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 1, max: 512 }),
        async (text, dimensions) => {
          const own = createHashingModel({ dimensions });
          const [first, again] = (await own.embed([text, text], { purpose: "document" })).embeddings as [
            Float32Array,
            Float32Array,
          ];
          expect(first).toHaveLength(dimensions);
          expect(again).toEqual(first);
          const length = lengthOf(first);
          expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
          const [query] = (await createHashingModel({ dimensions }).embed([text], { purpose: "query" })).embeddings;
          expect(query).toEqual(first);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("still gives the vector that it gave when its version was written down [L11]", async () => {
    const { embeddings } = await createHashingModel({ dimensions: 8 }).embed(
      ["Rotate the key, naïve 日本語 keys key."],
      { purpose: "document" },
    );
    expect([...(embeddings[0] as Float32Array)].map((value) => value.toFixed(6))).toMatchInlineSnapshot(`
      [
        "0.419740",
        "0.435840",
        "-0.593243",
        "-0.262338",
        "0.262338",
        "0.209870",
        "0.104935",
        "0.298706",
      ]
    `);
  });

  it("gives the zero vector for a text without a word", async () => {
    for (const text of ["", " \n\t", "!?… --", "\u0301"]) expect(lengthOf(await embed(text))).toBe(0);
  });

  it("sees form: inflection and misspelling are near, other words far, order and case nothing", async () => {
    const query = await embed("rotate encryption keys");
    const near = cosine(query, await embed("rotating the encryption key"));
    const misspelt = cosine(query, await embed("rotate encrypton keys"));
    const far = cosine(query, await embed("weather in spring"));
    expect(near).toBeGreaterThan(0.5);
    expect(misspelt).toBeGreaterThan(0.7);
    expect(Math.abs(far)).toBeLessThan(0.3);
    expect(cosine(query, await embed("KEYS, Encryption; rotate"))).toBeCloseTo(1, 5);
    expect(cosine(await embed("Über den Größen"), await embed("uber den großen"))).toBeCloseTo(1, 5);
  });

  it("finds a part of a text in scripts without spaces", async () => {
    const document = await embed("東京都は日本の首都であり、最大の都市です。");
    expect(cosine(await embed("日本の首都"), document)).toBeGreaterThan(
      cosine(await embed("美味しい料理"), document) + 0.2,
    );
    const thai = await embed("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย");
    expect(cosine(await embed("เมืองหลวง"), thai)).toBeGreaterThan(0.2);
  });

  it("damps repetition: ten times a word is not ten times as near", async () => {
    const query = await embed("apple");
    const once = cosine(query, await embed("apple banana"));
    const often = cosine(query, await embed(`${"apple ".repeat(10)}banana`));
    expect(often).toBeGreaterThan(once);
    expect(often).toBeLessThan(1);
    // Without damping, ten apples beside one banana would stand at 10 / sqrt(101).
    expect(often).toBeLessThan(0.98);
  });

  it("is not led astray by a long text before [L11]", async () => {
    const own = createHashingModel();
    const long = Array.from({ length: 30_000 }, (_, index) => `word${index}`).join(" ");
    const { embeddings } = await own.embed([long, "short text"], { purpose: "document" });
    expect(embeddings[1]).toEqual(await embed("short text"));
    const [alone] = (await own.embed([long], { purpose: "document" })).embeddings;
    expect(alone).toEqual(embeddings[0]);
  });

  it("takes chunks by their text, and refuses media [B13 B14 B16]", async () => {
    const chunk = createChunkFactory(createDocument("the original"))(0, 12, "with a title: the original");
    const { embeddings } = await model.embed([chunk], { purpose: "document" });
    expect(embeddings[0]).toEqual(await embed("with a title: the original"));
    const image: MediaDocument = { type: "image", content: new Uint8Array(2), metadata: {} };
    const refused = model.embed(["text", image], { purpose: "document" });
    await expect(refused).rejects.toSatisfy((error) => IbidError.isInstance(error, "unsupported-input"));
    await expect(refused).rejects.toThrow(/^Unsupported chunk type\. /);
  });

  it("heeds a signal that has fired, and refuses impossible dimensions", async () => {
    const fired = model.embed(["a"], { purpose: "document", signal: AbortSignal.abort() });
    await expect(fired).rejects.toSatisfy((error) => IbidError.isInstance(error, "aborted"));
    for (const dimensions of [0, -1, 1.5, NaN, 65_537])
      expect(() => createHashingModel({ dimensions })).toThrow(IbidError);
    expect(() => createHashingModel({ dims: 3 } as never)).toThrow(IbidError);
  });

  it("hashes rows of combining marks, which take quadratic time to normalise, as they are", async () => {
    const vector = await embed(`a${"\u0301\u0316".repeat(50_000)} word`);
    expect(lengthOf(vector)).toBeCloseTo(1, 5);
  });
});

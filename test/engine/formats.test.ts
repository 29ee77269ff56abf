import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createByteReader, createByteWriter, narrowRows } from "../../src/engine/segments/bytes.ts";
import { analyzeChunk, decodeTerms, encodeTerms, lengthsOf } from "../../src/engine/segments/chunk-terms.ts";
import {
  encodeLanguages,
  languageAt,
  liveLanguages,
  readLanguages,
} from "../../src/engine/segments/language-column.ts";
import { readSpace, writeSpace } from "../../src/engine/vectors/space-file.ts";
import {
  findBlock,
  findPostings,
  readIndex,
  readTerms,
  writePostings,
} from "../../src/engine/segments/postings-file.ts";
import { decodeVectors, encodeVectors, toEmbedding, toStoredVector } from "../../src/engine/vectors/stored-vector.ts";
import { formOf } from "../../src/engine/vectors/dense-rows.ts";
import { rowsOfNewBlock } from "../../src/engine/segments/column-header.ts";
import { createColumnWriter, readColumn, rowOf, vectorAt } from "../../src/engine/vectors/vector-column.ts";
import { plainAnalyzer } from "../stores/build.ts";

/** Any text that can be written as UTF-8. */
const text = fc.string({ unit: "grapheme", maxLength: 12 }).map((any) => any.toWellFormed());

describe("numbers of rows", () => {
  it("stay what they are, and take 32 bits where all of them fit", () => {
    const row = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const narrow = narrowRows(Float64Array.from(rows));
        expect([...narrow]).toEqual(rows);
        expect(narrow.BYTES_PER_ELEMENT).toBe(rows.every((each) => each < 2 ** 32) ? 4 : 8);
      }),
    );
  });
});

describe("what is written is read back", () => {
  it("numbers of any size, bytes and texts", () => {
    const item = fc.oneof(fc.maxSafeNat(), text, fc.uint8Array({ maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), (items) => {
        const writer = createByteWriter(1);
        for (const each of items) {
          if (typeof each === "number") writer.varint(each);
          else if (typeof each === "string") writer.text(each);
          else writer.bytes(each);
        }
        const reader = createByteReader(writer.take());
        for (const each of items) {
          const read =
            typeof each === "number"
              ? reader.varint()
              : typeof each === "string"
                ? reader.text()
                : reader.bytes(each.length);
          expect(read).toEqual(each);
        }
        expect(reader.done).toBe(true);
      }),
    );
  });

  it("terms of a chunk, with their counts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(text), (terms) => {
        const counts = terms.map((_, i) => (i * 7) % 400);
        const names = terms.map((_, i) => (i * 3) % 2);
        const chunk = { terms, counts, names, language: terms[0] ?? "" };
        expect(decodeTerms(encodeTerms(chunk))).toEqual(chunk);
      }),
    );
    const woods = { title: "Woods", headings: ["Ash Tree"], text: "an ash", language: "en" };
    expect(analyzeChunk(plainAnalyzer, woods)).toEqual({
      terms: ["an", "ash", "woods", "tree"],
      counts: [1, 1, 0, 0],
      names: [0, 1, 1, 1],
      language: "en",
    });
    // A title that is a heading too is one title; what nobody says to be of a language is of none.
    const ash = analyzeChunk(plainAnalyzer, { title: "Ash", headings: ["Ash", "Bark"], text: "ash" });
    expect(ash).toEqual({ terms: ["ash", "bark"], counts: [1, 0], names: [1, 1], language: "" });
    expect(lengthsOf(ash)).toEqual({ text: 1, names: 2 });
  });

  it("postings, over as many blocks as they take; and of other terms nothing", () => {
    const list = fc.uniqueArray(fc.nat(100_000), { minLength: 1, maxLength: 30 });
    const file = fc.dictionary(text, list, { maxKeys: 60, noNullPrototype: true });
    fc.assert(
      fc.property(file, text, fc.boolean(), (lists, other, long) => {
        // Enough terms besides to fill several blocks.
        const padding = long
          ? Array.from({ length: 3_000 }, (_, i): [string, number[]] => [`pad${i}`, [i, i + 1]])
          : [];
        const all = new Map([...padding, ...Object.entries(lists)]);
        const written = [...all.keys()].sort().map((term) => {
          const ordinals = Uint32Array.from(all.get(term)!).sort();
          const counts = ordinals.map((ordinal) => ordinal % 5);
          const named = ordinals.map((ordinal) => Math.max(ordinal % 3, ordinal % 5 === 0 ? 1 : 0));
          return { term, ordinals, counts, names: named.some((count) => count > 0) ? named : undefined };
        });
        const { blocks, index } = writePostings(written);
        const firsts = readIndex(index);
        const find = (term: string) => {
          const block = findBlock(firsts, term);
          return block < 0 ? undefined : findPostings(blocks[block]!, term);
        };
        expect(firsts).toHaveLength(blocks.length);
        expect(blocks.length > 1).toBe(long);
        // A look-up reads a block, so of the padding only some are looked up.
        const some = written.filter(({ term }, i) => i % 40 === 0 || !term.startsWith("pad"));
        expect(some.map(({ term }) => ({ term, ...find(term) }))).toEqual(some);
        expect(find(other) !== undefined).toBe(all.has(other));
        expect([...readTerms(blocks)]).toEqual(written);
      }),
      { numRuns: 15 },
    );
  });

  it("what each chunk is written in, and what the live ones are", () => {
    const spoken = fc.tuple(fc.constantFrom("", "en", "de", "zh"), fc.boolean());
    fc.assert(
      fc.property(fc.array(spoken, { maxLength: 40 }), (chunks) => {
        const column = readLanguages(encodeLanguages(chunks.map(([language]) => language)));
        expect(chunks.map((_, ordinal) => languageAt(column, ordinal))).toEqual(chunks.map(([language]) => language));
        const live = Uint8Array.from(chunks, ([, isLive]) => (isLive ? 1 : 0));
        const wanted = new Set(chunks.flatMap(([language, isLive]) => (isLive ? [language] : [])));
        expect(liveLanguages(column, live)).toEqual(wanted);
      }),
    );
  });

  it("a fitted space, over as many blocks as it takes; and of other terms nothing", () => {
    const term = fc.record({
      term: text,
      weight: fc.float({ noNaN: true }),
      scale: fc.float({ noNaN: true }),
      row: fc.int8Array({ minLength: 16, maxLength: 16 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(term, { maxLength: 30, selector: (each) => each.term }),
        fc.boolean(),
        (some, many) => {
          const more = Array.from({ length: many ? 2000 : 0 }, (_, i) => ({
            term: `\u{10ffff}${String(i).padStart(4, "0")}`,
            weight: i,
            scale: 1,
            row: new Int8Array(16).fill(i % 128),
          }));
          const terms = [...some, ...more].sort((x, y) => (x.term < y.term ? -1 : 1));
          const parts = writeSpace({ terms });
          const space = readSpace({ fingerprint: "f", dimensions: 16 }, (part) => parts[part]!);
          expect([...space.terms()]).toEqual(terms);
          for (const { term: name, ...row } of some) expect(space.find(name)).toEqual(row);
          expect(space.find("absent, as it is longer than all")).toBeUndefined();
          // Once every block was read whole, one table answers.
          expect(terms.map(({ term: name }) => ({ term: name, ...space.find(name) }))).toEqual(terms);
          expect(space.find("absent, as it is longer than all")).toBeUndefined();
        },
      ),
      { numRuns: 30 },
    );
  });

  it("vectors of all three kinds, one by one and in columns [B12]", () => {
    const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 3, maxLength: 3 });
    const sparse = fc
      .uniqueArray(fc.nat(1_000), { maxLength: 5 })
      .map((indices) => ({ indices: indices.toSorted((a, b) => a - b), values: indices.map((i) => i + 0.5) }));
    const bytes = fc.int8Array({ minLength: 3, maxLength: 3 });
    const dense = fc.oneof(numbers, bytes);
    const embedding = fc.oneof(dense, sparse, fc.record({ dense, sparse }));
    fc.assert(
      fc.property(fc.array(embedding, { maxLength: 8 }), (embeddings) => {
        const vectors = embeddings.map((each) => toStoredVector("v", each));
        expect(decodeVectors(encodeVectors(vectors))).toEqual(vectors);
        for (const [kind, form] of [
          ["dense", "float32"],
          ["dense", "int8"],
          ["sparse", "float32"],
          ["hybrid", "float32"],
          ["hybrid", "int8"],
        ] as const) {
          const rows = vectors.filter((vector) => vector.kind === kind && formOf(vector.dense) === form);
          const writer = createColumnWriter("v", kind, kind === "sparse" ? 0 : 3, form);
          rows.forEach((vector, i) => writer.add(i * 3 + 1, vector));
          const { header, files } = writer.finish(4);
          const column = readColumn(
            header,
            4,
            (name, part) => files.find((file) => file.name === name && file.part === part)!.data,
          );
          rows.forEach((vector, i) => {
            expect(rowOf(column, i * 3 + 1)).toBe(i);
            expect(rowOf(column, i * 3 + 2)).toBe(-1);
            expect(toEmbedding(vectorAt(column, i))).toEqual(toEmbedding(vector));
          });
        }
      }),
    );
  });

  it("vectors as they were written before their numbers were aligned", () => {
    const writer = createByteWriter();
    writer.varint(2);
    writer.text("v1");
    for (const number of [0, 2, 0]) writer.varint(number);
    writer.bytes(new Uint8Array(Float32Array.of(1.5, -2).buffer));
    writer.text("v22");
    for (const number of [1, 0, 1]) writer.varint(number);
    writer.bytes(new Uint8Array(Uint32Array.of(70_000).buffer));
    writer.bytes(new Uint8Array(Float32Array.of(0.25).buffer));
    const [none, empty] = [new Uint32Array(0), new Float32Array(0)];
    expect(decodeVectors(writer.take())).toEqual([
      { version: "v1", kind: "dense", dense: Float32Array.of(1.5, -2), indices: none, values: empty },
      { version: "v22", kind: "sparse", dense: empty, indices: Uint32Array.of(70_000), values: Float32Array.of(0.25) },
    ]);
    expect(decodeVectors(Uint8Array.of(0))).toEqual([]);
  });

  it("columns that are longer than a block", () => {
    const dimensions = 100_000;
    const rows = rowsOfNewBlock(dimensions) * 2 + 1;
    const writer = createColumnWriter("v", "dense", dimensions);
    for (let row = 0; row < rows; row++)
      writer.add(row, toStoredVector("v", new Float32Array(dimensions).fill(row + 1)));
    const { header, files } = writer.finish(0);
    expect(files.filter(({ name }) => name === "dense/0")).toHaveLength(3);
    const column = readColumn(
      header,
      0,
      (name, part) => files.find((file) => file.name === name && file.part === part)!.data,
    );
    expect(Array.from({ length: rows }, (_, row) => vectorAt(column, row).dense[7])).toEqual(
      Array.from({ length: rows }, (_, row) => row + 1),
    );
    expect(
      column
        .dense()!
        .codes()
        .norm(rows - 1),
    ).toBe(Math.sqrt(dimensions * rows * rows));
  });
});

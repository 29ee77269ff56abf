import type { Embedding } from "../../src/contracts/embedding.ts";
import { check, close, collect, equal, throwsCode } from "../../src/testing/assert.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import { deployment, entryOf, from, into, versionOf, writeChunks } from "../../src/testing/store-fixtures.ts";
import { idsOf, near, put, refusesMetric } from "./vector-queries.ts";

/** Contract of a vector store about the kinds of embedding that it declares, and those that it does not. */
export const vectorKindCases: readonly StoreCase[] = [
  [
    "bytes-stay-bytes",
    "B12 B18 L6",
    async (store) => {
      await put(store, { a: Int8Array.of(3, 4), b: Int8Array.of(-128, 127), c: Int8Array.of(0, 0), d: [1, 0] });
      // (3,4) has length 5; (-128,127) with it is -384 + 508, and its length is √(16384 + 16129).
      const expected = [1, 0.6, 124 / (5 * Math.sqrt(32_513)), 0];
      for (const query of [Int8Array.of(3, 4), [3, 4], new Float32Array([0.75, 1])]) {
        const found = await near(store, query, { includeEmbeddings: true });
        equal(idsOf(found), "a d b c", "order among bytes and numbers of one version");
        for (const [i, score] of expected.entries()) close(found[i]?.score, score, `score ${i}`);
        for (const { chunk, embedding } of found) {
          check(embedding instanceof Int8Array === (chunk.id !== "d"), `${chunk.id} kept its form`, embedding);
        }
        equal(found[2]?.embedding, [-128, 127], "bytes as they come back");
      }
      if (!(await refusesMetric(store, "dot"))) {
        const found = await near(store, Int8Array.of(3, 4), { metric: "dot" });
        equal(
          found.map(({ score }) => score),
          [124, 25, 3, 0],
          "products of whole numbers",
        );
      }
      const bytes = Int8Array.of(1, 1);
      await put(store, { d: bytes });
      bytes.fill(-1);
      const listed = (await collect(store.chunks(from(deployment), { includeEmbeddings: true }))).at(-1);
      const [kept] = listed?.embeddings ?? [];
      check(kept?.embedding instanceof Int8Array, "bytes that took the place of numbers", kept);
      equal(kept.embedding, [1, 1], "bytes after the caller changed theirs");
      await throwsCode(
        () => put(store, { e: Int8Array.of(1, 2, 3) }),
        "dimension-mismatch",
        "bytes of another dimension",
      );
    },
  ],
  [
    "sparse-as-declared",
    "B12 B26",
    async (store) => {
      const version = versionOf(0, "sparse");
      const sparse = (indices: number[], values: number[]): Embedding => ({ indices, values });
      if (!store.capabilities.embeddings.includes("sparse")) {
        await throwsCode(() => near(store, sparse([1], [1]), { version }), "unsupported", "a sparse query");
        return;
      }
      const putSparse = (id: string, indices: number[], values: number[]): Promise<unknown> =>
        writeChunks(store, into(deployment), [entryOf(id, sparse(indices, values), {}, version)]);
      await putSparse("both", [1, 500_000], [2, 2]);
      await putSparse("one", [1, 7], [3, 4]);
      await putSparse("none", [2, 3], [1, 1]);
      // Against (1 at 1, 1 at 500000): parallel; 3 / (5 · √2); nothing in common.
      const found = await near(store, sparse([1, 500_000], [1, 1]), { version });
      equal(idsOf(found), "both one none", "order by sparse cosine");
      for (const [i, score] of [1, 0.6 / Math.SQRT2, 0].entries()) close(found[i]?.score, score, `sparse score ${i}`);
      await throwsCode(
        () => putSparse("bad", [3, 2], [1, 1]),
        ["invalid-argument", "invalid-response"],
        "indices that do not ascend",
      );
      await throwsCode(
        () => putSparse("bad", [1, 2], [1]),
        ["invalid-argument", "invalid-response", "dimension-mismatch"],
        "values that are too few",
      );
    },
  ],
  [
    "hybrid-as-declared",
    "B12 B26",
    async (store) => {
      const version = versionOf(2, "hybrid");
      const hybrid = (dense: number[], indices: number[], values: number[]): Embedding => ({
        dense,
        sparse: { indices, values },
      });
      if (!store.capabilities.embeddings.includes("hybrid")) {
        await throwsCode(() => near(store, hybrid([1, 0], [1], [1]), { version }), "unsupported", "a hybrid query");
        return;
      }
      await writeChunks(store, into(deployment), [
        entryOf("dense", hybrid([5, 0], [9], [1]), {}, version),
        entryOf("sparse", hybrid([0, 5], [1], [7]), {}, version),
        entryOf("both", hybrid([3, 4], [1], [2]), {}, version),
      ]);
      // Dense cosine plus sparse cosine: 1 + 0, 0 + 1, .6 + 1.
      const found = await near(store, hybrid([1, 0], [1], [1]), { version });
      equal(idsOf(found), "both dense sparse", "order by the sum");
      for (const [i, score] of [1.6, 1, 1].entries()) close(found[i]?.score, score, `hybrid score ${i}`);
      await throwsCode(
        () => writeChunks(store, into(deployment), [entryOf("bad", hybrid([1, 0, 0], [1], [1]), {}, version)]),
        "dimension-mismatch",
        "a hybrid vector with a dense part of another length",
      );
    },
  ],
];

import type { Embedding } from "../contracts/embedding.ts";
import type { VectorStore } from "../contracts/vector-store.ts";
import { close, equal, throwsCode } from "./assert.ts";
import type { StoreCase } from "./store-case.ts";
import { deployment, entryOf, into, versionOf } from "./store-fixtures.ts";
import { idsOf, near } from "./vector-queries.ts";

/** What a vector store promises about the kinds of embedding that it declares, and those that it does not. */
export const vectorKindCases: readonly StoreCase<VectorStore>[] = [
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
      const put = (id: string, indices: number[], values: number[]): Promise<void> =>
        store.upsert(into(deployment), [entryOf(id, sparse(indices, values), {}, version)]);
      await put("both", [1, 500_000], [2, 2]);
      await put("one", [1, 7], [3, 4]);
      await put("none", [2, 3], [1, 1]);
      // Against (1 at 1, 1 at 500000): parallel; 3 / (5 · √2); nothing in common.
      const found = await near(store, sparse([1, 500_000], [1, 1]), { version });
      equal(idsOf(found), "both one none", "order by sparse cosine");
      for (const [i, score] of [1, 0.6 / Math.SQRT2, 0].entries()) close(found[i]?.score, score, `sparse score ${i}`);
      await throwsCode(
        () => put("bad", [3, 2], [1, 1]),
        ["invalid-argument", "invalid-response"],
        "indices that do not ascend",
      );
      await throwsCode(
        () => put("bad", [1, 2], [1]),
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
      await store.upsert(into(deployment), [
        entryOf("dense", hybrid([5, 0], [9], [1]), {}, version),
        entryOf("sparse", hybrid([0, 5], [1], [7]), {}, version),
        entryOf("both", hybrid([3, 4], [1], [2]), {}, version),
      ]);
      // Dense cosine plus sparse cosine: 1 + 0, 0 + 1, .6 + 1.
      const found = await near(store, hybrid([1, 0], [1], [1]), { version });
      equal(idsOf(found), "both dense sparse", "order by the sum");
      for (const [i, score] of [1.6, 1, 1].entries()) close(found[i]?.score, score, `hybrid score ${i}`);
      await throwsCode(
        () => store.upsert(into(deployment), [entryOf("bad", hybrid([1, 0, 0], [1], [1]), {}, version)]),
        "dimension-mismatch",
        "a hybrid vector with a dense part of another length",
      );
    },
  ],
];

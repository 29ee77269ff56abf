import { searchLatent } from "../support/search-legs.ts";
import type { LatentFinds } from "../support/search-legs.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { ChunkEntry } from "../../src/contracts/document-store.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { check, equal } from "../../src/testing/assert.ts";
import { createRandom } from "../../src/testing/random.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import { ada, deployment, from, into, north, wordsOf, writeChunks } from "../../src/testing/store-fixtures.ts";

/** Words of one topic keep each other's company and nobody else's. */
const topics: readonly (readonly string[])[] = [
  ["anchor", "harbour", "rigging", "mast", "keel", "sailor"],
  ["oven", "flour", "yeast", "crust", "dough", "baker"],
  ["orbit", "comet", "lunar", "rocket", "nebula", "eclipse"],
  ["violin", "sonata", "tempo", "cello", "chord", "opera"],
];

/** Enough for any model that fits at all on so little. */
const enough = 256;

/** Chunk `i` has three words of topic `i % 4`, one of six triples that overlap. */
function topicChunk(i: number): ChunkEntry {
  const words = topics[i % topics.length]!;
  const first = Math.floor(i / topics.length) % words.length;
  const text = [0, 1, 2].map((step) => words[(first + step) % words.length]!).join(" ");
  return wordsOf(`c${String(i).padStart(4, "0")}`, text);
}

const corpus = (count = enough): ChunkEntry[] => Array.from({ length: count }, (_, i) => topicChunk(i));

interface Company {
  readonly chunks: readonly ChunkEntry[];
  /** For each company, two words that never meet, and the ids of the chunks that have the second. */
  readonly pairs: readonly { readonly word: string; readonly others: readonly string[] }[];
}

/**
 * Sixty-four companies of four words, each kept by either of two others in two chunks. A space of 64 dimensions or
 * fewer cannot tell those two apart.
 *
 * **Shape** words of random letters, so that nothing is alike by how it is written.
 */
function companies(): Company {
  const random = createRandom(7);
  const makeWord = (): string => Array.from({ length: 8 }, () => String.fromCharCode(97 + random.below(26))).join("");
  const chunks: ChunkEntry[] = [];
  const pairs = Array.from({ length: enough / 4 }, () => {
    const company = [makeWord(), makeWord(), makeWord(), makeWord()].join(" ");
    const ids: string[] = [];
    const [word, other] = [makeWord(), makeWord()];
    for (const each of [word, word, other, other]) {
      const id = `w${String(chunks.length).padStart(4, "0")}`;
      chunks.push(wordsOf(id, `${company} ${each}`));
      if (each === other) ids.push(id);
    }
    return { word, others: ids };
  });
  return { chunks, pairs };
}

function find(
  store: Store,
  text: string,
  topK: number | "all" = "all",
  ...scopes: readonly Scope[]
): Promise<LatentFinds> {
  return searchLatent(store, from(...(scopes.length === 0 ? [deployment] : scopes)), { text, topK });
}

export const latentFittingCases: readonly StoreCase[] = [
  [
    "settling-fits-when-there-is-enough",
    "L11",
    async (store) => {
      await writeChunks(store, into(deployment), corpus(12));
      await store.upkeep!.settle();
      const before = await find(store, "anchor");
      equal(before.fitted, false, "whether twelve chunks were fitted on");
      await writeChunks(store, into(deployment), corpus());
      equal((await find(store, "anchor")).version, before.version, "the version before the store was settled");
      const shares: number[] = [];
      await store.upkeep!.settle({ onProgress: (share) => shares.push(share) });
      check(
        shares.every((share) => share >= 0 && share <= 1),
        "progress is a share",
        shares,
      );
      const after = await find(store, "anchor");
      equal(after.fitted, true, "whether it was fitted");
      check(after.version.fingerprint !== before.version.fingerprint, "a fitted space has a version of its own");
      check(after.energy > 0 && after.energy <= 1, "energy of a known word, above 0 and up to 1", after.energy);
      check(after.weight > 0, "a weight", after.weight);
      equal((await find(store, "xylophone")).energy, 0, "energy of an unknown word");
      const { embeddingVersions } = await store.status(from(deployment));
      equal(embeddingVersions, [{ ...after.version, chunks: enough }], "versions in the status");
      await store.upkeep!.settle();
      equal(await find(store, "anchor"), after, "what is found after it was settled again");
    },
  ],
  [
    "finds-what-shares-no-word",
    "",
    async (store) => {
      const { chunks, pairs } = companies();
      await writeChunks(store, into(deployment), chunks);
      /** How many of the chunks that say it with the other word are among the four that are found. */
      const share = async (): Promise<number> => {
        let found = 0;
        for (const { word, others } of pairs.slice(0, 16)) {
          const { matches } = await find(store, word, 4);
          found += matches.filter(({ chunk }) => others.includes(chunk.id)).length;
        }
        return found / 32;
      };
      const before = await share();
      check(before < 0.3, "before a fit, it is found by chance", before);
      await store.upkeep!.settle();
      const after = await share();
      check(after > 0.9, "after a fit, it is found by its company", after);
    },
  ],
  [
    "fitted-on-the-deployment-alone",
    "L3 L11",
    async (store) => {
      await writeChunks(store, into(north), corpus());
      await store.upkeep!.settle();
      equal((await find(store, "anchor", "all", north)).fitted, false, "whether a team's chunks were fitted on");
      await writeChunks(store, into(deployment), corpus());
      await store.upkeep!.settle();
      const { matches, fitted } = await find(store, "sailor", 1, north);
      equal([fitted, matches.length], [true, 1], "a team's chunks, folded in");
    },
  ],
  [
    "hidden-scopes-move-nothing",
    "L3 L11",
    async (store) => {
      await writeChunks(store, into(ada), [
        wordsOf("x", "anchor yeast orbit"),
        wordsOf("c0000", "violin anchor anchor"),
      ]);
      await writeChunks(store, into(deployment), corpus());
      await store.upkeep!.settle();
      const before = await find(store, "anchor baker");
      await writeChunks(store, into(ada), corpus(60));
      await store.upkeep!.settle();
      equal(await find(store, "anchor baker"), before, "what is found beside a hidden scope that grows");
      await store.delete(into(ada), { scope: true });
      equal(await find(store, "anchor baker"), before, "what is found after the hidden scope was wiped");
    },
  ],
  [
    "comes-and-goes-after-a-fit",
    "T13 L8",
    async (store) => {
      await writeChunks(store, into(deployment), corpus());
      await store.upkeep!.settle();
      const before = await find(store, "sailor keel");
      await writeChunks(store, into(deployment), [wordsOf("new", "sailor keel")]);
      const [best] = (await find(store, "sailor keel", 1)).matches;
      equal(best?.chunk.id, "new", "the nearest, which was written after the fit");
      await store.delete(into(deployment), { ids: ["new"] }, { purge: true });
      equal(await find(store, "sailor keel"), before, "what is found once it is gone");
      await store.delete(into(deployment), { ids: ["c0000"] });
      const { matches } = await find(store, "sailor keel");
      check(!matches.some(({ chunk }) => chunk.id === "c0000"), "the deleted is not found");
      await store.trash!.restore(into(deployment), { ids: ["c0000"] });
      equal(await find(store, "sailor keel"), before, "what is found once it is back");
    },
  ],
  [
    "purged-words-are-forgotten",
    "T15 L8",
    async (store) => {
      const secret = ["s1", "s2", "s3"].map((id) => wordsOf(id, "unicornword anchor keel"));
      await writeChunks(store, into(deployment), [...corpus(), ...secret]);
      await store.upkeep!.settle();
      check((await find(store, "unicornword")).energy > 0, "the space knows the word");
      await store.delete(into(deployment), { ids: ["s1", "s2", "s3"] }, { purge: true });
      equal((await find(store, "unicornword")).energy, 0, "energy of a word that was purged");
      await store.trash!.restore(into(deployment), { ids: ["s1", "s2", "s3"] });
      equal((await find(store, "unicornword")).energy, 0, "energy of it after a restore");
      await store.upkeep!.settle();
      equal((await find(store, "unicornword")).energy, 0, "energy of it after settling");
    },
  ],
];

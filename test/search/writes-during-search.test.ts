import { describe, expect, it } from "vitest";
import type { StoreSession } from "../../src/contracts/leg.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import type { Hit, RetrieveOptions } from "../../src/contracts/retriever.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { documentEntry, read, three, write } from "../stores/build.ts";
import { eachStore } from "../stores/each-store.ts";
import { runsAll } from "../support/runs.ts";

const scope = "deployment";

/** A search whose steps can be counted, and disturbed. */
interface Steps {
  /** Called at every point at which the search waits: around the session's opening, every leg's search, and the reading of chunks. */
  at(point: string): Promise<void>;
}

function disturbed(store: Store, steps: Steps): Pick<Store, "session"> {
  const at = (point: string) => steps.at(point);
  return {
    async session(proof, options) {
      const session = await store.session(proof, options);
      await at("opened");
      return {
        ...session,
        legs: session.legs.map((leg): StoreSession["legs"][number] => ({
          ...leg,
          async search(query, k, within) {
            await at(`before ${leg.name}`);
            const result = await leg.search(query, k, within);
            await at(`after ${leg.name}`);
            return result;
          },
        })),
        async readChunks(refs, reading) {
          await at("before reading");
          const chunks = await session.readChunks(refs, reading);
          await at("read");
          return chunks;
        },
      };
    },
  };
}

const dimensions = 3;
/** By the number of herons, so that another text has another vector. */
const embed = (text: string): number[] => [text.split("heron").length, text.length % 7, 1];
const embedder = {
  version: three,
  cacheHitRate: 0,
  model: { provider: "test", model: "three", kind: "dense", dimensions, similarity: "meaning" },
  embed: async (inputs: readonly unknown[]) => ({ version: three, sent: 0, embeddings: inputs.map(() => [1, 0, 0]) }),
};

const put = (store: Store, id: string, paragraphs: readonly string[], metadata: Metadata = {}) =>
  store.replace(write(scope), documentEntry(id, paragraphs, { embed, document: { metadata } }));

const old = (id: string): readonly string[] => [
  `one heron of ${id} waits`,
  `two heron heron of ${id}`,
  `three of ${id}`,
];

/** More documents than a pool holds, so that scores are looked up and pools grow. */
const ids = Array.from({ length: 16 }, (_, i) => `d${i}`);

async function fill(store: Store): Promise<void> {
  for (const id of ids) await put(store, id, old(id));
}

/** Takes back what one of the writes did. */
async function restore(store: Store): Promise<void> {
  await store.delete(write(scope), { documentIds: ["d99"] }, { purge: true });
  if ((await store.status(read(scope))).documents < ids.length - 1) await fill(store);
  for (const id of ["d1", "d10"]) await put(store, id, old(id));
}

/** One write each, in one transaction. */
const writes: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  "replaces a document by one that matches better": (store) =>
    put(store, "d1", ["one heron heron heron", "two is a heron heron too", "four heron"]),
  "replaces a document by one that does not match": (store) => put(store, "d10", ["one owl", "nine owls"]),
  "adds a document": (store) => put(store, "d99", ["heron heron heron", "another heron"]),
  "deletes a document": (store) => store.delete(write(scope), { documentIds: ["d1"] }),
  "deletes a document for good": (store) => store.delete(write(scope), { documentIds: ["d1"] }, { purge: true }),
  "changes metadata of a hit and words of no hit": (store) =>
    put(store, "d1", [...old("d1").slice(0, 2), "three herons beside heron of d1"], { changed: true }),
  "deletes the scope": (store) => store.delete(write(scope), { scope: true }),
};

const searches: Readonly<Record<string, RetrieveOptions>> = {
  "every leg": { pattern: "heron h", topK: 5 },
  "words and the store's own model": { topK: 5, fusion: "absolute" },
  "words alone": { mode: "lexical", topK: 40 },
  "everything by rank": { topK: "all", fusion: "rrf" },
  "Lucene's syntax": { mode: "lexical", syntax: "lucene", topK: 40 },
};

const shown = (hits: readonly Hit[]) =>
  hits.map(({ chunkId, score, text, metadata }) => ({ chunkId, score, text, metadata }));

async function search(store: Pick<Store, "session">, name: string): Promise<ReturnType<typeof shown>> {
  const withVectors = name !== "words and the store's own model";
  const retriever = createRetriever({
    store,
    embedder: withVectors ? (embedder as never) : undefined,
  });
  return shown(await retriever.retrieve(read(scope), "heron", { ...searches[name], minScore: -1 }));
}

describe.each(eachStore)("a search of the $name store while documents are written", ({ name: of, open }) => {
  // The search is the same over every directory.
  const names = Object.keys(searches).slice(0, of === "memory" ? undefined : 1);
  // Every third point where not all cases run, each search and write from another one on.
  const step = runsAll ? 1 : 3;
  let first = 0;

  it.each(Object.keys(writes))(
    "shows the state before or after one that %s, wherever it falls [L1 L5]",
    async (what) => {
      const store = await open();
      for (const name of names) {
        for (let point = first++ % step, reached = true; reached; point += step) {
          await restore(store);
          const before = await search(store, name);
          expect(before.length).toBeGreaterThan(0);
          let calls = 0;
          let sessions = 0;
          let fell: string | undefined;
          const during = await search(
            disturbed(store, {
              async at(place) {
                if (place === "opened") sessions++;
                if (calls++ !== point) return;
                fell = place;
                await writes[what]!(store);
              },
            }),
            name,
          );
          reached = fell !== undefined;
          if (!reached) break;
          const after = await search(store, name);
          const label = `${name}, ${fell}, call ${point}`;
          const isOld = JSON.stringify(during) === JSON.stringify(before);
          expect({ label, hits: during }).toEqual({ label, hits: isOld ? before : after });
          expect(sessions).toBeLessThanOrEqual(2);
        }
      }
    },
  );

  it("ends with a state that was, under a write at every point [L1 L5]", async () => {
    const store = await open();
    await fill(store);
    for (const name of names) {
      await restore(store);
      const states = [await search(store, name)];
      let writes = 0;
      let sessions = 0;
      const during = await search(
        disturbed(store, {
          async at(place) {
            if (place === "opened") sessions++;
            const number = ++writes;
            await put(store, "d1", [`one heron ${number}`, `two heron heron ${number}`]);
            if (number === 4) await store.delete(write(scope), { documentIds: ["d10"] });
            states.push(await search(store, name));
          },
        }),
        name,
      );
      expect(states.map((state) => JSON.stringify(state))).toContain(JSON.stringify(during));
      expect(sessions).toBe(3);
    }
  });

  it("drops documents that are gone, and loses none that stays, where a search is no transaction [L1]", async () => {
    const store = await open();
    await fill(store);
    for (const name of names) {
      await restore(store);
      let writes = 0;
      let sessions = 0;
      const steps = disturbed(store, {
        async at(place) {
          if (place === "opened") sessions++;
          const number = ++writes;
          await put(store, "d1", [`one heron ${number}`, `two heron heron ${number}`]);
          if (number === 4) await store.delete(write(scope), { documentIds: ["d10"] });
        },
      });
      const during = await search(
        {
          async session(proof, options) {
            const session = await steps.session(proof, options);
            const { scopes, moment, legs } = session;
            return {
              scopes,
              moment,
              legs,
              restrict: (...given) => session.restrict(...given),
              readChunks: (...given) => session.readChunks(...given),
            };
          },
        },
        name,
      );
      expect(sessions).toBe(8);
      const untouched = new Set(ids.filter((id) => id !== "d1" && id !== "d10").flatMap(old));
      // The legs scored another text of d1 than the one that is read.
      expect(during.filter(({ text }) => !untouched.has(text))).toEqual([]);
      expect(new Set(during.map(({ chunkId }) => chunkId)).size).toBe(during.length);
      // All that stays is there, as far as it was asked for.
      const matching = [...untouched].filter((text) => text.includes("heron"));
      const texts = new Set(during.map(({ text }) => text));
      const { topK } = searches[name]!;
      const least = topK === 5 ? 4 : topK === 40 ? matching.length : untouched.size;
      expect([...untouched].filter((text) => texts.has(text)).length).toBeGreaterThanOrEqual(least);
    }
  });

  it("finds a document that each leg misses, one before and one after the write [L1]", async () => {
    const store = await open();
    await put(store, "d1", ["one owl"]);
    const { promise: isWritten, resolve } = Promise.withResolvers<void>();
    let sessions = 0;
    const retriever = createRetriever({
      store: disturbed(store, {
        async at(place) {
          if (place === "opened") sessions++;
          if (place === "before pattern") await isWritten;
          if (place !== "after lexical" || sessions > 1) return;
          await put(store, "d1", ["one heron"]);
          resolve();
        },
      }),
    });
    const hits = await retriever.retrieve(read(scope), "heron", { pattern: "owl" });
    expect([sessions, hits.map(({ text }) => text)]).toEqual([2, ["one heron"]]);
  });
});

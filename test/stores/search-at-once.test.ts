import { describe, expect, it } from "vitest";
import type { LegNow, Query, SessionLeg, StoreSession } from "../../src/contracts/leg.ts";
import type { StoreParts } from "../../src/contracts/store.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { documentEntry, read, three, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

const words: Query = { question: "one heron", text: "one heron", syntax: "literal", embeddings: [] };
const queries: readonly Query[] = [
  words,
  { ...words, text: "her* OR owl", syntax: "lucene" },
  { ...words, pattern: { source: "h.ron", ignoreCase: true } },
  { ...words, embeddings: [{ embedding: [1, 2, 3], version: three, scopes: ["deployment", "team:red"] }] },
];

const entries = ["a", "b", "c", "d"].map((id, i) =>
  documentEntry(id, [`one heron of ${id}`, `two owl ${id}`, `three HERON heron`], {
    embed: (text) => [text.length % 5, i, 1],
    document: { metadata: { even: i % 2 === 0 } },
  }),
);

/** Everything that a leg finds, as plain data. */
const found = (result: Awaited<ReturnType<SessionLeg["search"]>>) =>
  result.matches.map(({ scope, id, score, revision, why }) => ({ scope, id, score, revision, why }));

const filter = { op: "eq", key: "even", value: true } as const;

describe.each(eachStore)("a session of the $name store in one transaction", ({ open }) => {
  it("finds and reads what the session does, to the bit", async () => {
    const store = await open({ corpusModel: latentSemanticModel });
    for (const [i, entry] of entries.entries()) await store.replace(write(i < 2 ? "deployment" : "team:red"), entry);
    const session = await store.session(read("deployment", "team:red"));
    const restriction = session.restrict(filter);
    for (const query of queries) {
      for (const [at, leg] of session.legs.entries()) {
        if (!leg.accepts(query)) continue;
        for (const within of [{}, { restriction }, { only: [{ scope: "team:red", id: "c-one" }] as const }]) {
          const before = await leg.search(query, 3, within);
          const whole = await session.atOnce!(({ legs, readChunks }) => {
            const matches = found(legs[at]!.search(query, 3, within));
            return { name: legs[at]!.name, matches, read: readChunks(matches, { copies: true, totals: true }) };
          });
          expect(whole!.name).toBe(leg.name);
          expect(whole!.matches).toEqual(found(before));
          expect(whole!.matches.length).toBeGreaterThan(0);
          expect(whole!.read).toEqual(await session.readChunks(whole!.matches, { copies: true, totals: true }));
        }
      }
    }
  });

  it("reads nothing outside the session's scopes", async () => {
    const store = await open();
    for (const entry of entries) await store.replace(write("team:red"), entry);
    await store.replace(write("deployment"), documentEntry("mine", ["my heron"]));
    const session = await store.session(read("deployment"));
    const [matches, chunks] = (await session.atOnce!(({ legs, readChunks }) => [
      found(legs[0]!.search(words, "all")),
      readChunks([
        { scope: "team:red", id: "a-one" },
        { scope: "deployment", id: "mine-my" },
      ]),
    ]))!;
    expect(matches.map(({ id }) => id)).toEqual(["mine-my"]);
    expect(chunks.map((chunk) => chunk?.chunk.id)).toEqual([undefined, "mine-my"]);
  });
});

describe("a store whose parts are not its own", () => {
  const partsOf = (): StoreParts =>
    createSegmentStore(createMemoryDirectory(), {
      ...decideStoreOptions({}),
      secret: createSecret(),
      embeddings: ["dense"],
    });
  const openWith = async (change: (parts: StoreParts) => StoreParts): Promise<StoreSession> => {
    const store = composeStore(change(partsOf()));
    await store.replace(write("deployment"), documentEntry("mine", ["my heron"]));
    return store.session(read("deployment"));
  };
  const searchFirst = ({ legs: [first] }: { readonly legs: readonly LegNow[] }) => first!.search(words, "all").matches;

  it("has no transaction for a leg that somebody put around another", async () => {
    const session = await openWith((parts) => ({
      ...parts,
      legs: parts.legs.map((leg) => ({ ...leg, search: (...given) => leg.search(...given) })),
    }));
    expect(await session.atOnce!(searchFirst)).toBeUndefined();
    expect(await session.atOnce!(({ readChunks }) => readChunks([]))).toEqual([]);
  });

  it("has no transaction for chunks that somebody else reads", async () => {
    const session = await openWith((parts) => ({
      ...parts,
      documents: { ...parts.documents, readChunks: (...given) => parts.documents.readChunks(...given) },
    }));
    expect(await session.atOnce!(({ readChunks }) => readChunks([]))).toBeUndefined();
    expect(await session.atOnce!(searchFirst)).toHaveLength(1);
  });

  it("has none where a leg belongs to another store", async () => {
    const other = partsOf();
    const session = await openWith((parts) => ({ ...parts, legs: other.legs }));
    expect(await session.atOnce!(searchFirst)).toBeUndefined();
  });
});

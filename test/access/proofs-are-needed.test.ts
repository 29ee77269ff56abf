import { searchLatent, searchPattern, searchVectors, searchWords } from "../support/search-legs.ts";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createGate, operator, systemAuthority } from "../../src/access/gate.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { EmbeddingVersion } from "../../src/contracts/embedding.ts";
import type { Retriever } from "../../src/contracts/retriever.ts";
import type { AuthorizedScopes, Scope, SystemAuthority } from "../../src/contracts/scope.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { collect } from "../../src/testing/assert.ts";
import { documentWith, wordsOf, writeChunks } from "../../src/testing/store-fixtures.ts";
import { eachStore } from "../stores/each-store.ts";

const copyOf = (proof: AuthorizedScopes) => ({ ...proof });

/** Proofs of the gate, and values that look like one. */
interface Candidates {
  readonly read: AuthorizedScopes;
  readonly write: AuthorizedScopes<"write">;
  readonly maintain: SystemAuthority;
  readonly nothing: undefined;
  readonly list: readonly Scope[];
  readonly lookalike: {
    readonly right: "read";
    readonly scopes: readonly Scope[];
    readonly requested: readonly Scope[];
  };
  readonly copy: ReturnType<typeof copyOf>;
  readonly id: string;
}

type Call = (...given: never) => unknown;
type NamesOfCalls<Part> = { [Name in keyof Part & string]: Part[Name] extends Call ? Name : never }[keyof Part &
  string];

/** The candidates that each call of a part accepts in the place of its proof. */
type Accepted<Part> = {
  [Name in NamesOfCalls<Part>]: {
    [Kind in keyof Candidates]: Part[Name] extends (...given: infer Given) => unknown
      ? Candidates[Kind] extends Given[0]
        ? Kind
        : never
      : never;
  }[keyof Candidates];
};

const version: EmbeddingVersion = { provider: "test", model: "three", dimensions: 3, fingerprint: "three/1" };

/** Every operation of a store that says or changes something, with whatever is taken for a permission. */
const operations: Readonly<Record<string, (store: Store, proof: never) => unknown>> = {
  search: (store, proof) => searchVectors(store, proof, { topK: "all" }),
  lexicalSearch: (store, proof) => searchWords(store, proof, { text: "lantern" }),
  regexSearch: (store, proof) => searchPattern(store, proof, { pattern: "lantern" }),
  latentSearch: (store, proof) => searchLatent(store, proof, { text: "lantern" }),
  chunks: (store, proof) => collect(store.chunks(proof)),
  "chunks by id": (store, proof) => collect(store.chunks(proof, { ids: ["a"] })),
  find: (store, proof) => store.find(proof, "a.txt"),
  document: (store, proof) => store.document(proof, "a"),
  documents: (store, proof) => collect(store.documents(proof)),
  structure: (store, proof) => store.structure(proof, "of a"),
  readText: (store, proof) => store.readText(proof, "of a", 0, 1),
  chunkCounts: (store, proof) => store.chunkCounts(proof, [{ scope: "team:north", documentId: "of a" }]),
  folders: (store, proof) => store.folders(proof),
  status: (store, proof) => store.status(proof),
  moment: (store, proof) => store.moment(proof),
  session: (store, proof) => store.session(proof),
  held: (store, proof) => store.held(proof, "of a", undefined),
  replace: (store, proof) => store.replace(proof, documentWith([wordsOf("b", "x")])),
  delete: (store, proof) => store.delete(proof, { ids: ["a"] }),
  "delete of a scope": (store, proof) => store.delete(proof, { scope: true }),
  versions: (store, proof) => store.versions!.versions(proof),
  lacking: (store, proof) => collect(store.versions!.lacking(proof, version)),
  addVectors: (store, proof) => store.versions!.addVectors(proof, version, []),
  changeVersion: (store, proof) => store.versions!.changeVersion(proof, version),
  deleted: (store, proof) => collect(store.trash!.deleted(proof)),
  scrub: (store, proof) => store.upkeep!.scrub(proof),
  examine: (store, proof) => store.upkeep!.examine(proof),
  // A store without files has none.
  idsInFiles: async (store, proof) => {
    if (store.upkeep!.idsInFiles === undefined) return store.upkeep!.scrub(proof);
    return store.upkeep!.idsInFiles(proof, ["of a"]);
  },
  restore: (store, proof) => store.trash!.restore(proof, { ids: ["a"] }),
  touch: (store, proof) => store.touch(proof, "a", { checkedAt: "2024-01-01T00:00:00.000Z" }),
  scopes: (store, proof) => store.scopes(proof),
  vacuum: (store, proof) => store.trash!.vacuum(proof, { olderThanMs: 0 }),
  native: (store, proof) => store.native(proof, "an engine"),
  "a retriever": (store, proof) => createRetriever({ store }).retrieve(proof, "lantern"),
};

describe("nothing is done without the gate's value", () => {
  it("does not compile: each call accepts its own proof alone [T20 T26 L3]", () => {
    expectTypeOf<Accepted<Omit<Store, "ready" | "close">>>().toEqualTypeOf<{
      session: "read";
      replace: "write";
      delete: "write";
      touch: "write";
      held: "write";
      find: "read";
      document: "read";
      structure: "read";
      readText: "read";
      documents: "read";
      folders: "read";
      chunks: "read";
      chunkCounts: "read";
      scopes: "maintain";
      status: "read";
      moment: "read" | "write";
      native: "maintain";
    }>();
    expectTypeOf<Accepted<NonNullable<Store["versions"]>>>().toEqualTypeOf<{
      versions: "read" | "write";
      lacking: "write";
      addVectors: "write";
      changeVersion: "write";
    }>();
    expectTypeOf<Accepted<NonNullable<Store["trash"]>>>().toEqualTypeOf<{
      deleted: "read";
      restore: "write";
      vacuum: "maintain";
    }>();
    expectTypeOf<Accepted<Required<Omit<NonNullable<Store["upkeep"]>, "settle">>>>().toEqualTypeOf<{
      scrub: "maintain";
      idsInFiles: "maintain";
      examine: "maintain";
    }>();
    expectTypeOf<Accepted<Retriever>>().toEqualTypeOf<{ retrieve: "read" }>();
  });

  it.each(eachStore)("does not run either: $name [T20 T26 L3]", async ({ open }) => {
    const store = await open({ corpusModel: latentSemanticModel });
    const into = createGate().write(operator, "team:north");
    await writeChunks(store, into, [wordsOf("a", "lantern")]);
    const real = createGate().read(operator, ["team:north"]);
    const forged: readonly unknown[] = [
      undefined,
      null,
      "operator",
      ["team:north"],
      { right: "read", scopes: ["team:north"], requested: [] },
      { right: "write", scopes: ["team:north"], requested: [] },
      {},
      { ...real },
      { ...into },
      structuredClone({ ...real }),
      JSON.parse(JSON.stringify(real)),
      Object.create(real),
      Object.create(into),
      new Proxy(real, {}),
      new Proxy(into, {}),
      Object.create(systemAuthority()),
    ];
    const { trash, versions, upkeep } = store;
    const calls = [store, trash, versions, upkeep].flatMap((part) =>
      Object.entries(part ?? {}).flatMap(([name, call]) => (typeof call === "function" ? [name] : [])),
    );
    const free = ["ready", "close", "settle"];
    expect(calls.filter((name) => !free.includes(name) && operations[name] === undefined)).toEqual([]);
    for (const [name, operate] of Object.entries(operations)) {
      for (const [index, proof] of forged.entries()) {
        const attempt = (async () => operate(store, proof as never))();
        await expect(attempt, `${name} with forgery ${index}`).rejects.toMatchObject({ code: "access-denied" });
      }
    }
    expect((await collect(store.chunks(real))).map(({ chunk }) => chunk.id)).toEqual(["a"]);
  });
});

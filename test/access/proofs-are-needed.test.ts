import { searchLatent, searchPattern, searchVectors, searchWords } from "../support/search-legs.ts";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createGate, operator, systemAuthority } from "../../src/access/gate.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { Retriever } from "../../src/contracts/retriever.ts";
import type { AuthorizedScopes, Scope, SystemAuthority } from "../../src/contracts/scope.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { collect } from "../../src/testing/assert.ts";
import { documentWith, wordsOf, writeChunks } from "../../src/testing/store-fixtures.ts";
import { eachStore } from "../stores/each-store.ts";

/**
 * Never called: that it compiles is the test. Each line would be a hole in the gate, and the compiler refuses it.
 */
export async function holes(store: Store, retriever: Retriever, gate: ReturnType<typeof createGate>) {
  const scopes: readonly Scope[] = ["team:north"];
  const looksLikeOne = { right: "read" as const, scopes, requested: scopes };
  const mayWrite = gate.write(operator, "team:north");
  const mayRead = gate.read(operator, scopes);
  // @ts-expect-error -- a list of scopes is no permission
  await store.search(scopes, {});
  // @ts-expect-error -- what looks like a proof is none: its brand cannot be written
  await store.search(looksLikeOne, {});
  // @ts-expect-error -- a proof cannot be copied
  await store.search({ ...mayRead, scopes }, {});
  // @ts-expect-error -- nor left out
  await store.lexicalSearch({ text: "x" });
  // @ts-expect-error -- a right to write is none to read
  await store.regexSearch(mayWrite, { pattern: "x" });
  // @ts-expect-error -- listing is reading
  store.chunks();
  // @ts-expect-error -- listing documents too
  store.documents(scopes);
  // @ts-expect-error -- an id is no permission
  await store.document("id");
  // @ts-expect-error -- a uri is none either
  await store.find("a.txt");
  // @ts-expect-error -- counting is reading
  await store.status();
  // @ts-expect-error -- a right to read is none to write
  await store.replace(mayRead, documentWith([wordsOf("a", "x")]));
  // @ts-expect-error -- nor to delete
  await store.delete(mayRead, { ids: ["a"] });
  // @ts-expect-error -- nor to restore
  await store.restore(mayRead, { ids: ["a"] });
  // @ts-expect-error -- which scopes there are is for maintenance
  await store.scopes(mayRead);
  // @ts-expect-error -- and vacuuming
  await store.vacuum(mayWrite, { olderThanMs: 0 });
  // @ts-expect-error -- maintenance is no right to read
  await store.session(systemAuthority());
  // @ts-expect-error -- a retriever is asked with a proof
  await retriever.retrieve(scopes, "x");
}

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
  status: (store, proof) => store.status(proof),
  moment: (store, proof) => store.moment(proof),
  session: (store, proof) => store.session(proof),
  held: (store, proof) => store.held(proof, "of a", undefined),
  replace: (store, proof) => store.replace(proof, documentWith([wordsOf("b", "x")])),
  delete: (store, proof) => store.delete(proof, { ids: ["a"] }),
  "delete of a scope": (store, proof) => store.delete(proof, { scope: true }),
  restore: (store, proof) => store.trash!.restore(proof, { ids: ["a"] }),
  touch: (store, proof) => store.touch(proof, "a", { checkedAt: "2024-01-01T00:00:00.000Z" }),
  scopes: (store, proof) => store.scopes(proof),
  vacuum: (store, proof) => store.trash!.vacuum(proof, { olderThanMs: 0 }),
  "a retriever": (store, proof) => createRetriever({ store }).retrieve(proof, "lantern"),
};

describe("nothing is done without the gate's value", () => {
  it("does not compile [T20 T26 L3]", () => {
    expectTypeOf<readonly Scope[]>().not.toExtend<AuthorizedScopes>();
    expectTypeOf<Omit<AuthorizedScopes, symbol>>().toExtend<{ readonly scopes: readonly Scope[] }>();
    expectTypeOf<{ right: "read"; scopes: Scope[]; requested: Scope[] }>().not.toExtend<AuthorizedScopes>();
    expectTypeOf<AuthorizedScopes<"write">>().not.toExtend<AuthorizedScopes>();
    expectTypeOf<AuthorizedScopes>().not.toExtend<AuthorizedScopes<"write">>();
    expectTypeOf<SystemAuthority>().not.toExtend<AuthorizedScopes>();
    expectTypeOf<AuthorizedScopes>().not.toExtend<SystemAuthority>();
    expect(holes).toBeTypeOf("function");
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
    for (const [name, operate] of Object.entries(operations)) {
      for (const [index, proof] of forged.entries()) {
        const attempt = (async () => operate(store, proof as never))();
        await expect(attempt, `${name} with forgery ${index}`).rejects.toMatchObject({ code: "access-denied" });
      }
    }
    expect((await collect(store.chunks(real))).map(({ chunk }) => chunk.id)).toEqual(["a"]);
  });
});

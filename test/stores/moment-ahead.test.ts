import { describe, expect, it } from "vitest";
import type { Leg, Moment, Query } from "../../src/contracts/leg.ts";
import type { Store, StoreParts } from "../../src/contracts/store.ts";
import { mayBeginAhead } from "../../src/runtime/begin-ahead.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { isAskedAhead, noteRepeatable, proveLater } from "../../src/stores/compose/moment-ahead.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { documentEntry, read, write } from "./build.ts";

const words: Query = { question: "heron", text: "heron", syntax: "literal", embeddings: [] };

/** A store whose moments are proved when the test says so, and the searches of its leg of words. */
function lateStore(wrap: (leg: Leg) => Leg): { readonly store: Store; readonly prove: () => void; searches: Moment[] } {
  const parts: StoreParts = createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions({}),
    secret: createSecret(),
    embeddings: [],
  });
  const { documents } = parts;
  const [lexical] = parts.legs;
  const searches: Moment[] = [];
  const { promise, resolve: prove } = Promise.withResolvers<void>();
  const moment: typeof documents.moment = async (scopes, ...rest) => {
    const now = await documents.moment(scopes, ...rest);
    return isAskedAhead(scopes)
      ? proveLater(
          now,
          promise.then(() => documents.moment(scopes)),
        )
      : now;
  };
  const watched: Leg = {
    ...lexical!,
    search(query, k, within) {
      searches.push(within.moment);
      return lexical!.search(query, k, within);
    },
  };
  return {
    store: composeStore({ ...parts, documents: { ...documents, moment }, legs: [wrap(watched)] }),
    prove,
    searches,
  };
}

const idsOf = async (found: ReturnType<Store["session"]>): Promise<readonly string[]> => {
  const [leg] = (await found).legs;
  return (await leg!.search(words, 9)).matches.map(({ id }) => id);
};

describe("a session that begins ahead of its proof", () => {
  it("searches a leg of the store at once, and again on a state that was old", async () => {
    const { store, prove, searches } = lateStore(noteRepeatable);
    await store.replace(write("deployment"), documentEntry("a", ["heron"]));
    const found = idsOf(store.session(read("deployment"), mayBeginAhead({})));
    while (searches.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await store.replace(write("deployment"), documentEntry("b", ["heron"]));
    prove();
    expect(await found).toEqual(["a-heron", "b-heron"]);
    expect(searches.map(({ stamps }) => stamps.get("deployment")?.stamp)).toEqual([1, 2]);
  });

  it("asks a leg of the application once, when the state is proved", async () => {
    const { store, prove, searches } = lateStore((leg) => leg);
    await store.replace(write("deployment"), documentEntry("a", ["heron"]));
    const found = idsOf(store.session(read("deployment"), mayBeginAhead({})));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(searches).toEqual([]);
    await store.replace(write("deployment"), documentEntry("b", ["heron"]));
    prove();
    expect(await found).toEqual(["a-heron", "b-heron"]);
    expect(searches.map(({ stamps }) => stamps.get("deployment")?.stamp)).toEqual([2]);
  });

  it("reads no chunks before the proof", async () => {
    const { store, prove } = lateStore(noteRepeatable);
    await store.replace(write("deployment"), documentEntry("a", ["heron"]));
    const session = await store.session(read("deployment"), mayBeginAhead({}));
    const reading = session.readChunks([{ scope: "deployment", id: "b-heron" }]);
    await store.replace(write("deployment"), documentEntry("b", ["heron"]));
    prove();
    expect((await reading)[0]?.chunk.id).toBe("b-heron");
  });

  it("is one whose options are copied by nobody", async () => {
    const { store } = lateStore(noteRepeatable);
    await store.replace(write("deployment"), documentEntry("a", ["heron"]));
    expect(await idsOf(store.session(read("deployment"), { ...mayBeginAhead({}) }))).toEqual(["a-heron"]);
  });
});

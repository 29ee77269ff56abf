import { describe, expect, it } from "vitest";

import type { KnowledgeStore } from "../../src/contracts/knowledge-store.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../src/contracts/vector-store.ts";
import { createCandidatePlaces } from "../../src/stores/candidates/candidate-places.ts";
import { type CandidateSearch, candidateSearchOf } from "../../src/stores/candidates/candidate-search.ts";
import type { DecideScope } from "../../src/stores/candidates/search-candidates.ts";
import { createRandom } from "../../src/testing/random.ts";
import { deployment, forgedProofs, from, into, north } from "../../src/testing/store-fixtures.ts";
import { entry, three } from "./build.ts";
import { eachStore } from "./each-store.ts";

const ids = Array.from({ length: 30 }, (_, i) => `c${i}`);
const query: VectorQuery = { embedding: [1, 2, 3], version: three, topK: 8 };

function searchOf(store: KnowledgeStore): CandidateSearch {
  const search = candidateSearchOf(store);
  if (search === undefined) throw new TypeError("The store takes no candidates.");
  return search;
}

/** Names every one of `ids` as a candidate, whatever the scope. */
function nameAll(places = createCandidatePlaces()): DecideScope {
  const numbers = ids.map((_, number) => number);
  return (_, score) => score({ numbers, idOf: (number) => ids[number], places });
}

describe.each(eachStore)("candidates for the $name store", ({ open }) => {
  it("are scored as a search for their ids scores them, wherever writes, seals and merges have put them [T17 L4 L8]", async () => {
    const store = await open();
    const random = createRandom(5);
    const pick = (): string => ids[Math.floor(random.next() * ids.length)]!;
    const draw = (): number[] => [random.next() - 0.5, random.next() - 0.5, random.next() - 0.5];
    const decide = nameAll();
    const restrictions = [{}, { filter: { op: "eq", key: "half", value: 1 } }, { origins: ["note"] }] as const;
    for (let step = 0; step < 90; step++) {
      const id = pick();
      const more = { metadata: { half: step % 2 }, origin: step % 3 === 0 ? "note" : "user-content" } as const;
      const writes = [
        () => store.upsert(into(deployment), [entry(id, `text ${step}`, draw(), more)]),
        () => store.upsert(into(deployment), [entry(id, "the same", [1, 0, 0]), entry(pick(), "another", [0, 1, 0])]),
        () => store.delete(into(deployment), { ids: [id, pick()] }),
        () => store.restore(into(deployment), { ids }),
        () => store.delete(into(deployment), { ids: [id] }, { purge: true }),
        () => store.settle(),
      ];
      await writes[Math.floor(random.next() * writes.length)]!();
      for (const restriction of restrictions) {
        const asked = { ...query, ...restriction };
        const found = await searchOf(store)(from(deployment), asked, decide);
        expect(found).toEqual(await store.search(from(deployment), { ...asked, chunkIds: ids }));
      }
    }
    expect((await store.search(from(deployment), query)).length).toBe(8);
  });

  it("show nothing without the gate's proof, and nothing of another scope [L3]", async () => {
    const store = await open();
    await store.upsert(into(north), [entry("c1", "north", [1, 2, 3])]);
    await store.upsert(into(deployment), [entry("c2", "deployment", [1, 2, 3])]);
    const places = createCandidatePlaces();
    const found = (scopes: AuthorizedScopes): Promise<readonly VectorMatch[] | undefined> =>
      searchOf(store)(scopes, query, nameAll(places));
    const namesOf = async (...scopes: Scope[]): Promise<string[] | undefined> =>
      (await found(from(...scopes)))?.map(({ chunk }) => chunk.id);
    expect(await namesOf(north)).toEqual(["c1"]);
    // The places of what was found in the other scope are known by now.
    expect(await namesOf(deployment)).toEqual(["c2"]);
    expect(await namesOf(deployment, north)).toEqual(["c2", "c1"]);
    for (const proof of forgedProofs("read"))
      await expect(found(proof as AuthorizedScopes)).rejects.toMatchObject({ code: "access-denied" });
  });

  it("whoever decides can have the scope scanned, or say that it must find out more", async () => {
    const store = await open();
    await store.upsert(
      into(deployment),
      ids.map((id, i) => entry(id, id, [1, i, 3])),
    );
    const search = searchOf(store);
    expect(await search(from(deployment), query, () => "scan")).toEqual(await store.search(from(deployment), query));
    expect(await search(from(deployment), query, () => "unknown")).toBeUndefined();
    const [revision] = (await store.revisions?.(from(deployment))) ?? [];
    const told: unknown[] = [];
    await search(from(deployment), query, (now) => {
      told.push(now);
      return [];
    });
    expect(told).toEqual([revision]);
    // Around a store there may be somebody who hides something.
    expect(candidateSearchOf({ ...store })).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { createGate, operator } from "../../src/access/gate.ts";
import type { Leg, LegMatch, Query, Restriction } from "../../src/contracts/leg.ts";
import type { StoreParts } from "../../src/contracts/store.ts";
import { checkStore } from "../../src/stores/compose/check-store.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { createDocumentStorePack } from "../../src/testing/document-store-pack.ts";
import {
  deployment,
  documentEntryOf,
  documentOf,
  forgedProofs,
  from,
  into,
  north,
} from "../../src/testing/store-fixtures.ts";
import { runPack } from "../contracts/run-pack.ts";

const partsOf = () =>
  createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions({}),
    embeddings: ["dense", "sparse", "hybrid"],
    secret: createSecret(),
  });

const query: Query = { question: "x", text: "x", syntax: "literal", embeddings: [] };

/** A leg that gives what it is told to. */
function legOf(matches: readonly LegMatch[], more: Partial<Leg> = {}): Leg {
  return {
    name: "fake",
    capabilities: { exact: false, filters: "none", visibility: "commit", scoresGivenChunks: true },
    accepts: () => true,
    search: async (_, k) => ({
      matches: k === "all" ? matches : matches.slice(0, k),
      complete: k === "all" || matches.length <= k,
      exact: false,
      calibration: { weight: 1, scale: 1 },
    }),
    ...more,
  };
}

const match = (id: string, revision: number, scope = deployment, score = 1): LegMatch => ({
  id,
  scope,
  revision,
  score,
  why: { kind: "other", details: null },
});

const late = { exact: false, filters: "none", visibility: "later", scoresGivenChunks: false } as const;

describe("composeStore", () => {
  it("is the only maker of a store: no copy is one, and no look-alike", () => {
    const store = composeStore(partsOf());
    expect(checkStore(store)).toBe(store);
    for (const other of [{ ...store }, Object.create(store), new Proxy(store, {}), createMemoryStore]) {
      expect(() => checkStore(other)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
  });

  it.each([
    ["documents", "held", 'documents has no method "held".'],
    ["documents", "readChunks", 'documents has no method "readChunks".'],
    ["versions", "lacking", 'versions has no method "lacking".'],
    ["trash", "restore", 'trash has no method "restore".'],
    ["upkeep", "examine", 'upkeep has no method "examine".'],
  ] as const)("refuses %s without %s, by that name", (part, method, message) => {
    const parts = partsOf();
    const incomplete = { ...parts, [part]: { ...parts[part], [method]: undefined } } as unknown as StoreParts;
    expect(() => composeStore(incomplete)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message, hint: expect.stringMatching(/\w/u) as string }),
    );
  });

  it("refuses a leg without search, without a name, or with the name of another", () => {
    const parts = partsOf();
    const silent = { ...legOf([]), search: undefined } as never;
    const wrong = [[silent], [legOf([], { name: "" })], [legOf([]), legOf([])], [null as never]];
    for (const legs of wrong) {
      expect(() => composeStore({ ...parts, legs })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
  });

  it("offers a capability whole or not at all, and says which", () => {
    const { documents, legs } = partsOf();
    const bare = composeStore({ documents, legs });
    expect(bare.capabilities).toMatchObject({ durability: "none", versions: false, trash: false, upkeep: false });
    expect([bare.versions, bare.trash, bare.upkeep]).toEqual([undefined, undefined, undefined]);
    const whole = composeStore({ ...partsOf(), legs: [legOf([], { capabilities: late })] });
    expect(whole.capabilities).toMatchObject({ versions: true, trash: true, upkeep: true, legs: { fake: late } });
    expect(Object.isFrozen(whole.capabilities)).toBe(true);
  });

  it("gives every write a receipt, and a moment that holds it; a receipt of a commit that is not there is refused", async () => {
    const store = composeStore(partsOf());
    const first = await store.replace(into(deployment), documentEntryOf(documentOf("a.md", "one"), [{ text: "one" }]));
    const second = await store.delete(into(deployment), { documentIds: ["id-of-a.md"] });
    expect(second.receipt).toMatchObject({ scope: deployment, life: first.receipt.life });
    expect(second.receipt.stamp).toBeGreaterThan(first.receipt.stamp);
    const session = await store.session(from(deployment), { after: [first.receipt, second.receipt] });
    expect(session.moment.stamps.get(deployment)?.stamp).toBe(second.receipt.stamp);
    const early = { ...second.receipt, stamp: second.receipt.stamp + 1 };
    await expect(store.session(from(deployment), { after: [early] })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    // Another scope's commits decide nothing here.
    await store.session(from(north), { after: [early] });
    await store.delete(into(deployment), { scope: true });
    await store.session(from(deployment), { after: [first.receipt] });
  });
});

describe("a session of a composed store", () => {
  async function filled(legs: (revisions: readonly number[]) => readonly Leg[]) {
    const parts = partsOf();
    const document = documentOf("a.md", "one\n\ntwo\n\nthree", { metadata: { kind: "text" } });
    const write = documentEntryOf(document, [{ text: "one" }, { text: "two" }, { text: "three" }]);
    await parts.documents.replace(deployment, write);
    await parts.documents.replace(north, documentEntryOf(documentOf("b.md", "hidden"), [{ text: "hidden" }]));
    const ids = write.chunks.map(({ chunk }) => chunk.id);
    const refs = [...ids.map((id) => ({ scope: deployment, id })), { scope: north, id: "id-of-b.md#hidden" }];
    const read = await parts.documents.readChunks(refs, {});
    const revisions = read.map((one) => one!.revision);
    return { store: composeStore({ ...parts, legs: legs(revisions) }), ids, revisions };
  }
  const idsOf = ({ matches }: { readonly matches: readonly LegMatch[] }) => matches.map(({ id }) => id);

  it("is opened with a proof of the gate alone", async () => {
    const { store } = await filled(() => []);
    for (const forged of forgedProofs("read")) {
      await expect(store.session(forged as never)).rejects.toMatchObject({ code: "access-denied" });
    }
    const session = await store.session(createGate().read(operator, [deployment]));
    await store.close();
    await expect(session.readChunks([])).rejects.toMatchObject({ code: "store-closed" });
    await expect(store.session(from(deployment))).rejects.toMatchObject({ code: "store-closed" });
  });

  it("reads chunks of its scopes alone, and copies them out", async () => {
    const { store, ids } = await filled(() => []);
    const session = await store.session(from(deployment));
    const refs = [
      { scope: north, id: "id-of-b.md#hidden" },
      { scope: deployment, id: ids[1]! },
      { scope: deployment, id: "never" },
    ];
    const read = await session.readChunks(refs);
    expect(read.map((one) => one?.chunk.text)).toEqual([undefined, "two", undefined]);
    (read[1]!.chunk.metadata as Record<string, unknown>)["kind"] = "changed";
    expect((await session.readChunks(refs))[1]?.chunk.metadata).toEqual({ kind: "text" });
  });

  it("drops what a leg that lags gives: other scopes, deleted, replaced, filtered out, twice; and asks it for more", async () => {
    const asked: unknown[] = [];
    const { store, ids } = await filled((revisions) => {
      const given = [
        match("id-of-b.md#hidden", revisions[3]!, north, 9),
        ...Array.from({ length: 20 }, (_, i) => match(`never ${i}`, 1, deployment, 8)),
        match("id-of-a.md#one", revisions[0]! + 100, deployment, 7),
        match("id-of-a.md#one", revisions[0]!, deployment, 6),
        match("id-of-a.md#one", revisions[0]!, deployment, 5),
        match("id-of-a.md#two", revisions[1]!, deployment, 4),
        match("id-of-a.md#three", revisions[2]!, deployment, 3),
      ];
      const leg = legOf(given, { capabilities: late });
      return [{ ...leg, search: (one, k, within) => (asked.push(k), leg.search(one, k, within)) }];
    });
    const [leg] = (await store.session(from(deployment))).legs;
    const found = await leg!.search(query, 2);
    expect(idsOf(found)).toEqual([ids[0], ids[1]]);
    expect(found.complete).toBe(false);
    expect(asked.length).toBeGreaterThan(1);
    expect(idsOf(await leg!.search(query, "all"))).toEqual(ids);
    expect(idsOf(await leg!.search(query, "all", { minScore: 4 }))).toEqual(ids.slice(0, 2));
    const none: Restriction = { key: "none", filter: { op: "eq", key: "kind", value: "x" }, admits: () => false };
    expect(idsOf(await leg!.search(query, 3, { restriction: none }))).toEqual([]);
  });

  it("lets no leg out of its scopes, whatever the leg says of itself", async () => {
    const capabilities = { exact: true, filters: "all", visibility: "commit", scoresGivenChunks: true } as const;
    const { store, ids } = await filled((revisions) => [
      legOf([match("id-of-b.md#hidden", revisions[3]!, north, 9), match("id-of-a.md#one", revisions[0]!)], {
        capabilities,
      }),
    ]);
    const [leg] = (await store.session(from(deployment))).legs;
    expect(idsOf(await leg!.search(query, 5))).toEqual([ids[0]]);
  });

  it("refuses a receipt for a leg that sees writes later", async () => {
    const { store } = await filled(() => [legOf([], { capabilities: late })]);
    const { receipt } = await store.delete(into(deployment), { ids: [] });
    const refused = store
      .session(from(deployment), { after: [receipt] })
      .then((session) => session.legs[0]!.search(query, 1));
    await expect(refused).rejects.toMatchObject({ code: "unsupported" });
  });

  it("refuses a number of matches that is none, and stops when its signal does", async () => {
    const { store } = await filled(() => [legOf([])]);
    const session = await store.session(from(deployment));
    await expect(session.legs[0]!.search(query, 0)).rejects.toMatchObject({ code: "invalid-argument" });
    const signal = AbortSignal.abort();
    await expect(store.session(from(deployment), { signal })).rejects.toMatchObject({ code: "aborted" });
    await expect(session.legs[0]!.search(query, 1, { signal })).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("a store whose documents cannot be read in slices", () => {
  runPack(
    createDocumentStorePack({
      create: async () => {
        const { documents, ...parts } = partsOf();
        const { structure: _structure, readText: _readText, ...whole } = documents;
        return composeStore({ ...parts, documents: whole });
      },
      destroy: (store) => store.close(),
    }).filter(({ id }) => /\/(?:slices|structures)-/u.test(id)),
  );
});

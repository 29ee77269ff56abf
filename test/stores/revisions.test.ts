import { searchWords } from "../support/search-legs.ts";
import { describe, expect, it } from "vitest";

import { narrowProof, systemAuthority } from "../../src/access/gate.ts";
import type { Store } from "../../src/contracts/store.ts";
import {
  deployment,
  entryOf,
  forgedProofs,
  from,
  into,
  north,
  south,
  writeChunks,
} from "../../src/testing/store-fixtures.ts";
import { eachStore } from "./each-store.ts";

/** The newest state of the deployment scope. */
async function revisionOf(store: Store): Promise<{ readonly life: string; readonly changes: number }> {
  const { stamps } = await store.moment(from(deployment));
  const { life, stamp } = stamps.get(deployment) ?? { life: "none", stamp: 0 };
  return { life, changes: stamp };
}

describe.each(eachStore)("revisions of the $name store", ({ open }) => {
  it("count every call that changed something, in its scope alone, and nothing else", async () => {
    const store = await open();
    const put = (...ids: string[]) =>
      writeChunks(
        store,
        into(deployment),
        ids.map((id) => entryOf(id, [1, 0])),
      );
    expect(await revisionOf(store)).toEqual({ life: "none", changes: 0 });
    // Segments of two: writes seal and merge on their way, which counts for nothing.
    for (const [i, id] of ["a", "b", "c", "d", "e"].entries()) {
      await put(id);
      expect((await revisionOf(store)).changes).toBe(i + 1);
    }
    const { life } = await revisionOf(store);
    await store.upkeep!.settle();
    await writeChunks(store, into(north), [entryOf("n", [1, 0])]);
    await store.delete(into(deployment), { ids: ["unknown"] });
    await searchWords(store, from(deployment), { text: "text" });
    expect(await revisionOf(store)).toEqual({ life, changes: 5 });
    await store.delete(into(deployment), { ids: ["a", "b"] });
    await store.trash!.restore(into(deployment), { ids: ["a"] });
    expect(await revisionOf(store)).toEqual({ life, changes: 7 });
    expect(await store.moment(into(deployment))).toEqual(await store.moment(from(deployment)));
  });

  it("begin another life when something is removed for good [L8]", async () => {
    const store = await open();
    const lives = new Set<string>();
    const live = async (): Promise<number> => lives.add((await revisionOf(store)).life).size;
    await writeChunks(store, into(deployment), [entryOf("a", [1, 0]), entryOf("b", [1, 0]), entryOf("c", [1, 0])]);
    expect(await live()).toBe(1);
    await store.delete(into(deployment), { ids: ["a"] });
    expect(await live()).toBe(1);
    await store.delete(into(deployment), { ids: ["a"] }, { purge: true });
    expect(await live()).toBe(2);
    await store.delete(into(deployment), { ids: ["a"] }, { purge: true });
    await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
    expect(await live()).toBe(2);
    await store.delete(into(deployment), { ids: ["b"] });
    await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
    expect(await live()).toBe(3);
    await store.delete(into(deployment), { scope: true });
    expect(await live()).toBe(4);
    await writeChunks(store, into(deployment), [entryOf("a", [1, 0])]);
    expect(await live()).toBe(5);
  });

  it("are told only with the gate's permission [T20 L3]", async () => {
    const store = await open();
    const forged = forgedProofs("read").filter((proof) => (proof as { right?: string } | null)?.right !== "write");
    for (const proof of forged) {
      await expect(store.moment(proof)).rejects.toMatchObject({ code: "access-denied" });
    }
    await expect(store.moment(structuredClone(into(deployment)))).rejects.toMatchObject({ code: "access-denied" });
  });
});

it("a permission can be made narrower, never wider, and only out of the gate's [L3]", () => {
  const proof = from(deployment, north);
  expect(narrowProof(proof, [north]).scopes).toEqual([north]);
  expect(narrowProof(proof, [south, north]).scopes).toEqual([north]);
  expect(narrowProof(proof, []).scopes).toEqual([]);
  for (const forged of forgedProofs("read")) {
    expect(() => narrowProof(forged as never, [deployment])).toThrowError(
      expect.objectContaining({ code: "access-denied" }),
    );
  }
});

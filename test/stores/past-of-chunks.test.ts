import { describe, expect, it } from "vitest";
import type { Store } from "../../src/contracts/store.ts";
import { collect, documentEntry, read, system, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

const scope = "deployment";
/** Ids of the chunks that stood at a time. */
async function stoodAt(store: Store, time: number): Promise<readonly string[]> {
  const past = await store.history!.at(read(scope), time);
  return (await collect(past.chunks(read(scope)))).map(({ chunk }) => chunk.id);
}

describe.each(eachStore)("single chunks in the past of $name", ({ open }) => {
  it("are away from their delete until their restore, and gone from every time once purged", async () => {
    let now = 1000;
    const store = await open({ now: () => now });
    await store.history!.keep(system, true);
    await store.replace(write(scope), documentEntry("plan", ["one heron", "two herons"]));
    now = 2000;
    await store.delete(write(scope), { ids: ["plan-one"] });
    now = 3000;
    await store.trash!.restore(write(scope), { ids: ["plan-one"] });
    now = 4000;
    await store.replace(write(scope), documentEntry("plan", ["three herons"]));
    now = 5000;
    const times = [999, 1000, 1999, 2000, 2999, 3000, 3999, 4000, 5000];
    const stood = async () => {
      const all = [];
      for (const time of times) all.push(await stoodAt(store, time));
      return all;
    };
    const [one, two, three] = ["plan-one", "plan-two", "plan-three"];
    expect(await stood()).toEqual([[], [one, two], [one, two], [two], [two], [one, two], [one, two], [three], [three]]);
    await store.delete(write(scope), { ids: ["plan-one"] }, { purge: true });
    expect(await stood()).toEqual([[], [two], [two], [two], [two], [two], [two], [three], [three]]);
  });
});

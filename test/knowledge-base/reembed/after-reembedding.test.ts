import { describe, expect, it } from "vitest";
import { eachStore } from "../../stores/each-store.ts";
import { knowledgeBaseOver as over } from "../../support/knowledge-base-over.ts";
import { lettersModel } from "./letters-model.ts";

const inputs = Array.from({ length: 5 }, (_, i) => ({ uri: `${i}.txt`, text: `The ${"heron ".repeat(i + 1)}waits.` }));

describe.each(eachStore)("an ingestion after a re-embedding, in a store in $name", ({ open }) => {
  it("of what has not changed writes nothing, though another model made it [T44 L7]", async () => {
    const store = await open();
    await over(store, lettersModel("old", "e")).ingest(inputs);
    const model = lettersModel("new", "a");
    const kb = over(store, model, [lettersModel("old", "e")]);
    await kb.reembed();
    const calls = model.calls.length;
    const before = await kb.document("0.txt");
    for (let time = 0; time < 2; time++)
      expect(await kb.ingest(inputs)).toMatchObject({ unchanged: 5, updated: 0, embedded: 0 });
    // But for the note of which model it is of now.
    expect({ ...(await kb.document("0.txt")), fingerprint: before?.fingerprint }).toEqual(before);
    expect(model.calls.length).toBe(calls);
    // What did change is read, and what a refused or unfinished run left without a vector gets one.
    expect(await kb.ingest([{ ...inputs[0]!, text: "The otter swims." }])).toMatchObject({ updated: 1, embedded: 2 });
  });

  it("that was not finished gives what lacks a vector one [T44 L7]", async () => {
    const store = await open();
    await over(store, lettersModel("old", "e")).ingest(inputs);
    const kb = over(store, lettersModel("new", "a"));
    for await (const { type } of kb.reembed({ batchSize: 2 })) if (type === "reembedded") break;
    const { unchanged, updated, embedded } = await kb.ingest(inputs);
    expect([unchanged + updated, embedded]).toEqual([5, updated]);
    expect(updated).toBeGreaterThanOrEqual(1);
    expect(await kb.ingest(inputs)).toMatchObject({ unchanged: 5, embedded: 0 });
  });
});

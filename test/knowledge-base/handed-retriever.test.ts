import { expect, it } from "vitest";

import { openKnowledgeBase } from "../../src/index.node.ts";

const documents = [
  { uri: "a", text: "The heron waits.", metadata: { year: 2023, place: "weir" } },
  { uri: "b", text: "The heron flies.", metadata: { year: 2024, place: "weir" } },
  { uri: "c", text: "The heron sleeps.", metadata: { year: 2024, place: "wood" } },
];
const urisOf = (hits: readonly { readonly source: { readonly uri: string } }[]): readonly string[] =>
  hits.map(({ source }) => source.uri);

it("a knowledge base hands out the retriever of its caller, which finds what search finds [B47]", async () => {
  await using kb = await openKnowledgeBase();
  await kb.ingest(documents);
  await kb.ingest({ uri: "own", text: "The heron of Ada." }, { scope: "user:ada" });
  const retriever = kb.retriever();
  expect(await retriever.retrieve("heron waits")).toEqual(await kb.search("heron waits"));
  expect(await retriever.retrieve("heron", { topK: 1 })).toEqual(await kb.search("heron", { topK: 1 }));
  expect(urisOf(await kb.as({ userId: "bob" }).retriever().retrieve("Ada"))).not.toContain("own");
  expect(urisOf(await kb.as({ userId: "ada" }).retriever().retrieve("Ada", { topK: 1 }))).toEqual(["own"]);
});

it("a call of a handed retriever narrows what was set, and widens nothing [L3]", async () => {
  await using kb = await openKnowledgeBase();
  await kb.ingest(documents);
  await kb.ingest({ uri: "other", text: "The heron elsewhere." }, { scope: "team:south" });
  const set = kb.retriever({ filter: { year: 2024 }, scopes: ["deployment"], mode: "lexical", topK: 1 });
  expect(urisOf(await set.retrieve("heron", { topK: 9 })).toSorted()).toEqual(["b", "c"]);
  expect(await set.retrieve("heron")).toHaveLength(1);
  expect(urisOf(await set.retrieve("heron", { filter: { place: "weir" }, topK: 9 }))).toEqual(["b"]);
  expect(await set.retrieve("heron", { filter: { year: 2023 } })).toEqual([]);
  expect(await set.retrieve("heron", { scopes: ["team:south"] })).toEqual([]);
  expect(urisOf(await kb.retriever({ topK: 9 }).retrieve("elsewhere", { scopes: ["team:south"] }))).toEqual(["other"]);
});

it("a handed retriever refuses unknown options, those that are set at once", async () => {
  await using kb = await openKnowledgeBase();
  expect(() => kb.retriever({ limit: 3 } as never)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  await expect(kb.retriever().retrieve("x", { limit: 3 } as never)).rejects.toMatchObject({ code: "invalid-argument" });
});

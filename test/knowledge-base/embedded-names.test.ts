import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";
import { openFacts } from "../../src/knowledge-base/entities/open-facts.ts";
import { embeddedText } from "../../src/text/embedded-text.ts";

const textsOf = (model: ReturnType<typeof createFixedEmbeddingModel>): readonly string[] =>
  model.calls.flatMap(({ inputs }) =>
    inputs.map((input) => (typeof input === "string" ? input : "text" in input ? (input.text ?? "") : "")),
  );

it("joins title, headings and text, each name once", () => {
  expect(embeddedText({ title: "Telemetry", headings: ["Telemetry", "Opting out "], text: "Set it to False." })).toBe(
    "Telemetry\nOpting out\nSet it to False.",
  );
  expect(embeddedText({ title: " ", headings: [], text: "Alone." })).toBe("Alone.");
});

it("gives the model title and headings of each chunk, and shows the text unchanged", async () => {
  const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: () => [1, 0] });
  await using kb = await openKnowledgeBase(undefined, { models: { embedding: model } });
  await kb.ingest({ uri: "telemetry.md", text: "# Telemetry\n\n## Opting out\n\nSet the variable to False.\n" });
  expect(textsOf(model).some((text) => /^Telemetry\n(?:.*\n)*.*Set the variable to False\./u.test(text))).toBe(true);
  const [hit] = await kb.search("variable", { mode: "lexical" });
  expect(hit?.text.startsWith("Telemetry\nOpting out")).toBe(false);
  expect(hit?.text).toContain("Set the variable to False.");
});

it("embeds a chunk again when its document's title changes, and not when nothing does", async () => {
  const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: (text) => [text.length, 1] });
  await using kb = await openKnowledgeBase(undefined, { models: { embedding: model } });
  const document = { uri: "a.txt", text: "The heron waits." };
  await kb.ingest({ ...document, title: "Birds" });
  await kb.ingest({ ...document, title: "Birds" });
  expect(textsOf(model).filter((text) => text.endsWith("The heron waits."))).toEqual(["Birds\nThe heron waits."]);
  await kb.ingest({ ...document, title: "Herons" });
  expect(textsOf(model).at(-1)).toBe("Herons\nThe heron waits.");
});

it("names the composition in the version of the vectors, so that older ones are another version", async () => {
  const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: () => [1, 0] });
  await using kb = await openKnowledgeBase(undefined, { models: { embedding: model } });
  await kb.ingest({ uri: "a.txt", text: "The heron waits." });
  const { versions } = await kb.status();
  expect(versions[0]?.current?.fingerprint).toMatch(/(?:^| )named\/1$/u);
});

it("embeds the text alone with embedNames: false: entities by name and description, facts by assertion [E9]", async () => {
  const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: () => [1, 0] });
  await using kb = await openKnowledgeBase(undefined, { models: { embedding: model, embedNames: false } });
  await kb.ingest({ uri: "birds.md", text: "# Birds\n\n## Heron\n\nIt waits.\n", title: "Of birds" });
  await openEntities(kb, "things").upsert({ id: "inn", name: "The Inn", description: "By the sea." });
  await openFacts(kb).assert({ id: "f", assertion: "Eels migrate.", authority: "Ada" });
  expect(textsOf(model).toSorted()).toEqual([
    "# Birds\n\n## Heron\n\nIt waits.",
    "Eels migrate.",
    "The Inn: By the sea.",
  ]);
  const hits = await kb.search("waits", { mode: "dense" });
  expect(hits.length).toBe(3);
  expect(hits).not.toHaveProperty("warnings");
  expect(await kb.status()).not.toHaveProperty("warnings");
});

it("keeps vectors with names until a re-embedding, when embedNames is turned off", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-names-"));
  const open = (embedNames?: boolean) => {
    const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: (text) => [1, text.length] });
    return openKnowledgeBase(folder, { models: { embedding: model, embedNames } }).then((kb) => ({ kb, model }));
  };
  const first = await open();
  await first.kb.ingest({ uri: "a.txt", title: "Birds", text: "The heron waits." });
  await first.kb.close();
  const { kb, model } = await open(false);
  expect(await kb.search("heron", { mode: "dense" })).toHaveLength(1);
  await kb.reembed();
  expect(textsOf(model)).toContain("The heron waits.");
  expect((await kb.status()).versions[0]?.current?.fingerprint).toBe("");
  await kb.close();
  rmSync(folder, { recursive: true });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setUnnamed } from "../../src/contracts/embedding.ts";
import type { Embedder, EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Store } from "../../src/contracts/store.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { rememberVersions } from "../../src/knowledge-base/remember-versions.ts";
import { withFingerprint } from "../../src/models/embedder/with-fingerprint.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { createFixedEmbeddingModel, type FixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import { callIbid } from "../cli/run-ibid.ts";

/** A model that knows one word: whether a text names the heron. */
const create = (name: string, fingerprint?: string): FixedEmbeddingModel =>
  createFixedEmbeddingModel(
    {},
    {
      model: name,
      dimensions: 2,
      ...(fingerprint !== undefined && { fingerprint }),
      otherwise: (text) => (/heron/iu.test(text) ? [1, 0] : [0, 1]),
    },
  );
const textsOf = ({ calls }: FixedEmbeddingModel, purpose: "document" | "query" = "document"): readonly string[] =>
  calls
    .filter((call) => call.purpose === purpose)
    .flatMap(({ inputs }) =>
      inputs.map((input) => (typeof input === "string" ? input : "text" in input ? input.text : "")),
    );

const birds = { uri: "birds.txt", title: "Heron", text: "It waits in the reeds." };
const tea = { uri: "tea.txt", title: "Tea", text: "Served at five." };
const later = { uri: "later.txt", title: "Later", text: "A heron again." };

let project: string;
let folder: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "ibid-unnamed-"));
  folder = join(project, ".ibid");
});
afterEach(() => rmSync(project, { recursive: true }));

/** Ingests as before names were embedded. */
async function ingestAsBefore(model: EmbeddingModel): Promise<void> {
  await using kb = await openKnowledgeBase(folder, {
    models: { embedding: withFingerprint(model, setUnnamed(model.fingerprint)) },
  });
  await kb.ingest([birds, tea]);
}
const note = {
  code: "unnamed-vectors",
  message: "The vectors of deployment were made by testing/old without titles and headings; searches go on with them.",
  hint: "Embed anew with kb.reembed() (ibid reembed), so that titles and headings count.",
  model: "testing/old",
  scopes: ["deployment"],
};

describe.each([undefined, "f1"])("vectors without names, of a model with the fingerprint %s", (fingerprint) => {
  it("are those of the model's own version", async () => {
    await ingestAsBefore(create("old", fingerprint));
    await using kb = await openKnowledgeBase(folder, { models: { embedding: null } });
    const version = { provider: "testing", model: "old", dimensions: 2, fingerprint: fingerprint ?? "" };
    expect((await kb.status()).versions).toMatchObject([{ scope: "deployment", current: version }]);
  });

  it("serve as a former version until a re-embedding, with a note in status alone", async () => {
    await ingestAsBefore(create("old", fingerprint));
    const model = create("old", fingerprint);
    await using kb = await openKnowledgeBase(folder, { models: { embedding: model } });
    for (const mode of ["dense", "hybrid"] as const) {
      const hits = await kb.search("heron", { mode });
      expect(hits).not.toHaveProperty("warnings");
      expect(hits.length).toBeGreaterThan(0);
    }
    expect(textsOf(model, "query")).toEqual(["heron"]);
    expect((await kb.status()).warnings).toEqual([note]);
    expect((await kb.status()).warnings).toEqual([note]);
    // Neither text holds the word; the title of one does.
    const closeness = async () =>
      (await kb.search("heron", { mode: "dense", minScore: -1, explain: true })).map(({ source, score }) => [
        source.uri,
        score,
      ]);
    expect(await closeness()).toEqual([
      ["birds.txt", 0],
      ["tea.txt", 0],
    ]);
    await kb.reembed();
    expect(await closeness()).toEqual([
      ["birds.txt", 1],
      ["tea.txt", 0],
    ]);
    expect(await kb.status()).not.toHaveProperty("warnings");
    expect((await kb.status()).versions[0]?.current?.fingerprint).toMatch(/named\/1$/u);
  });

  it("get company by new documents of both kinds, and only named ones after the re-embedding", async () => {
    await ingestAsBefore(create("old", fingerprint));
    const model = create("old", fingerprint);
    await using kb = await openKnowledgeBase(folder, { models: { embedding: model } });
    await kb.ingest(later);
    expect(textsOf(model).toSorted()).toEqual(["A heron again.", "Later\nA heron again."]);
    expect((await kb.search("heron", { mode: "dense" }))[0]?.source.uri).toBe("later.txt");
    await kb.reembed();
    const before = textsOf(model).length;
    await kb.ingest({ ...later, text: "No bird." });
    expect(textsOf(model).slice(before)).toEqual(["Later\nNo bird."]);
  });
});

describe("vectors without names", () => {
  it("serve beside another model that has the old one as a former model", async () => {
    await ingestAsBefore(create("old"));
    await using kb = await openKnowledgeBase(folder, {
      models: { embedding: create("new"), formerEmbeddings: [create("old")] },
    });
    expect(await kb.search("heron", { mode: "dense" })).not.toHaveProperty("warnings");
    expect((await kb.status()).warnings).toEqual([note]);
  });

  it("do not serve a model with another fingerprint", async () => {
    await ingestAsBefore(create("old", "f1"));
    await using kb = await openKnowledgeBase(folder, { models: { embedding: create("old", "f2") } });
    expect((await kb.search("heron")).warnings).toMatchObject([{ code: "other-embedding-model" }]);
  });

  it("are noted by ibid status, which opens no model", async () => {
    await ingestAsBefore(create("old"));
    writeFileSync(join(folder, "models.json"), JSON.stringify({ embeddingModel: "testing/old" }));
    const { code, stdout, stderr } = await callIbid(project, ["status"]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(note.message) as string });
    expect(stdout).toContain("testing/old, 2 dimensions: 2 chunks");
    const json = await callIbid(project, ["status", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ warnings: [note] });
  });
});

describe("rememberVersions", () => {
  const secret = new Uint8Array([1]);
  const named = createEmbedder(create("m"), { secret });
  const unnamed = createEmbedder(withFingerprint(create("m"), setUnnamed(undefined)), { secret });

  async function countQuestions(current: Embedder | undefined, former: readonly Embedder[]): Promise<number> {
    let asked = 0;
    const versions = {
      async versions({ scopes }: { readonly scopes: readonly string[] }) {
        asked++;
        return scopes.map((scope) => ({ scope, current: current?.version }));
      },
    };
    const store = rememberVersions({ versions } as unknown as Store, named, former);
    const proof = { scopes: ["deployment"] } as never;
    const found = [await store.versions?.versions(proof), await store.versions?.versions(proof)];
    expect(found[0]).toEqual([{ scope: "deployment", current: current?.version }]);
    expect(found[1]).toEqual(found[0]);
    return asked;
  }

  it("asks once about a scope that the model serves, and each time about another one", async () => {
    expect(await countQuestions(named, [unnamed])).toBe(1);
    expect(await countQuestions(undefined, [unnamed])).toBe(1);
    expect(await countQuestions(unnamed, [unnamed])).toBe(2);
  });

  it("asks each time where a former model is configured", async () => {
    expect(await countQuestions(named, [unnamed, createEmbedder(create("other"), { secret })])).toBe(2);
  });
});

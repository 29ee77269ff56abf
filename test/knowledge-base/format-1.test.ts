import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import { wordsAlone } from "../../src/engine/bm25/bm25-settings.ts";
import type { Analyzer } from "../../src/contracts/analyzer.ts";
import type { StandardSchema } from "../../src/contracts/schema.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { questions, sampleChunks, sampleRecords, sampleTexts } from "../fixtures/format-1/content.ts";
import { collect } from "../../src/testing/assert.ts";
import { sampleModel } from "../fixtures/format-1/model.ts";

interface Recorded {
  readonly documents: readonly { readonly uri: string; readonly scope: string; readonly id: string }[];
  readonly chunks: readonly { readonly scope: string; readonly id: string }[];
  readonly hits: Record<string, readonly { readonly chunkId: string; readonly uri: string }[]>;
}

const sample = (name: string): URL => new URL(`../fixtures/format-1/${name}`, import.meta.url);
const recorded = JSON.parse(readFileSync(sample("recorded.json"), "utf8")) as Recorded;
const home = mkdtempSync(join(tmpdir(), "format-1-"));
const pristine = join(home, "pristine.sqlite");
const opened: KnowledgeBase[] = [];
let folders = 0;

beforeAll(() => writeFileSync(pristine, gunzipSync(readFileSync(sample("ibid.sqlite.gz")))));
afterEach(async () => {
  for (const kb of opened.splice(0)) await kb.close();
});
afterAll(() => rmSync(home, { recursive: true }));

const open = async (
  folder: string,
  search: { readonly analyzer?: Analyzer; readonly bm25?: object } = {},
): Promise<KnowledgeBase> => {
  const kb = await openKnowledgeBase(folder, {
    search,
    models: { embedding: sampleModel },
    operations: { events: false },
  });
  opened.push(kb);
  return kb;
};

/** A knowledge base as format 1 left it, and where it lies. */
async function openSample(analyzer?: Analyzer): Promise<{ readonly kb: KnowledgeBase; readonly folder: string }> {
  const folder = join(home, `kb-${++folders}`);
  // Opening makes the folder; what it holds is then the sample.
  await (await open(folder)).close();
  copyFileSync(pristine, join(folder, "ibid.sqlite"));
  // What was recorded is ranked by words alone, as it was then.
  return { kb: await open(folder, { bm25: wordsAlone, ...(analyzer && { analyzer }) }), folder };
}

/** Loose chunks that were live, by the document that they named. */
const adopted = [
  { uri: "elsewhere/manual", scope: "deployment", chunks: 4 },
  { uri: "elsewhere/faq", scope: "deployment", chunks: 1 },
  { uri: "notes/rivers.md#chunks", scope: "deployment", chunks: 1 },
  { uri: "elsewhere/readings", scope: "team:survey", chunks: 2 },
];

describe("a knowledge base of format 1", () => {
  it("holds loose chunks, before it is opened", () => {
    const db = new DatabaseSync(pristine, { readOnly: true });
    expect(db.prepare("SELECT count(*) AS count FROM chunks WHERE document = 0").get()).toEqual({ count: 12 });
    db.close();
  });

  it("opens, and every chunk belongs to a document that says what it says [L1]", async () => {
    const { kb, folder } = await openSample();
    for (const { scope, chunk } of await collect(kb.chunks())) {
      const document = await kb.document(chunk.uri, { scope });
      expect(document?.id).toBe(chunk.documentId);
      expect(document?.text.slice(chunk.start, chunk.end)).toBe(chunk.urtext);
    }
    // Its vectors were made without names: they are of another version until they are made anew.
    expect((await kb.doctor()).findings).toMatchObject([{ kind: "stale-version", count: 15 }]);
    await kb.reembed();
    expect((await kb.doctor()).findings).toEqual([]);
    await kb.close();
    const db = new DatabaseSync(join(folder, "ibid.sqlite"), { readOnly: true });
    expect(db.prepare("SELECT count(*) AS count FROM chunks WHERE document = 0").get()).toEqual({ count: 0 });
    db.close();
  });

  it("opens with another analyzer, and finds its chunks by the new terms [L7]", async () => {
    const syllables: Analyzer = { fingerprint: "test/first-three", analyze: (text) => text.match(/\b\w{3}/gu) ?? [] };
    const { kb } = await openSample(syllables);
    const manual = await kb.search("Sluggish", { mode: "lexical", topK: "all" });
    expect(manual.map(({ source }) => source.uri)).toContain("elsewhere/manual");
    await kb.reembed();
    expect((await kb.doctor()).findings).toEqual([]);
  });

  it("keeps its chunks, its documents and their ids", async () => {
    const { kb } = await openSample();
    const chunks = (await collect(kb.chunks())).map(({ scope, chunk }) => ({ scope, id: chunk.id }));
    expect(chunks).toEqual(recorded.chunks);
    expect((await collect(kb.list())).map(({ path }) => path)).toContain("notes/rivers.md");
    const listed = (await collect(kb.list())).map(({ uri, scope, id, chunks: count }) => ({
      uri,
      scope,
      id,
      chunks: count,
    }));
    expect(listed).toEqual(expect.arrayContaining([...recorded.documents]));
    const others = listed.filter(({ id }) => recorded.documents.every((before) => before.id !== id));
    const scrap = { uri: expect.stringMatching(/^chunks:[0-9a-f]{32}$/u), scope: "deployment", chunks: 1 };
    expect(others.map(({ uri, scope, chunks: count }) => ({ uri, scope, chunks: count }))).toEqual(
      expect.arrayContaining([...adopted, scrap]),
    );
    expect(others).toHaveLength(5);
  });

  it("finds what it found, in order, with every score", async () => {
    const { kb } = await openSample();
    const scrap = expect.stringMatching(/^chunks:/u) as string;
    const moved = new Map([
      ["errata-0", "notes/rivers.md#chunks"],
      ["scrap-0", scrap],
    ]);
    const isOfWords = ({ options }: (typeof questions)[number]): boolean =>
      "mode" in options && options.mode !== "dense";
    for (const { name, query, options } of questions.filter(isOfWords)) {
      const hits = await kb.search(query, options);
      const shown = hits.map(({ chunkId, scope, score, text, source: { uri, title, headings } }) => ({
        chunkId,
        scope,
        score,
        text,
        uri,
        title,
        headings,
      }));
      const before = recorded.hits[name]!.map((hit) => ({ ...hit, uri: moved.get(hit.chunkId) ?? hit.uri }));
      // Equal scores were in the order of ids then.
      const scores = new Map(shown.map(({ chunkId, score }) => [chunkId, score]));
      const inOrder = <One extends { readonly chunkId: string }>(found: readonly One[]): readonly One[] =>
        found.toSorted((a, b) => scores.get(b.chunkId)! - scores.get(a.chunkId)! || (a.chunkId < b.chunkId ? -1 : 1));
      expect({ name, hits: inOrder(shown) }).toEqual({ name, hits: inOrder(before) });
    }
    expect(questions.filter(isOfWords)).toHaveLength(3);
  });

  it("finds by meaning what it found, by its vectors without names and by those that are made anew", async () => {
    const { kb } = await openSample();
    const ofMeaning = questions.filter(({ options }) => !("mode" in options));
    expect(ofMeaning).toHaveLength(3);
    const expectAll = async (): Promise<void> => {
      for (const { name, query, options } of ofMeaning) {
        const hits = await kb.search(query, { ...options, fusion: "weighted", topK: 30 });
        const ids = hits.map(({ chunkId }) => chunkId);
        expect({ name, ids }).toEqual({
          name,
          ids: expect.arrayContaining(recorded.hits[name]!.map(({ chunkId }) => chunkId)),
        });
        expect(hits.warnings ?? []).toEqual([]);
      }
    };
    expect((await kb.status()).warnings).toMatchObject([{ code: "unnamed-vectors" }]);
    await expectAll();
    await kb.reembed();
    expect((await kb.status()).warnings ?? []).toEqual([]);
    await expectAll();
  });

  it("opens, outlines and expands what came as loose chunks", async () => {
    const { kb } = await openSample();
    const manual = await kb.document("elsewhere/manual");
    const texts = sampleChunks[0]!.chunks.slice(0, 4).map(({ urtext }) => urtext);
    expect(manual).toMatchObject({ text: texts.join("\n\n"), mediaType: "application/vnd.ibid.chunks" });
    expect(manual?.metadata).toEqual({ topic: "kept", status: "current" });
    const outline = await kb.outline("elsewhere/manual");
    expect(outline?.sections.map(({ headings }) => headings)).toEqual([
      [],
      ["Sluice"],
      ["Sluice", "Opening"],
      ["Sluice", "Closing"],
      ["Channel"],
      ["Upkeep"],
    ]);
    const excerpt = await kb.expand("manual-1", { zoomOut: 2 });
    expect(excerpt).toMatchObject({ headings: ["Sluice"], text: `${texts.slice(0, 2).join("\n\n")}\n\n` });
    expect((await kb.expand("readings-1", { neighbours: 1, scope: "team:survey" }))?.chunks).toHaveLength(2);
  });

  it("cites what came as loose chunks [L2]", async () => {
    const { kb } = await openSample();
    const { citations } = await kb.ask("When are the gears greased?");
    expect(citations[0]).toMatchObject({ uri: "elsewhere/manual", quote: "Grease the gears each spring." });
    const document = await kb.document("elsewhere/manual");
    expect(document?.text.slice(citations[0]!.start, citations[0]!.end)).toBe(citations[0]!.quote);
  });

  it("deletes, restores and purges what came as loose chunks", async () => {
    const { kb } = await openSample();
    const found = async (): Promise<number> => (await kb.search("sluice", { mode: "lexical", topK: "all" })).length;
    const gone = { uri: "elsewhere/manual", scope: "deployment", chunks: 4 };
    expect(await kb.delete("elsewhere/manual")).toEqual([gone]);
    expect(await found()).toBe(0);
    expect(await kb.restore("elsewhere/manual")).toEqual([gone]);
    expect(await found()).toBe(2);
    await kb.delete("elsewhere/manual", { purge: true });
    expect(await kb.restore("elsewhere/manual")).toEqual([]);
    expect(await found()).toBe(0);
    await kb.reembed();
    expect((await kb.doctor({ absent: ["Grease the gears each spring."] })).findings).toEqual([]);
  });

  it("restores what was deleted before, loose chunks included", async () => {
    const { kb } = await openSample();
    expect(await kb.search("museum", { mode: "lexical" })).toEqual([]);
    expect(await kb.restore("elsewhere/leaflet")).toEqual([
      { uri: "elsewhere/leaflet", scope: "deployment", chunks: 2 },
    ]);
    expect(await kb.search("museum", { mode: "lexical" })).toHaveLength(2);
    // Beside the live chunk of the same document.
    expect(await kb.restore("elsewhere/faq#chunks")).toEqual([
      { uri: "elsewhere/faq#chunks", scope: "deployment", chunks: 1 },
    ]);
    expect((await kb.document("elsewhere/faq"))?.text).toBe("Why does the river smell? Algae bloom in the backwater.");
    expect((await kb.document("elsewhere/faq#chunks"))?.text).toMatch(/^May I fish/u);
    expect(await kb.restore("notes/withdrawn.md", { scope: "deployment" })).toHaveLength(1);
  });

  it("takes the same documents and records again without a write [L7]", async () => {
    const { kb } = await openSample();
    await kb.reembed();
    const kept = sampleTexts.filter(({ uri }) => !["notes/withdrawn.md", "notes/outdated.txt"].includes(uri));
    for (const { scope, ...text } of kept)
      expect(await kb.ingest(text, { scope: scope as "deployment" })).toMatchObject({ unchanged: 1, embedded: 0 });
    const schema: StandardSchema<(typeof sampleRecords)[number]> = {
      "~standard": { version: 1, vendor: "sample", validate: (value) => ({ value: value as never }) },
    };
    const books = kb.collection("books", { schema, key: "isbn", text: ["title", "blurb"], filterable: ["year"] });
    await books.upsert(sampleRecords);
    expect(await books.upsert(sampleRecords)).toMatchObject({ unchanged: 2, embedded: 0 });
  });

  it("is adopted once: opened again, nothing is written", async () => {
    const { kb, folder } = await openSample();
    const before = await collect(kb.list());
    await kb.close();
    const bytes = readFileSync(join(folder, "ibid.sqlite"));
    const again = await open(folder);
    expect(await collect(again.list())).toEqual(before);
    await again.close();
    expect(readFileSync(join(folder, "ibid.sqlite")).equals(bytes)).toBe(true);
  });
});

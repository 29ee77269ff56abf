import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createMemoryStore, createPublication, openPublishedStore, type PublishedFile, type Store } from "ibid/stores";

const words =
  "key rotate backup night vault server limit scope reader page index search answer quote place store".split(" ");

/** Forty documents with sections and words in common, one of them longer than a part. */
const documents = Array.from({ length: 40 }, (_, i) => {
  const sentence = (n: number): string =>
    `The ${words[n % 16]} of room ${n} stands beside the ${words[(n * 7) % 16]} and the ${words[(n * 5 + i) % 16]}.`;
  const body = Array.from({ length: i === 7 ? 400 : 6 }, (__, j) => sentence(i * 3 + j)).join(" ");
  return {
    uri: `${String(i).padStart(2, "0")}.md`,
    mediaType: "text/markdown",
    text: `# ${words[i % 16]} ${i}\n\n${body}\n\n## More of ${words[(i * 3) % 16]}\n\n${sentence(i)} The same paragraph stands in all.\n`,
  };
});

async function publish(weigh?: (document: { uri: string }) => number): Promise<readonly PublishedFile[]> {
  const publication = createPublication();
  const kb = await openKnowledgeBase({ store: publication.store, models: { embedding: null } });
  await kb.ingest(documents);
  const files = await publication.files(weigh && { weigh });
  await kb.close();
  return files;
}

let published: Promise<readonly PublishedFile[]> | undefined;

/** The files without weights, made once. */
const files = (): Promise<readonly PublishedFile[]> => (published ??= publish());

/** Reads from a list of files, and notes their names. */
function reader(files: readonly PublishedFile[]) {
  const bytes = new Map(files.map((file) => [file.name, file.bytes]));
  const names: string[] = [];
  const read = async (name: string): Promise<Uint8Array | undefined> => {
    names.push(name);
    return bytes.get(name);
  };
  return { read, names, bytes };
}

const open = (store: Store) => openKnowledgeBase({ store, models: { embedding: null } });

const questions = [
  "rotate the key",
  "vault of room 7",
  "backup at night beside the server",
  "the same paragraph",
  "page 12",
];

describe("a published store", () => {
  it("gives the hits, the order, the scores and the answers of the store that was published", async () => {
    const before = await open(createMemoryStore());
    await before.ingest(documents);
    const after = await open(await openPublishedStore({ read: reader(await files()).read }));
    for (const question of questions) {
      const [expected, found] = [
        await before.search(question, { topK: 12, explain: true }),
        await after.search(question, { topK: 12, explain: true }),
      ];
      expect(found.map(({ source, score, text }) => ({ uri: source.uri, start: source.start, score, text }))).toEqual(
        expected.map(({ source, score, text }) => ({ uri: source.uri, start: source.start, score, text })),
      );
      const [said, saidAfter] = [await before.ask(question), await after.ask(question)];
      expect(saidAfter.text).toBe(said.text);
      expect(saidAfter.citations.map(({ uri, start, end }) => [uri, start, end])).toEqual(
        said.citations.map(({ uri, start, end }) => [uri, start, end]),
      );
    }
    for (const { uri, text } of documents) expect((await after.document(uri))?.text).toBe(text);
  });

  it("reads the manifest at first, then a part of the files, and none of them twice", async () => {
    const all = await files();
    const { read, names } = reader(all);
    const kb = await open(await openPublishedStore({ read }));
    expect(names).toEqual(["manifest.ibid"]);
    await kb.search("rotate the key", { topK: 3 });
    expect(names.length).toBeGreaterThan(1);
    expect(names.length).toBeLessThan(all.length / 2);
    await kb.search("rotate the key", { topK: 3 });
    expect(new Set(names).size).toBe(names.length);
  });

  it("names its files by their content: the same documents give the same files", async () => {
    const named = async () => (await publish()).map(({ name }) => name).toSorted();
    const [first, second] = [await named(), await named()];
    expect(second).toEqual(first);
    expect(first.every((name) => name === "manifest.ibid" || /^[0-9a-f]{12}\.ibid$/u.test(name))).toBe(true);
  });

  it("reads no structure of a document for its hits, and the structure with the whole document", async () => {
    const { read, names, bytes } = reader(await files());
    const kb = await open(await openPublishedStore({ read }));
    const structures = (): number =>
      names.filter((name) => gunzipSync(bytes.get(name)!).includes('"sourceMap":')).length;
    await kb.search("vault of room 7");
    expect(structures()).toBe(0);
    const document = await kb.document("07.md");
    expect(document?.text).toBe(documents[7]!.text);
    expect(document?.root.children.length).toBeGreaterThan(0);
    expect(structures()).toBe(1);
  });

  it("has a manifest that grows by at most 40 bytes for a document of five sections, since places and texts lie elsewhere", async () => {
    const sizeOf = async (count: number): Promise<number> => {
      const publication = createPublication();
      const kb = await openKnowledgeBase({ store: publication.store, models: { embedding: null } });
      await kb.ingest(
        Array.from({ length: count }, (_, i) => ({
          uri: `pages/${String(i).padStart(4, "0")}.md`,
          mediaType: "text/markdown",
          text: `# Page\n\n${Array.from({ length: 5 }, (__, j) => `## Part ${j}\n\nThe ${words[(i * j) % 16]} ${"stands here, and nobody moves it. ".repeat(30 + ((i * 17 + j * 31) % 41))}.\n`).join("\n")}`,
        })),
      );
      const published = await publication.files();
      await kb.close();
      return published.find(({ name }) => name === "manifest.ibid")!.bytes.length;
    };
    const [half, whole] = [await sizeOf(150), await sizeOf(300)];
    expect((whole - half) / 150).toBeLessThan(40);
  });

  it("multiplies scores and their explanation by the weight of the document", async () => {
    const weigh = ({ uri }: { uri: string }): number => (uri < "20.md" ? 0.5 : 1);
    const plain = await open(await openPublishedStore({ read: reader(await files()).read }));
    const kb = await open(await openPublishedStore({ read: reader(await publish(weigh)).read }));
    const whole = await plain.search("vault of room 7", { topK: "all", explain: true });
    const found = await kb.search("vault of room 7", { topK: "all", explain: true });
    const scores = new Map(whole.map(({ source, score }) => [`${source.uri} ${source.start}`, score]));
    for (const { source, score } of found)
      expect(score).toBeCloseTo(scores.get(`${source.uri} ${source.start}`)! * weigh(source), 10);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
    expect(found.length).toBe(whole.length);
  });

  it("gives at most as many hits of a document as perDocument says", async () => {
    const kb = await open(await openPublishedStore({ read: reader(await files()).read, perDocument: 1 }));
    const uris = (await kb.search("rotate the key of the room", { topK: 20 })).map(({ source }) => source.uri);
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris.length).toBeGreaterThan(10);
  });

  it("names a file that is damaged or not there", async () => {
    const { bytes } = reader(await files());
    const load = (name: string) => async (asked: string) => (asked === name ? undefined : bytes.get(asked));
    await expect(openPublishedStore({ read: load("manifest.ibid") })).rejects.toMatchObject({ code: "store-corrupt" });
    const gone = await open(
      await openPublishedStore({ read: async (name) => (name === "manifest.ibid" ? bytes.get(name) : undefined) }),
    );
    await expect(gone.search("rotate")).rejects.toMatchObject({ code: "store-corrupt", message: /is not there/u });
    const damaged = await open(
      await openPublishedStore({
        async read(name) {
          const whole = bytes.get(name)!;
          return name === "manifest.ibid" ? whole : whole.with(whole.length >> 1, whole[whole.length >> 1]! ^ 1);
        },
      }),
    );
    await expect(damaged.search("rotate")).rejects.toMatchObject({ code: "store-corrupt", message: /is damaged/u });
  });

  it("takes no write, and names the next action", async () => {
    const kb = await open(await openPublishedStore({ read: reader(await files()).read }));
    const { failures } = await kb.ingest({ uri: "new.txt", text: "Something new." });
    expect(failures[0]?.error).toMatchObject({ code: "unsupported", hint: /publish them again/u });
    await expect(kb.delete("00.md")).rejects.toMatchObject({ code: "unsupported" });
  });

  it("publishes no document outside of the scope of all", async () => {
    const publication = createPublication();
    const kb = await openKnowledgeBase({ store: publication.store, models: { embedding: null } });
    await kb.ingest({ uri: "plan.txt", text: "The plan for Leeds." }, { scope: "team:acme" });
    await expect(publication.files()).rejects.toMatchObject({ code: "unsupported", message: /team:acme/u });
  });

  it("publishes an empty store", async () => {
    const files = await createPublication().files();
    expect(files.map(({ name }) => name)).toEqual(["manifest.ibid"]);
    const kb = await open(await openPublishedStore({ read: reader(files).read }));
    expect(await kb.search("anything")).toEqual([]);
  });

  it("refuses a weight that is not above 0 and at most 1, and another analyzer", async () => {
    await expect(publish(() => 0)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(publish(() => 2)).rejects.toMatchObject({ code: "invalid-argument" });
    const { createAnalyzer } = await import("ibid/text");
    const analyzer = createAnalyzer({ stem: "none" });
    await expect(openPublishedStore({ read: reader(await files()).read, analyzer })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});

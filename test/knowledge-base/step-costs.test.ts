import { describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import type { Chunker } from "../../src/contracts/chunker.ts";
import type { Reader } from "../../src/contracts/reader.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import type { ChatModel, EmbeddingModel } from "../../src/models/index.node.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import type { DirectoryWriter } from "../../src/stores/segments/segment-directory.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { documentEntry, write } from "../stores/build.ts";

/** Sections of some 70 characters, each a chunk of its own. */
const markdown = (names: readonly string[]): string =>
  names.map((name) => `# ${name}\n\nThe ${name} waits at the river until the evening comes.`).join("\n\n");
const names = ["heron", "otter", "newt", "vole", "eel", "frog"];

/** A knowledge base whose reader, chunker and models write down what each is given. */
async function openCounted() {
  const read: number[] = [];
  const cut: number[] = [];
  const embedded: string[][] = [];
  const asked: string[] = [];
  const reader: Reader = {
    ...plainTextReader,
    name: "counted/1",
    accepts: (mediaType) => mediaType === "text/plain",
    read(input) {
      read.push(input.bytes.length);
      return plainTextReader.read(input);
    },
  };
  const sections = createSectionChunker({ maxSize: 100, overlap: 0 });
  const chunker: Chunker = {
    ...sections,
    chunk(document, options) {
      cut.push(document.text.length);
      return sections.chunk(document, options);
    },
  };
  const embedding: EmbeddingModel = {
    provider: "test",
    model: "lengths",
    kind: "dense",
    dimensions: 2,
    similarity: "meaning",
    async embed(inputs) {
      const texts = inputs.map((input) => (typeof input === "string" ? input : JSON.stringify(input)));
      embedded.push(texts);
      return { embeddings: texts.map(({ length }) => Float32Array.from([1, length / 1000])) };
    },
  };
  const chat: ChatModel = {
    provider: "test",
    model: "quotes",
    async chat(messages) {
      asked.push(JSON.stringify(messages));
      return { message: { role: "assistant", content: "The heron waits at the river [1]." } };
    },
    async *stream(messages) {
      const result = await chat.chat(messages);
      yield { type: "text", delta: "The heron waits at the river [1]." };
      yield { type: "finish", result };
    },
  };
  // Without a memory of its own, what the store holds is all that saves a call.
  const cache = { get: () => undefined, set: () => {}, hitRate: 0 };
  const kb = await openKnowledgeBase({ readers: [reader], chunker, models: { embedding, chat, cache } });
  return { kb, read, cut, embedded, asked };
}

const file = (uri: string, text: string) => ({ uri, bytes: new TextEncoder().encode(text), mediaType: "text/plain" });

describe("each step costs what its documentation says [18.8]", () => {
  it("reading and cutting: each once for a new or changed text, none for one that is there already", async () => {
    const { kb, read, cut } = await openCounted();
    const text = markdown(names);
    const { failures } = await kb.ingest([file("a.txt", text), file("b.txt", "A pike.")]);
    expect(failures).toEqual([]);
    expect(read).toEqual([text.length, 7]);
    expect(cut).toEqual([text.length, 7]);
    await kb.ingest([file("a.txt", text), file("b.txt", "A pike, late.")]);
    expect(read.slice(2)).toEqual([13]);
    expect(cut.slice(2)).toEqual([13]);
    await kb.close();
  });

  it("embedding: each new chunk once, a search one call of one text", async () => {
    const { kb, embedded } = await openCounted();
    await kb.ingest([file("a.txt", markdown(names).replaceAll("# ", ""))]);
    const { chunks } = await kb.status();
    expect(chunks).toBeGreaterThan(3);
    expect(embedded.flat()).toHaveLength(chunks);
    expect(new Set(embedded.flat()).size).toBe(chunks);
    embedded.length = 0;
    await kb.ingest([file("a.txt", markdown([...names, "pike"]).replaceAll("# ", ""))]);
    // The last chunk before has another end, or stays; the others are not embedded again.
    expect(embedded.flat().length).toBeLessThanOrEqual(2);
    embedded.length = 0;
    await kb.search("a heron at the river");
    expect(embedded.flat()).toHaveLength(1);
    expect(embedded[0]![0]).toContain("a heron at the river");
    await kb.close();
  });

  it("storing: the rows of changed chunks, in one transaction", async () => {
    const inner = createMemoryDirectory();
    const counts = new Map<string, number>();
    let transactions = 0;
    const counting = (rows: DirectoryWriter): DirectoryWriter =>
      new Proxy(rows, {
        get(target, name: keyof DirectoryWriter) {
          counts.set(name, (counts.get(name) ?? 0) + 1);
          return target[name];
        },
      });
    const options = { ...decideStoreOptions({ corpusModel: latentSemanticModel }), secret: createSecret() };
    const directory = {
      ...inner,
      write: <Result>(work: (rows: DirectoryWriter) => Result, undone?: () => void) => {
        transactions++;
        return inner.write((rows) => work(counting(rows)), undone);
      },
    };
    const store = composeStore(createSegmentStore(directory, { ...options, embeddings: ["dense"] }));
    const paragraphs = names.map((name) => `${name} waits at the river.`);
    await store.replace(write("deployment"), documentEntry("a", paragraphs));
    expect([transactions, counts.get("addChunk"), counts.get("addDocument")]).toEqual([1, names.length, 1]);
    counts.clear();
    await store.replace(write("deployment"), documentEntry("a", [...paragraphs.slice(0, 5), "frog leaves the river."]));
    expect([transactions, counts.get("addChunk"), counts.get("deleteChunk")]).toEqual([2, 1, 1]);
    expect(counts.get("addDocument") ?? 0).toBe(0);
    await store.close();
  });

  it("asking: one call of the chat model and one of the embedding model; the prompt holds the hits, not the documents", async () => {
    const { kb, asked, embedded } = await openCounted();
    const rest = "Nothing of this is asked for. ".repeat(3000);
    await kb.ingest([file("a.txt", markdown(names).replaceAll("# ", "")), file("b.txt", rest)]);
    embedded.length = 0;
    const { text } = await kb.ask("Where does the heron wait?", { topK: 3 });
    expect(text).toContain("heron");
    expect(asked).toHaveLength(1);
    expect(embedded).toHaveLength(1);
    expect(asked[0]!.length).toBeLessThan(10_000);
    await kb.close();
  });
});

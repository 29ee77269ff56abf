import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChunkFactory } from "../../src/chunkers/index.ts";
import {
  type Chunk,
  type IngestProgress,
  type IngestResult,
  type KnowledgeBase,
  type Scope,
  type TextDocument,
} from "../../src/index.node.ts";
import { createHashingModel, type EmbeddingModel } from "../../src/models/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";

let folder: string;
const open: KnowledgeBase[] = [];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "ibid-kb-")));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((kb) => kb.close()));
  await rm(folder, { recursive: true, force: true });
});

async function openHere(options: Parameters<typeof openKnowledgeBase>[1] = {}): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase(join(folder, ".ibid"), options);
  open.push(kb);
  return kb;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), text);
}

const results = async (run: AsyncIterable<IngestResult>): Promise<string[]> => {
  const lines: string[] = [];
  for await (const { uri, status, error } of run) lines.push(`${status} ${uri}${error ? ` ${error.code}` : ""}`);
  return lines;
};

/** The hashing model, with every text that it is really asked to embed. */
function countingModel(): EmbeddingModel & { readonly texts: string[] } {
  const model = createHashingModel();
  const texts: string[] = [];
  return {
    ...model,
    texts,
    embed(inputs, options) {
      if (options.purpose === "document") for (const input of inputs) texts.push((input as Chunk).text);
      return model.embed(inputs, options);
    },
  };
}

const section = (title: string, words: string): string => `## ${title}\n\n${`${words} `.repeat(50).trim()}.\n`;

describe("ingesting again", () => {
  it("embeds and writes nothing when nothing changed, also after a restart and with new dates [L7]", async () => {
    await write("docs/a.md", "# A\n\nAbout apples.");
    await write("docs/b.md", "# B\n\nAbout pears.");
    const first = await openHere({ models: { embedding: createHashingModel() } });
    expect(await results(first.ingest(join(folder, "docs")))).toEqual(["added docs/a.md", "added docs/b.md"]);
    const before = await first.document("docs/a.md");
    await first.close();

    await write("docs/a.md", "# A\n\nAbout apples.");
    const model = countingModel();
    const second = await openHere({ models: { embedding: model } });
    const run = second.ingest(join(folder, "docs"));
    expect(await results(run)).toEqual(["unchanged docs/a.md", "unchanged docs/b.md"]);
    expect(await run).toMatchObject({ unchanged: 2, added: 0, updated: 0, embedded: 0, chunks: 2 });
    expect(model.texts).toEqual([]);
    expect(await second.document("docs/a.md")).toEqual(before);
  });

  it("embeds only the chunks that changed [L7]", async () => {
    const parts = ["one apple", "two pears", "three plums", "four cherries"].map((words, i) => section(`S${i}`, words));
    const model = countingModel();
    const kb = await openHere({ models: { embedding: model } });
    await write("a.md", parts.join("\n"));
    expect(await kb.ingest(join(folder, "a.md"))).toMatchObject({ added: 1, chunks: 4, embedded: 4 });

    model.texts.length = 0;
    // The third section changes, and everything after it moves.
    await write("a.md", [...parts.slice(0, 2), section("S2", "three hundred plums"), parts[3]].join("\n"));
    const summary = await kb.ingest(join(folder, "a.md"));
    expect(summary.updated).toBe(1);
    expect(model.texts.length).toBe(summary.embedded);
    expect(model.texts.every((text) => text.includes("hundred"))).toBe(true);
    const document = await kb.document("a.md");
    for (const hit of await kb.search("cherries plums pears apple", { topK: "all" })) {
      expect(document?.text.slice(hit.source.start, hit.source.end)).toBe(hit.text);
    }
  });

  it("calls a document updated when its metadata or the pipeline changed, not when only a date did [L7]", async () => {
    await write("a.md", "# A\n\nAbout apples.");
    const path = join(folder, "a.md");
    const kb = await openHere();
    await kb.ingest(path);
    expect(await results(kb.ingest(path, { metadata: { team: "x" } }))).toEqual(["updated a.md"]);
    expect(await results(kb.ingest(path, { metadata: { team: "x" } }))).toEqual(["unchanged a.md"]);
    expect((await kb.search("apples", { filter: { team: "x" } })).length).toBe(1);
    expect(await results(kb.ingest(path, { metadata: { team: "x" }, origin: "note" }))).toEqual(["updated a.md"]);
    expect((await kb.search("apples", { origins: ["note"] })).length).toBe(1);
    expect(await results(kb.ingest(path, { metadata: { team: "x" } }))).toEqual(["updated a.md"]);
    await kb.close();
    const other = await openHere({ models: { embedding: createHashingModel({ dimensions: 64 }) } });
    expect(await results(other.ingest(path, { metadata: { team: "x" } }))).toEqual(["updated a.md"]);
    expect((await other.search("apples", { mode: "dense" })).length).toBe(1);
  });

  it("keeps the old version of a file that fails now [L7]", async () => {
    await write("docs/a.md", "# A\n\nAbout apples.");
    const kb = await openHere();
    await kb.ingest(join(folder, "docs"));
    await writeFile(join(folder, "docs/a.md"), Uint8Array.of(0, 1, 2, 0, 255));
    expect(await results(kb.ingest(join(folder, "docs")))).toEqual(["failed docs/a.md binary"]);
    expect((await kb.search("apples")).length).toBe(1);
  });
});

describe("sweeping", () => {
  it("removes what a folder brought and no longer has, in the same scope only", async () => {
    for (const name of ["a", "b", "c"]) await write(`docs/${name}.md`, `About ${name}pples.`);
    const docs = join(folder, "docs");
    const kb = await openHere();
    await kb.ingest(docs);
    await kb.ingest(docs, { scope: "team:x" });
    await rm(join(docs, "b.md"));
    await write("docs/.gitignore", "c.md\n");
    expect(await results(kb.ingest(docs, { sweep: false }))).toEqual(["unchanged docs/a.md"]);
    expect(await results(kb.ingest(docs))).toEqual(["unchanged docs/a.md", "removed docs/b.md", "removed docs/c.md"]);
    const left: string[] = [];
    for await (const { uri, scope } of kb.list()) left.push(`${scope} ${uri}`);
    expect(left).toEqual(["deployment docs/a.md", "team:x docs/a.md", "team:x docs/b.md", "team:x docs/c.md"]);
  });

  it("leaves alone what was named outright, and what other inputs do not mention", async () => {
    await write("docs/a.md", "About apples.");
    await write("docs/drafts/b.md", "About pears.");
    await write("docs/.gitignore", "drafts\n");
    const kb = await openHere();
    await kb.ingest([join(folder, "docs/drafts/b.md")]);
    expect(await results(kb.ingest(join(folder, "docs")))).toEqual(["added docs/a.md"]);
    await rm(join(folder, "docs/a.md"));
    expect(await results(kb.ingest(join(folder, "docs/drafts/b.md")))).toEqual(["unchanged docs/drafts/b.md"]);
    expect(await results(kb.ingest(join(folder, "docs")))).toEqual(["removed docs/a.md"]);
    expect((await kb.document("docs/drafts/b.md"))?.text).toBe("About pears.");
  });

  it("knows the outermost folder that brought a document", async () => {
    await write("docs/build/a.md", "About apples.");
    await write("docs/sub/b.md", "About pears.");
    const kb = await openHere();
    // A walk of docs leaves build out; what build itself brought is not docs' to remove.
    await kb.ingest(join(folder, "docs/build"));
    expect(await results(kb.ingest(join(folder, "docs")))).toEqual(["added docs/sub/b.md"]);
    // What is gone from its place is, whoever walks.
    await write("docs/build/gone.md", "About quinces.");
    await kb.ingest(join(folder, "docs/build"));
    await rm(join(folder, "docs/build/gone.md"));
    expect(await results(kb.ingest(join(folder, "docs")))).toEqual([
      "unchanged docs/sub/b.md",
      "removed docs/build/gone.md",
    ]);
    // Walking a part again does not take it away from the whole.
    expect(await results(kb.ingest(join(folder, "docs/sub")))).toEqual(["unchanged docs/sub/b.md"]);
    await rm(join(folder, "docs/sub/b.md"));
    expect(await results(kb.ingest(join(folder, "docs")))).toEqual(["removed docs/sub/b.md"]);
    // And a part that is walked again sweeps its part.
    await write("docs/sub/c.md", "About plums.");
    await kb.ingest(join(folder, "docs"));
    await rm(join(folder, "docs/sub/c.md"));
    expect(await results(kb.ingest(join(folder, "docs/sub")))).toEqual(["removed docs/sub/c.md"]);
  });

  it("sweeps what lies inside the knowledge base's folder when a folder around it is walked", async () => {
    await write("inner/a.md", "About apples.");
    const kb = await openKnowledgeBase(join(folder, "inner/.ibid"));
    open.push(kb);
    expect(await results(kb.ingest(folder))).toEqual(["added a.md"]);
    await rm(join(folder, "inner/a.md"));
    expect(await results(kb.ingest(folder))).toEqual(["removed a.md"]);
  });

  it("concludes nothing from a source that could not be looked into", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    const item = {
      uri: "docs/a",
      folder: "docs",
      bytes: () => Promise.resolve(new TextEncoder().encode("About apples.")),
    };
    async function* whole() {
      yield item;
    }
    await kb.ingest({ folders: ["docs"], items: whole });
    async function* refused() {
      yield { uri: "docs", error: new Error("closed") };
    }
    expect(await results(kb.ingest({ folders: ["docs"], items: refused }))).toEqual(["failed docs internal"]);
    const inner = { ...item, uri: "docs/closed/b" };
    await kb.ingest({
      folders: ["docs"],
      async *items() {
        yield item;
        yield inner;
      },
    });
    async function* partly() {
      yield item;
      yield { uri: "docs/closed", error: new Error("closed") };
    }
    const lines = await results(kb.ingest({ folders: ["docs"], items: partly }));
    expect(lines).toEqual(["unchanged docs/a", "failed docs/closed internal"]);
    await kb.delete("docs/closed/b");
    async function* nothing() {}
    expect(await results(kb.ingest({ folders: ["docs"], items: nothing }))).toEqual(["removed docs/a"]);
  });
});

describe("what can be ingested", () => {
  it("takes texts, documents and streams of them [B3 B35]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    await kb.ingest({ uri: "one", text: "About apples.", title: "One", metadata: { kind: "fruit" } });
    async function* stream() {
      yield { uri: "two", text: "About pears." };
      yield { uri: "three", text: "# Plums\n\nAbout plums.", mediaType: "text/markdown" };
    }
    expect(await kb.ingest(stream())).toMatchObject({ added: 2, failed: 0 });
    expect((await kb.document("one"))?.title).toBe("One");
    const [hit] = await kb.search("plums");
    expect(hit?.source).toMatchObject({ uri: "three", title: "Plums" });
    const [first] = await kb.search("apples", { filter: { kind: "fruit" } });
    expect(first?.metadata).toMatchObject({ kind: "fruit" });
  });

  it("takes chunks that are already cut, with the vectors they bring, checked [B35 B36 W5 W16]", async () => {
    const model = countingModel();
    const kb = await openKnowledgeBase({ models: { embedding: model } });
    open.push(kb);
    const text = "About apples. About pears.";
    const document = {
      type: "text",
      id: "d",
      uri: "d",
      title: "D",
      mediaType: "text/plain",
      text,
      metadata: {},
      origin: "note",
      root: { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
      sourceMap: { lines: "text" },
    } as const satisfies TextDocument;
    const cut = createChunkFactory(document);
    const given = new Float32Array(256).fill(0.0625);
    const [apples, pears] = [cut(0, 13), { ...cut(14, 26), embedding: given }];

    expect(await kb.ingest([apples, pears])).toMatchObject({ chunks: 2, embedded: 1 });
    expect(model.texts).toEqual(["D\nAbout apples."]);
    const [hit] = await kb.search("pears", { mode: "lexical", includeEmbeddings: true });
    expect(hit).toMatchObject({ text: "About pears.", source: { start: 15, end: 27 }, origin: "note" });
    expect(await kb.document("d")).toMatchObject({ text: "About apples.\n\nAbout pears.", title: "D" });

    await expect(Promise.resolve(kb.ingest([{ ...apples, id: " " }]))).rejects.toMatchObject({ code: "invalid-id" });
    await expect(Promise.resolve(kb.ingest([{ ...apples, id: "x", embedding: [1, 2] }, pears]))).rejects.toMatchObject({
      code: "dimension-mismatch",
    });
    expect((await kb.status()).chunks).toBe(2);
  });

  it("stores nothing when embedding fails [B36 L6]", async () => {
    const model = { ...createHashingModel(), embed: () => Promise.reject(new Error("down")) };
    const kb = await openKnowledgeBase({ models: { embedding: model } });
    open.push(kb);
    expect(await results(kb.ingest({ uri: "a", text: "About apples." }))).toEqual(["failed a embedding-failed"]);
    expect((await kb.status()).documents).toBe(0);
  });

  it("says so when one uri is given twice, and keeps the first [L9]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    const twice = [
      { uri: "a", text: "About apples." },
      { uri: "a", text: "About pears." },
    ];
    expect(await results(kb.ingest(twice))).toEqual(["added a", "failed a invalid-id"]);
    expect((await kb.document("a"))?.text).toBe("About apples.");
  });

  it("refuses media documents by name, and nonsense at once [B9]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    const image = {
      type: "image",
      content: new URL("https://example.org/a.png"),
      metadata: { fileName: "a.png" },
    } as const;
    expect(await results(kb.ingest([image]))).toEqual(["added a.png"]);
    await expect(Promise.resolve(kb.ingest([{ nonsense: true }] as never))).rejects.toMatchObject({
      code: "invalid-argument",
    });
    await expect(kb.ingest({ uri: "a", text: "b" }, { scop: "deployment" } as never)).rejects.toThrow(
      /no option "scop"/u,
    );
  });

  it("ends with aborted when its signal fires, keeping what is done", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    const controller = new AbortController();
    async function* endless() {
      for (let i = 0; ; i++) yield { uri: `t${i}`, text: `Text number ${i}.` };
    }
    const run = kb.ingest(endless(), {
      signal: controller.signal,
      onProgress: ({ documents }) => {
        if (documents === 5) controller.abort();
      },
    });
    await expect(Promise.resolve(run)).rejects.toMatchObject({ code: "aborted" });
    expect((await kb.status()).documents).toBeGreaterThanOrEqual(5);
  });
});

describe("the store's own model", () => {
  const texts = Array.from({ length: 260 }, (_, i) => ({
    uri: `t${String(i)}`,
    text:
      ["The anchor holds the ship in the harbour.", "The oven bakes bread of flour.", "A comet passes the moon."][
        i % 3
      ]! + ` ${i}`,
  }));
  const latentOf = async (kb: KnowledgeBase) => (await kb.search("anchor", { explain: true }))[0]?.explain?.latent;

  it("is fitted at the end of an ingestion, which says how far it is", async () => {
    const kb = await openHere();
    const seen: (number | undefined)[] = [];
    await kb.ingest(texts, { settle: true, onProgress: ({ fit }) => void seen.push(fit) });
    const shares = seen.filter((share) => share !== undefined);
    expect(shares.length).toBeGreaterThan(0);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    expect(seen.slice(0, texts.length).every((share) => share === undefined)).toBe(true);
    const latent = await latentOf(kb);
    expect(latent).toMatchObject({ fitted: true });
    expect(latent!.energy).toBeGreaterThan(0);
    expect(latent!.energy).toBeLessThanOrEqual(1);
  });

  it("is left where a signal stops it, with all documents safe; the next ingestion fits it", async () => {
    const kb = await openHere();
    const controller = new AbortController();
    const run = kb.ingest(texts, {
      settle: true,
      signal: controller.signal,
      onProgress: ({ fit }) => {
        if (fit !== undefined) controller.abort();
      },
    });
    await expect(Promise.resolve(run)).rejects.toMatchObject({ code: "aborted" });
    expect((await kb.status()).documents).toBe(texts.length);
    expect(await latentOf(kb)).toMatchObject({ fitted: false });
    expect(await kb.ingest(texts, { settle: true })).toMatchObject({ unchanged: texts.length });
    expect(await latentOf(kb)).toMatchObject({ fitted: true });
  });

  it("is fitted in the background unless somebody waits: searches find by words meanwhile, and closing waits for it", async () => {
    const kb = await openKnowledgeBase(join(folder, ".ibid"));
    const seen: (number | undefined)[] = [];
    await kb.ingest(texts, { onProgress: ({ fit }) => void seen.push(fit) });
    expect(seen.every((share) => share === undefined)).toBe(true);
    expect((await kb.search("anchor")).length).toBeGreaterThan(0);
    expect(await latentOf(kb)).toMatchObject({ fitted: false });
    await kb.close();
    expect(await latentOf(await openHere())).toMatchObject({ fitted: true });
  });

  it("is fitted once for ingestions that come one upon the other, and takes what came meanwhile along", async () => {
    const kb = await openHere();
    await kb.ingest(texts);
    await kb.ingest({ uri: "late.txt", text: "The anchor of the late ship." });
    expect(await kb.ingest([], { settle: true })).toMatchObject({ failed: 0 });
    expect(await latentOf(kb)).toMatchObject({ fitted: true });
    const { embeddingVersions, chunks } = await kb.status();
    expect(embeddingVersions.map((version) => version.chunks)).toEqual([chunks]);
  });

  it("is fitted after chunks that somebody else has cut, too", async () => {
    const kb = await openHere();
    const chunks = texts.map(({ uri, text }) => {
      const root = { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] };
      const document: TextDocument = {
        type: "text",
        id: uri,
        uri,
        title: "",
        mediaType: "text/plain",
        text,
        metadata: {},
        origin: "user-content",
        root,
        sourceMap: { lines: "text" },
      };
      return createChunkFactory(document)(0, text.length);
    });
    const seen: IngestProgress[] = [];
    await kb.ingest(chunks, { settle: true, onProgress: (progress) => void seen.push(progress) });
    expect(seen[259]).toEqual({ documents: 260, chunks: 260, found: 260, complete: true });
    expect(seen.slice(260).length).toBeGreaterThan(0);
    expect(seen.slice(260).every(({ fit, documents }) => fit !== undefined && documents === 260)).toBe(true);
    expect(await latentOf(kb)).toMatchObject({ fitted: true });
  });
});

describe("callers", () => {
  it("write and delete in their own scopes only, and see what they may [L3 T25 T26]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    await kb.ingest({ uri: "shared", text: "The shared plan." });
    await kb.ingest({ uri: "secret", text: "The secret plan." }, { scope: "team:acme" });
    const ada = kb.as({ userId: "ada", teamId: "acme" });
    const bob = kb.as({ userId: "bob" });
    await ada.ingest({ uri: "note", text: "Ada's plan." }, { scope: "user:ada" });

    const uris = async (view: KnowledgeBase): Promise<string[]> =>
      (await view.search("plan")).map(({ source }) => source.uri).toSorted();
    expect(await uris(kb)).toEqual(["note", "secret", "shared"]);
    expect(await uris(ada)).toEqual(["note", "secret", "shared"]);
    expect(await uris(bob)).toEqual(["shared"]);
    expect(await bob.document("secret")).toBeUndefined();
    expect(await bob.delete("secret")).toEqual([]);
    await expect(bob.delete("secret", { onMissing: "error" })).rejects.toMatchObject({ code: "not-found" });
    await expect(bob.delete("shared")).rejects.toMatchObject({ code: "access-denied" });
    await expect(bob.ingest({ uri: "x", text: "y" }, { scope: "deployment" })).rejects.toThrow(/may not write/u);
    expect([bob.mayWrite("deployment"), bob.mayWrite("user:bob"), kb.mayWrite("deployment")]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await bob.status()).documents).toBe(1);
    expect(() => bob.as({ userId: "ada" })).toThrow(/another caller/u);
    expect(await ada.delete("secret")).toEqual([{ uri: "secret", scope: "team:acme", chunks: 1 }]);
    expect(await uris(kb)).toEqual(["note", "shared"]);
  });

  it("narrow a search to scopes, and never widen it so [L3 T25]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    await kb.ingest({ uri: "a", text: "The shared plan." });
    await kb.ingest({ uri: "b", text: "The secret plan." }, { scope: "team:acme" });
    const found = async (view: KnowledgeBase, ...scopes: Scope[]): Promise<string[]> =>
      (await view.search("plan", { scopes })).map(({ source }) => source.uri);
    expect(await found(kb, "team:acme")).toEqual(["b"]);
    expect(await found(kb.as({ userId: "bob" }), "team:acme", "deployment")).toEqual(["a"]);
    expect(await found(kb.as({ userId: "bob" }), "team:acme")).toEqual([]);
    expect((await kb.ask("What is the plan?", { scopes: ["team:acme"] })).citations[0]?.uri).toBe("b");
  });

  it("are told which scopes hold a uri when several do", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    await kb.ingest({ uri: "a", text: "One." });
    await kb.ingest({ uri: "a", text: "Two." }, { scope: "team:x" });
    await expect(kb.document("a")).rejects.toMatchObject({
      code: "ambiguous",
      details: { scopes: ["deployment", "team:x"] },
    });
    expect((await kb.document("a", { scope: "team:x" }))?.text).toBe("Two.");
    expect(await kb.delete("a", { scope: "deployment" })).toEqual([{ uri: "a", scope: "deployment", chunks: 1 }]);
    expect((await kb.document("a"))?.text).toBe("Two.");
  });

  it("delete by filter what they may write [B35]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    await kb.ingest({ uri: "a", text: "One.", metadata: { old: true } });
    await kb.ingest({ uri: "b", text: "Two.", metadata: { old: false } });
    await kb.ingest({ uri: "c", text: "Three.", metadata: { old: true } }, { scope: "user:ada" });
    expect(await kb.as({ userId: "ada" }).delete({ filter: { old: true } })).toEqual([
      { uri: "c", scope: "user:ada", chunks: 1 },
    ]);
    expect(await kb.delete({ filter: { old: true } })).toEqual([{ uri: "a", scope: "deployment", chunks: 1 }]);
    expect((await kb.status()).documents).toBe(1);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import {
  createAutoChunker,
  createHtmlChunker,
  createMarkdownChunker,
  createRecursiveChunker,
  createWholeChunker,
} from "ibid/chunkers";
import { createInMemoryVectorStore, createTextDataLoader, prompt, renderParts, renderPrompt } from "ibid/compat";
import { createHostedEmbeddingModel, type EmbeddingModel } from "ibid/models";
import { createAudioDocument, createHtmlReader, createImageDocument, createMarkdownReader } from "ibid/readers";
import { compileFilter, parseFilter } from "ibid/search";
import { fromVectorStore } from "ibid/stores";
import { createFixedEmbeddingModel } from "ibid/testing";
import {
  all,
  bytes,
  equal,
  holds,
  matches,
  plain,
  putVectors,
  reading,
  refuses,
  version,
  withServer,
  withTexts,
} from "../kit.ts";
import { slidesFile, wordFile } from "../office.ts";
import { onePage } from "../pdf.ts";
import { prove } from "../prove.ts";

const ones = () => createFixedEmbeddingModel({}, { dimensions: 1, otherwise: () => [1] });

/** A document as a reader gives it. */
async function read(reader: ReturnType<typeof createMarkdownReader>, uri: string, mediaType: string, text: string) {
  return { ...plain(uri, ""), ...(await reader.read({ uri, mediaType, bytes: bytes(text) })) };
}

export const parts = [
  prove(
    "B16",
    "the design's sentences: a chunk that is no text, one of several, no answer, no connection",
    async () => {
      const image = createImageDocument(new Uint8Array([1]));
      const gone = createHostedEmbeddingModel({ serviceUrl: "http://127.0.0.1:9", accessToken: "s" });
      const embed = (inputs: Parameters<EmbeddingModel["embed"]>[0]) => () =>
        gone.embed(inputs, { purpose: "document" });
      equal(
        (await refuses("unsupported-input", embed([image]))).message,
        "Unsupported chunk type. only 'ai:TextChunk|ai:TextDocument' is supported",
      );
      equal(
        (await refuses("unsupported-input", embed(["x", image]))).message,
        "Unsupported chunk type. Expected elements of type 'ai:TextChunk|ai:TextDocument'.",
      );
      const failed = await refuses("embedding-failed", embed(["x"]));
      matches(failed.message, /^Error generating embedding for provided chunk/u);
      holds(failed.cause instanceof Error);
      await withServer(
        () => ({ data: [], model: "m", object: "list", usage: { prompt_tokens: 0, total_tokens: 0 } }),
        async (serviceUrl) => {
          const empty = createHostedEmbeddingModel({ serviceUrl, accessToken: "s" });
          const error = await refuses("invalid-response", () => empty.embed(["x"], { purpose: "document" }));
          matches(error.message, /^No embeddings generated for the provided chunk/u);
        },
      );
    },
  ),
  prove(
    "B36",
    "all chunks are embedded before one addition; counts that differ are refused in the design's words",
    async () => {
      const added: number[] = [];
      const order: string[] = [];
      const store = fromVectorStore({
        add: (entries) => (order.push("add"), void added.push(entries.length)),
        query: () => [],
        delete: () => {},
      });
      const counting = ones();
      const embedding: EmbeddingModel = {
        ...counting,
        maxBatchSize: 2,
        embed: async (...call) => (order.push("embed"), counting.embed(...call)),
      };
      const chunks = ["a", "b", "c", "d", "e"].map((text) => ({ text }));
      await withTexts({ five: { text: undefined as never, chunks } }, async () => equal(added, [5]), {
        store,
        models: { embedding },
      });
      equal(order, ["embed", "embed", "embed", "add"]);
      const kb = await openKnowledgeBase({
        models: { embedding: { ...ones(), embed: async () => ({ embeddings: [[1], [1], [1]] }) } },
      });
      const [failure] = (await kb.ingest({ uri: "a", text: "x y z" })).failures;
      matches(failure?.error.message, /^Mismatch between number of chunks and embeddings generated/u);
      equal((await kb.status()).chunks, 0);
      await kb.close();
    },
  ),
  prove("B36", "a chunker is chosen by media type, then by name, else by size; or none cuts", async () => {
    const auto = createAutoChunker({
      markdown: createMarkdownChunker({ maxSize: 40, overlap: 0 }),
      html: createHtmlChunker({ maxSize: 40, overlap: 0 }),
      other: createRecursiveChunker({ maxSize: 40, overlap: 0 }),
    });
    const marked = "# One\n\nAlpha beta.\n\n```ts\nconst x = 1;\n```\n\nGamma.\n";
    await withTexts(
      {},
      async (kb) => {
        await kb.ingest([
          { uri: "typed", mediaType: "text/markdown", text: marked },
          { uri: "named.md", bytes: bytes(marked) },
          { uri: "page.html", bytes: bytes("<h1>Two</h1><p>Delta epsilon.</p>") },
          { uri: "plain.txt", text: marked },
        ]);
        const facts = async (uri: string) => {
          const chunks = (await all(kb.chunks({ uri }))).map(({ chunk }) => chunk.metadata);
          return [chunks.some(({ type }) => type === "code_block"), chunks.some(({ header }) => header !== undefined)];
        };
        equal(await facts("typed"), [true, true]);
        equal(await facts("named.md"), [true, true]);
        equal(await facts("page.html"), [false, true]);
        equal(await facts("plain.txt"), [false, false]);
      },
      { chunker: auto },
    );
    await withTexts({ long: "Words stand here. ".repeat(500) }, async (kb) => equal((await kb.status()).chunks, 1), {
      chunker: createWholeChunker(),
    });
  }),
  prove(
    "B43",
    "text around an insertion, each document a part, nothing empty; bytes without a type are image/*",
    async () => {
      const picture = createImageDocument(new Uint8Array([1, 2]));
      const [one, two] = [plain("a", "One."), plain("b", "Two.")];
      const shown = renderParts(prompt`${picture}Compare ${[one, two]}`).map((part) =>
        part.type === "text" ? part.text : JSON.stringify(part),
      );
      equal(shown.slice(1), ["Compare ", "One.", "Two."]);
      matches(shown[0], /data:image\/\*;base64,AQI=/u);
      equal(
        (
          await refuses("unsupported-input", () =>
            renderParts(prompt`Hear ${createAudioDocument(new Uint8Array([1]))}`),
          )
        ).message,
        "Only text and image documents are supported.",
      );
      // A model of texts alone is given one string, trimmed.
      equal(
        renderPrompt(prompt`  Compare ${one} with ${[two, one]} and ${7}.  `),
        "Compare One. with Two.\n\nOne. and 7.",
      );
    },
  ),
  prove(
    "B49",
    "a code block beyond the size is broken, and each piece names the one before; the design's refusals",
    async () => {
      const text = `# A\n\nWords.\n\n\`\`\`ts\n${Array.from({ length: 12 }, (_, i) => `const value${i} = ${i};`).join("\n")}\n\`\`\`\n\nEnd.\n`;
      const document = await read(createMarkdownReader(), "a.md", "text/markdown", text);
      const chunks = [...createMarkdownChunker({ maxSize: 80, overlap: 0 }).chunk(document)];
      const code = chunks.filter(({ metadata }) => metadata["type"] === "code_block");
      holds(code.length > 2 && code.every((chunk) => chunk.text.length <= 80));
      equal(
        code.map(({ metadata }) => metadata["prev"]),
        [undefined, ...code.slice(0, -1).map(({ id }) => id)],
      );
      holds(code.every(({ metadata, text: own }) => metadata.language === "ts" && !/Words|End/u.test(own)));
      for (const strategy of [
        "header",
        "code-block",
        "rule",
        "paragraph",
        "line",
        "sentence",
        "word",
        "character",
      ] as const)
        holds(
          [...createMarkdownChunker({ maxSize: 30, overlap: 0, strategy }).chunk(document)].every(
            (chunk) => chunk.text.length <= 30,
          ),
          strategy,
        );
      equal(
        (await refuses("invalid-argument", () => createMarkdownChunker({ maxSize: 0 }))).message,
        "Chunk size must be greater than 0",
      );
      equal(
        (await refuses("invalid-argument", () => createMarkdownChunker({ maxSize: 10, overlap: 20 }))).message,
        "Max overlap size must be less than or equal to chunk size",
      );
    },
  ),
  prove(
    "B50",
    "headings with attributes and markup lose their tags; merged pieces keep what both say; an open heading is an error by an option",
    async () => {
      const page = `<h2 class="x" id='y'> The <em>first</em> one </h2><p>Alpha.</p><h3>Inner</h3><p>Beta.</p><h3>Other</h3><p>Gamma.</p>`;
      const chunk = async (maxSize: number, overlap = 0) => [
        ...createHtmlChunker({ maxSize, overlap }).chunk(await read(createHtmlReader(), "a.html", "text/html", page)),
      ];
      const beta = (await chunk(20)).find(({ text }) => text.includes("Beta"));
      equal([beta?.metadata["header2"], beta?.metadata["header3"]], ["The first one", "Inner"]);
      const [whole] = await chunk(500);
      equal([whole?.metadata["header2"], whole?.metadata["header3"]], ["The first one", undefined]);
      const overlapping = await chunk(30, 8);
      const [gamma, before] = [overlapping.at(-1)!, overlapping.at(-2)!];
      equal(
        [gamma.start < before.end, gamma.metadata["header3"], before.metadata["header3"]],
        [true, "Other", "Inner"],
      );
      for (const strategy of ["header", "paragraph", "line", "sentence", "word", "character"] as const)
        holds(
          [
            ...createHtmlChunker({ maxSize: 10, overlap: 0, strategy }).chunk(
              await read(createHtmlReader(), "a.html", "text/html", page),
            ),
          ].every(({ text }) => text.length <= 10),
          strategy,
        );
      const open = { uri: "a.html", mediaType: "text/html", bytes: bytes("<p>Before.</p>\n<h1>Guide<p>Text.</p>") };
      holds((await createHtmlReader().read(open)).text.includes("Guide"));
      const error = await refuses("unreadable", async () => createHtmlReader({ unclosed: "error" }).read(open));
      equal(error.message, "The <h1> in line 2 of a.html is not closed.");
      const closed = { ...open, bytes: bytes("<h1>Guide</h1><p>Text.") };
      holds((await createHtmlReader({ unclosed: "error" }).read(closed)).text.includes("Text."));
    },
  ),
  prove("B52", "PDF, DOCX, PPTX, HTML, HTM and Markdown files are loaded, each with its media type", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-kinds-"));
    const files: Readonly<Record<string, string | Uint8Array>> = {
      "a.pdf": onePage("The heron waits."),
      "b.docx": wordFile("The heron waits."),
      "c.pptx": slidesFile("The heron waits."),
      "d.html": "<p>The heron waits.</p>",
      "e.htm": "<p>The heron waits.</p>",
      "f.md": "The heron waits.",
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const [first, ...others] = Object.keys(files).map((name) => join(folder, name));
    const loader = createTextDataLoader(first!, ...others);
    const documents = [await loader.load({ extensions: ["pdf", "docx", "pptx", "html", "htm", "md"] })].flat();
    equal(
      documents.map(({ metadata, text }) => [metadata.fileName, text.includes("The heron waits.")]),
      Object.keys(files).map((name) => [name, true]),
    );
    equal(
      documents.map(({ metadata }) => metadata.mimeType?.split(/[./]/u).at(-1)),
      ["pdf", "document", "presentation", "html", "html", "markdown"],
    );
    rmSync(folder, { recursive: true });
  }),
  prove("B23", "a range over what is no number is an error, by the design's dialect", async () => {
    const filter = { filters: [{ key: "k", operator: ">", value: 5 }] } as const;
    equal(compileFilter(parseFilter(filter))({ k: "abc" }), false);
    await refuses("invalid-filter", () => parseFilter({ k: { gt: "def" } }, { ranges: "checked" }));
    const found = async (ranges?: "checked") => {
      const store = createInMemoryVectorStore({ ...(ranges && { ranges }) });
      await putVectors(store, [
        { id: "number", vector: [1, 0], metadata: { k: 7 } },
        { id: "none", vector: [1, 0] },
        { id: "text", vector: [1, 0], metadata: { k: "abc" } },
      ]);
      const matched = await store.search(reading, { filter: parseFilter(filter), embedding: [1, 0], version });
      return matched.map(({ chunk }) => chunk.id);
    };
    equal(await found(), ["number"]);
    matches((await refuses("invalid-filter", () => found("checked"))).message, /k is "abc"/u);
  }),
];

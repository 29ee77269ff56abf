import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createTextChunk } from "ibid/chunkers";
import { prompt } from "ibid/compat";
import { createHashingModel, createHostedChatModel, type ImageEmbedder } from "ibid/models";
import { createAudioDocument, createBinaryDocument, createFileDocument, createImageDocument } from "ibid/readers";
import { createMemoryBlobStore } from "ibid/stores";
import { chatReply, withEndpoint } from "../endpoint.ts";
import { all, bytes, equal, holds, matches, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

const png = new Uint8Array([137, 80, 78, 71, 1, 2, 3]);
const wav = new Uint8Array([82, 73, 70, 70, 9, 9]);

/** Pictures and queries by one rule: red ones and blue ones. */
const colours: ImageEmbedder = {
  providerId: "own",
  modelId: "colours",
  dimensions: 2,
  embedImage: async (image) => Float32Array.from(image.includes(1) ? [1, 0] : [0, 1]),
  embedQuery: async (query) => Float32Array.from(/red|sunset/u.test(query) ? [1, 0] : [0, 1]),
};

export const media = [
  prove(
    "B3",
    "documents of any kind of content are kept with their bytes, listed, read back, deleted and purged",
    async () => {
      const blobs = createMemoryBlobStore();
      const keys = async (): Promise<number> => (await all(blobs.list())).length;
      const kb = await openKnowledgeBase({ blobs });
      const documents = [
        createImageDocument(png, { mediaType: "image/png", metadata: { fileName: "plan.png", title: "Floor plan" } }),
        createAudioDocument(wav, { mediaType: "audio/wav", metadata: { fileName: "call.wav", speaker: "Ada" } }),
        createFileDocument(bytes("%whatever"), { mediaType: "application/x-own", metadata: { fileName: "scan.own" } }),
        createBinaryDocument(new Uint8Array([0, 1, 2]), { metadata: { fileName: "dump.bin", department: "HR" } }),
      ];
      const results = await all(kb.ingest(documents));
      equal(
        results.map(({ status }) => status),
        ["added", "added", "added", "added"],
      );
      matches(results[0]?.notes?.join(" "), /plan\.png has no text that is read; it is found by its title, its name/u);
      equal(
        (await all(kb.list())).map(({ uri }) => uri),
        ["call.wav", "dump.bin", "plan.png", "scan.own"],
      );
      const kept = await kb.media("plan.png");
      equal([kept?.type, kept?.mediaType, kept?.metadata["title"]], ["image", "image/png", "Floor plan"]);
      equal(kept?.content, png);
      equal((await kb.media("call.wav"))?.content, wav);
      equal((await kb.search("floor plan"))[0]?.source.uri, "plan.png");
      equal((await kb.search("Ada"))[0]?.metadata["_media"], "audio");
      equal((await kb.ingest(documents)).unchanged, 4);
      equal(await keys(), 4);
      await kb.delete("plan.png");
      equal(await kb.media("plan.png"), undefined);
      equal(await keys(), 4);
      await kb.restore("plan.png");
      equal((await kb.media("plan.png"))?.content, png);
      await kb.delete("plan.png", { purge: true });
      equal(await keys(), 3);
      await kb.delete("call.wav");
      await kb.vacuum({ olderThanMs: 0 });
      equal(await keys(), 2);
      equal(await kb.as({ userId: "u" }).media("dump.bin", { scope: "user:u" }), undefined);
      await kb.close();
    },
  ),
  prove(
    "B3",
    "the bytes lie beside a knowledge base in a folder, and a changed picture takes the place of the old",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "ibid-media-"));
      const picture = (content: Uint8Array) =>
        createImageDocument(content, { mediaType: "image/png", metadata: { fileName: "a.png" } });
      const first = await openKnowledgeBase(folder);
      await first.ingest(picture(png));
      await first.close();
      const second = await openKnowledgeBase(folder);
      equal((await second.media("a.png"))?.content, png);
      equal((await second.ingest(picture(wav))).updated, 1);
      equal((await second.media("a.png"))?.content, wav);
      await second.close();
      rmSync(folder, { recursive: true });
    },
  ),
  prove("B6", "a picture's address is a document; metadata categorise and filter it", () =>
    withTexts({ "policy.md": "Leave is 30 days." }, async (kb) => {
      const address = "https://example.com/plan.png";
      await kb.ingest({ type: "image", content: address, metadata: { department: "HR" } } as never);
      await kb.ingest({ type: "file", content: { fileId: "file-7" }, metadata: { fileName: "contract.pdf" } });
      equal((await kb.media(address))?.content, new URL(address));
      equal((await kb.media("contract.pdf"))?.content, { fileId: "file-7" });
      equal(
        (await kb.find({ filter: { department: "HR" } })).map(({ chunk }) => chunk.uri),
        [address],
      );
      equal(await kb.media("policy.md"), undefined);
      const bad = await refuses("invalid-argument", () => kb.ingest({ type: "image", content: "plan.png" } as never));
      matches(bad.message, /Must be a valid URL/u);
    }),
  ),
  prove("B7", "a chunk of plain values is embedded, kept and found", () =>
    withTexts(
      {},
      async (kb) => {
        const chunk = createTextChunk("Bees hum.", { metadata: { department: "Garden" } });
        equal([chunk.type, chunk.text, chunk.metadata["department"]], ["text-chunk", "Bees hum.", "Garden"]);
        equal((await createHashingModel().embed([chunk], { purpose: "document" })).embeddings.length, 1);
        equal((await kb.ingest([chunk])).chunks, 1);
        equal((await kb.search("bees"))[0]?.chunkId, chunk.id);
        await kb.ingest({ type: "text-chunk", content: "Wasps sting.", metadata: { department: "Attic" } });
        equal((await kb.search("wasps", { filter: { department: "Attic" } })).length, 1);
      },
      { models: { embedding: createHashingModel() } },
    ),
  ),
  prove(
    "B9",
    "image, audio, file and binary documents are made, kept, and forwarded to a model that declares them",
    () => {
      const seen: { type: string }[][] = [];
      return withEndpoint(
        ({ body }) => {
          seen.push((body as { messages: { content: { type: string }[] }[] }).messages[0]!.content);
          return chatReply("ok");
        },
        async (serviceUrl) => {
          const service = { serviceUrl, accessToken: "t" };
          const declared = createHostedChatModel({ ...service, accepts: ["binary", "addresses"] });
          const content = prompt`${createImageDocument(png)} ${createAudioDocument(wav, { mediaType: "audio/wav" })} ${createFileDocument({ fileId: "file-7" })} ${createFileDocument("https://example.com/a.pdf", { mediaType: "application/pdf" })} ${createBinaryDocument(new Uint8Array([7]))} ${createAudioDocument("https://example.com/a.mp3")}`;
          await declared.chat({ role: "user", content });
          const parts = seen[0]!.filter(({ type }) => type !== "text");
          equal(
            parts.map(({ type }) => type),
            ["image_url", "input_audio", "file", "file", "file", "audio_url"],
          );
          equal(
            parts.slice(2, 5).map((part) => (part as unknown as { file: object }).file),
            [
              { file_id: "file-7" },
              { file_url: "https://example.com/a.pdf" },
              { filename: "document", file_data: "data:application/octet-stream;base64,Bw==" },
            ],
          );
          const plain = createHostedChatModel(service);
          const binary = prompt`${createBinaryDocument(new Uint8Array([7]))}`;
          await refuses("unsupported-input", () => plain.chat({ role: "user", content: binary }));
        },
      );
    },
  ),
  prove("B43", "files and binary insertions reach a model that declares them; others refuse them by their kind", () => {
    let last: unknown;
    return withEndpoint(
      ({ body }) => {
        last = body;
        return chatReply("ok");
      },
      async (serviceUrl) => {
        const kb = await openKnowledgeBase();
        await kb.ingest(createBinaryDocument(new Uint8Array([7, 8]), { metadata: { fileName: "dump.bin" } }));
        const kept = await kb.media("dump.bin");
        const model = createHostedChatModel({ serviceUrl, accessToken: "t", accepts: ["binary"] });
        await model.chat({ role: "user", content: prompt`What is in ${kept!}?` });
        matches(JSON.stringify(last), /data:application\/octet-stream;base64,Bwg=/u);
        await refuses("invalid-argument", () =>
          createHostedChatModel({ serviceUrl, accessToken: "t", accepts: ["alien" as never] }),
        );
        await kb.close();
      },
    );
  }),
  prove("B45", "media documents are ingested beside the texts of the example", () =>
    withTexts({ "policy.md": "# Refunds\n\nRefunds take 14 days." }, async (kb) => {
      const metadata = { source: "pizza", type: "picture", fileName: "menu.png", caption: "Menu of the pizza shop" };
      const { added, failures } = await kb.ingest([createImageDocument(png, { mediaType: "image/png", metadata })]);
      equal([added, failures], [1, []]);
      equal((await kb.search("menu of the pizza shop", { filter: { source: "pizza" } }))[0]?.source.uri, "menu.png");
      const text = { type: "text", content: "Deliveries take an hour.", metadata: { source: "pizza" } } as const;
      equal((await kb.ingest(text)).added, 1);
      equal((await kb.find({ filter: { source: "pizza" } })).length, 2);
    }),
  ),
  prove("T57", "an embedder of pictures is used: a picture is found by what a query says of it", () =>
    withTexts(
      { "sky.md": "The sky was grey." },
      async (kb) => {
        const picture = (name: string, content: Uint8Array) =>
          createImageDocument(content, { mediaType: "image/png", metadata: { fileName: name } });
        await kb.ingest([picture("1.png", png), picture("2.png", new Uint8Array([7]))]);
        equal((await kb.search("a sunset", { mode: "dense", topK: 1 }))[0]?.source.uri, "1.png");
        equal((await kb.search("the sea", { mode: "dense", topK: 1 }))[0]?.source.uri, "2.png");
        const versions = (await kb.status()).embeddingVersions.filter(({ provider }) => provider === "own");
        equal(
          versions.map(({ model, dimensions, chunks }) => [model, dimensions, chunks]),
          [["colours", 2, 2]],
        );
        holds((await kb.search("grey sky"))[0]?.source.uri === "sky.md");
      },
      { models: { image: colours } },
    ),
  ),
  prove("B9", "a reader's words of a picture are searched; a multimodal model embeds what it declares", async () => {
    const reader = {
      name: "own-ocr/1",
      accepts: (mediaType: string) => mediaType === "image/png",
      read: () => ({ text: "Emergency exit on the left." }),
    };
    await withTexts(
      {},
      async (kb) => {
        await kb.ingest(createImageDocument(png, { mediaType: "image/png", metadata: { fileName: "sign.png" } }));
        const [hit] = await kb.search("emergency exit");
        equal([hit?.source.uri, hit?.text], ["sign.png", "Emergency exit on the left."]);
      },
      { readers: [reader] },
    );
    const model = {
      provider: "own",
      model: "both",
      kind: "dense",
      dimensions: 2,
      media: ["audio"],
      embed: async (inputs: readonly unknown[]) => ({
        embeddings: inputs.map((input) => (typeof input === "object" || input === "a song" ? [1, 0] : [0, 1])),
      }),
    } as const;
    await withTexts(
      {},
      async (kb) => {
        await kb.ingest(createAudioDocument(wav, { mediaType: "audio/wav", metadata: { fileName: "x.wav" } }));
        const [hit] = await kb.search("a song", { mode: "dense" });
        equal([hit?.source.uri, Math.round(hit?.score ?? 0)], ["x.wav", 1]);
      },
      { models: { embedding: model } },
    );
  }),
];

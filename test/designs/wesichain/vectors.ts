import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { all, equal, holds, matches, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

const winds = [
  { text: "An east wind.", id: "east", embedding: [1, 0] },
  { text: "A north wind.", id: "north", embedding: [0, 1] },
];

export const vectors = [
  prove("W5", "a vector that a document brings is kept and searched without any model", () =>
    withTexts({}, async (kb) => {
      await kb.ingest({ uri: "winds", chunks: winds });
      await kb.ingest({ uri: "text", text: "A south wind.", embedding: [0, -1], embeddingVersion: "compass" });
      const found = await kb.searchVector([0.6, 0.8], { version: "given" });
      equal(
        found.map(({ chunk, score }) => [chunk.id, Math.round(score * 10) / 10]),
        [
          ["north", 0.8],
          ["east", 0.6],
        ],
      );
      equal(
        (await kb.searchVector([0, -2], { version: "compass", includeEmbeddings: true })).map(
          ({ chunk, embedding }) => [chunk.text, Array.from(embedding as Float32Array)],
        ),
        [["A south wind.", [0, -1]]],
      );
      const versions = (await kb.status()).embeddingVersions.filter(({ provider }) => provider === "given");
      equal(
        versions.map(({ provider, model, chunks }) => [provider, model, chunks]),
        [
          ["given", "compass", 1],
          ["given", "given", 2],
        ],
      );
      await refuses("ambiguous", () => kb.searchVector([1, 0]));
      await refuses("dimension-mismatch", () => kb.searchVector([1, 0, 0]));
      equal(await kb.as({ userId: "u" }).searchVector([1, 0], { version: "given", scopes: ["user:u"] }), []);
    }),
  ),
  prove(
    "W5",
    "with a model, a vector of a version of the caller's own is kept beside, and never made again",
    async () => {
      const hashing = createHashingModel({ dimensions: 32 });
      const embedded: string[] = [];
      const model = {
        ...hashing,
        embed: (inputs: Parameters<typeof hashing.embed>[0], options: Parameters<typeof hashing.embed>[1]) => {
          for (const input of inputs)
            embedded.push(typeof input === "string" ? input : "text" in input ? input.text : "");
          return hashing.embed(inputs, options);
        },
      };
      await withTexts(
        {},
        async (kb) => {
          const chunks = [{ text: "Ours.", embedding: [1, 0], embeddingVersion: "compass" }, { text: "Theirs." }];
          equal((await kb.ingest({ uri: "a", chunks })).embedded, 1);
          equal(embedded, ["Theirs."]);
          equal(
            (await kb.searchVector([1, 0])).map(({ chunk }) => chunk.text),
            ["Ours."],
          );
          equal((await kb.ingest({ uri: "a", chunks })).unchanged, 1);
        },
        { models: { embedding: model } },
      );
    },
  ),
  prove("W5", "it survives on disk, and a re-embedding leaves it alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ibid-given-"));
    try {
      const first = await openKnowledgeBase(folder);
      await first.ingest({ uri: "winds", chunks: winds });
      await first.close();
      const second = await openKnowledgeBase(folder, { models: { embedding: createHashingModel({ dimensions: 32 }) } });
      await second.reembed();
      await second.vacuum({ olderThanMs: 0 });
      equal(
        (await second.searchVector([1, 0])).map(({ chunk }) => chunk.id),
        ["east", "north"],
      );
      await second.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  }),
  prove("W15", "a batch with one bad vector is refused by the entry's name; on request it is left out and listed", () =>
    withTexts({}, async (kb) => {
      const chunks = [
        winds[0]!,
        { text: "Not a number.", id: "bad", embedding: [Number.NaN, 1] },
        { text: "Too long.", id: "long", embedding: [1, 0, 0] },
      ];
      const error = await refuses("invalid-response", () => kb.ingest({ uri: "winds", chunks }));
      matches(error.message, /chunks\[1\] \(bad\)/u);
      equal((await kb.status()).chunks, 0);
      const [result] = await all(kb.ingest({ uri: "winds", chunks }, { onInvalid: "skip" }));
      equal([result?.status, result?.chunks], ["added", 1]);
      equal(
        result?.invalid?.map(({ index, id, error: { code } }) => [index, id, code]),
        [
          [1, "bad", "invalid-response"],
          [2, "long", "dimension-mismatch"],
        ],
      );
      const later = await refuses("dimension-mismatch", () => kb.ingest({ uri: "b", chunks: [chunks[2]!] }));
      equal(later.message, "dimension mismatch: expected 2, got 3");
      equal(
        (await kb.searchVector([1, 0])).map(({ chunk }) => chunk.id),
        ["east"],
      );
      holds((await kb.search("east")).length === 1);
    }),
  ),
];

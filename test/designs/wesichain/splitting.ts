import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTextDataLoader, splitTextRecursively } from "ibid/compat";
import { createFixedEmbeddingModel } from "ibid/testing";
import { equal, holds, matches, plain, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

export const splitting = [
  prove("W17", "a file of another kind is refused by its name, and so is one without a kind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-loaders-"));
    const write = (name: string): string => (writeFileSync(join(folder, name), "Bees hum."), join(folder, name));
    const [text, other, bare] = [write("a.txt"), write("b.md"), write("README")];
    const loaded = [await createTextDataLoader(text).load()].flat()[0]!;
    equal([loaded.metadata.fileName, loaded.text], ["a.txt", "Bees hum."]);
    matches(loaded.uri, /a\.txt$/u);
    for (const path of [other, bare]) {
      const error = await refuses("unsupported-media", () =>
        createTextDataLoader(path).load({ extensions: ["txt", "pdf"] }),
      );
      holds(JSON.stringify([error.message, error.uri]).includes(path.split("/").at(-1)!), JSON.stringify(error));
    }
    rmSync(folder, { recursive: true });
  }),
  prove(
    "W18",
    "1,000 characters and 200 shared, at blank lines first; ids, places and metadata of the document",
    async () => {
      const paragraphs = Array.from({ length: 30 }, (_, i) =>
        `Paragraph ${i}. ${"Words stand here. ".repeat(10)}`.trim(),
      );
      const document = plain("doc.txt", paragraphs.join("\n\n"), { topic: "storage" });
      const chunks = splitTextRecursively(document);
      holds(chunks.length > 4 && chunks.every(({ text }) => text.length <= 1000));
      equal(
        chunks.map(({ id, metadata }) => [id, metadata["topic"], metadata["chunk_index"]]),
        chunks.map((_, i) => [`${document.id}:${i}`, "storage", i]),
      );
      for (const [i, { start }] of chunks.entries()) if (i > 0) holds(chunks[i - 1]!.end - start <= 200);
      // Separators are looked for with an overlap too: no window cuts through a word.
      for (const { urtext } of chunks) matches(urtext, /^(?:Paragraph|Words|stand|here)\b[^]*[.]$/u);
      equal(
        splitTextRecursively("aa aa\n\nbb bb\n\ncc cc", 8, 0).map(({ urtext }) => urtext),
        ["aa aa", "bb bb", "cc cc"],
      );
      await refuses("invalid-argument", () => splitTextRecursively("text", 0));
      await refuses("invalid-argument", () => splitTextRecursively("text", 10, 10));
    },
  ),
  prove("W54", "an ensemble by weighted reciprocal ranks, k = 60", () =>
    withTexts(
      { both: "red kite", words: "red kite kite", meant: "blue sky" },
      async (kb) => {
        const scores = async (weights?: Readonly<Record<string, number>>) =>
          Object.fromEntries(
            (await kb.search("red kite", { fusion: { name: "rrf", ...(weights && { weights }) }, explain: true })).map(
              ({ source, score, explain }) => {
                const { dense, lexical } = explain!.legs;
                const share = (rank: number | undefined, weight: number): number =>
                  rank === undefined ? 0 : weight / (60 + rank);
                const expected =
                  share(dense?.rank, weights?.["dense"] ?? 1) + share(lexical?.rank, weights?.["lexical"] ?? 1);
                holds(Math.abs(score - expected) < 1e-12, `${source.uri} ${score} ${expected}`);
                return [source.uri, score];
              },
            ),
          );
        const plainly = await scores();
        const weighted = await scores({ dense: 2, lexical: 0.5 });
        holds(weighted["meant"]! > plainly["meant"]!);
      },
      {
        models: {
          embedding: createFixedEmbeddingModel(
            {},
            {
              dimensions: 2,
              otherwise: (text) => (text.includes("sky") ? [0.9, 0.1] : text.includes("kite kite") ? [0, 1] : [1, 0]),
            },
          ),
        },
      },
    ),
  ),
  prove("W54", "a cross-encoder orders four times as many candidates as are asked for", async () => {
    let given = 0;
    await withTexts(
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`d${String(i).padStart(2, "0")}`, `red kite ${i}`])),
      async (kb) => {
        const hits = await kb.search("red kite", { topK: 10 });
        equal([given, hits.length, uris(hits)[0]], [40, 10, "d07"]);
      },
      {
        models: {
          reranker: {
            name: "seven",
            rerank: async (_, texts) => ((given = texts.length), texts.map((text) => (text.endsWith(" 7") ? 1 : 0))),
          },
        },
      },
    );
  }),
];

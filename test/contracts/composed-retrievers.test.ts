import { describe } from "vitest";

import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createRerankerPack } from "../../src/testing/reranker-pack.ts";
import { createRetrieverPack } from "../../src/testing/retriever-pack.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { createModelReranker } from "../../src/models/model-reranker.ts";
import { compose, compositions, wrappers } from "./composed-retrievers.ts";
import { retrieverOver } from "./retriever-over.ts";
import { sample } from "../support/runs.ts";
import { runPack } from "./run-pack.ts";

/** Four retrievers try all cases together. */
const every = 4;

Object.entries(wrappers).forEach(([name, { wrap, ownScores = false }], turn) => {
  const pack = createRetrieverPack({
    create: (texts) => retrieverOver(texts, createHashingModel(), wrap),
    modes: ["hybrid", "dense", "lexical", "regex"],
    ownScores,
  });
  describe(name, () => {
    runPack(sample(pack, every, turn));
  });
});

compositions.forEach((names, turn) => {
  const { wrap, ownScores } = compose(names);
  const pack = createRetrieverPack({
    create: (texts) => retrieverOver(texts, createHashingModel(), wrap),
    modes: ["hybrid", "lexical", "regex"],
    ownScores,
  });
  describe(names.join(", then "), () => {
    runPack(sample(pack, every, turn));
  });
});

describe("a model as a reranker", () => {
  const judge = createScriptedChatModel((messages) => {
    const lines = (messages.at(-1)!.content as string).match(/^\[\d+\].*$/gmu) ?? [];
    return lines.map((line, index) => `${index + 1}: ${line.includes("keys") ? 10 : 0}`).join("\n");
  });
  runPack(
    createRerankerPack({
      create: () => createModelReranker({ model: judge }),
      example: { query: "rotate the keys", better: "to rotate the keys, turn", worse: "the sea is calm" },
    }),
  );
});

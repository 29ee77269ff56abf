import { collect, equal, throwsCode } from "../../src/testing/assert.ts";
import type { KnowledgeBaseCase } from "./knowledge-base-case.ts";
import { countingModel, inputsSeen, shelf } from "./knowledge-base-fixtures.ts";

/** What a knowledge base promises about changing its model. */
export const reembeddingCases: readonly KnowledgeBaseCase[] = [
  [
    "nothing-to-embed-anew",
    "T3 T44 L7",
    async (open) => {
      const embeddingModel = countingModel();
      const kb = await open({ models: { embedding: embeddingModel } });
      await kb.ingest(shelf);
      const seen = inputsSeen(embeddingModel);
      equal(
        await collect(kb.reembed({ estimate: true })),
        [{ type: "estimate", scope: "deployment", chunks: 0, tokens: 0 }],
        "the estimate where every chunk has its vector",
      );
      const run = kb.reembed();
      equal(
        (await collect(run)).map(({ type }) => type),
        ["estimate"],
        "what happens",
      );
      const { scopes } = await run;
      equal(
        scopes.map(({ scope, embedded, failed, changed }) => [scope, embedded, failed, changed]),
        [["deployment", 0, 0, false]],
        "what it came to",
      );
      equal(inputsSeen(embeddingModel), seen, "inputs that the model saw");
      equal(
        (await kb.status()).versions.map(({ scope, current, reembedding }) => [
          scope,
          current?.dimensions,
          reembedding,
        ]),
        [["deployment", 2, false]],
        "versions in the status",
      );
      await throwsCode(() => kb.reembed({ rollback: true }), "not-found", "a rollback to nothing");
    },
  ],
  [
    "reembedding-is-refused",
    "T44 L3",
    async (open) => {
      const kb = await open({ models: { embedding: countingModel() } });
      await kb.ingest(shelf);
      await kb.ingest(shelf, { scope: "team:north" });
      const south = kb.as({ teamId: "south" });
      await throwsCode(() => south.reembed({ scope: "team:north" }), "access-denied", "somebody else's scope");
      equal(
        (await south.reembed()).scopes.map(({ scope }) => scope),
        ["team:south"],
        "what the south embeds anew",
      );
      equal(
        (await south.status()).versions.map(({ scope }) => scope),
        ["deployment"],
        "versions that the south sees",
      );
      const odd = { fast: true } as object;
      await throwsCode(async () => kb.reembed(odd), "invalid-argument", "an unknown option");
      await throwsCode(async () => kb.reembed({ batchSize: 0 }), "invalid-argument", "an empty batch");
      const both = { estimate: true, rollback: true };
      await throwsCode(async () => kb.reembed(both), "invalid-argument", "an estimate of a rollback");
      const events = kb.reembed()[Symbol.asyncIterator]();
      await events.next();
      await throwsCode(() => kb.reembed({ scope: "team:north" }), "store-busy", "a second run of a scope");
      await events.return?.();
      await kb.reembed({ scope: "team:north" });
    },
  ],
];

import { type FilterInput, openKnowledgeBase } from "ibid";
import { createRetrieverNode, type RetrievedDoc } from "ibid/compat";
import type { EmbeddingModel } from "ibid/models";
import { fixed } from "../fixed.ts";
import { equal, holds, matches, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

interface State {
  readonly query: string;
  readonly metadataFilter?: FilterInput;
  readonly retrievedDocs: readonly RetrievedDoc[];
  readonly answer?: string;
}

/** A graph of nodes in a row, as every graph library runs them: each update is laid over the state. */
async function runGraph(state: State, ...nodes: readonly ((state: State) => unknown)[]): Promise<State> {
  let current = state;
  for (const node of nodes) current = { ...current, ...((await node(current)) as Partial<State>) };
  return current;
}

const keys = {
  "keys.md": { text: "Signing keys are rotated every ninety days.", metadata: { area: "ops" } },
  "doors.md": { text: "The keys of the east door hang in the hall.", metadata: { area: "house" } },
};
const start: State = { query: "rotate signing keys", retrievedDocs: [{ id: "old", content: "old", metadata: {} }] };
const reply = ({ retrievedDocs }: State): Partial<State> => ({ answer: retrievedDocs[0]?.content ?? "nothing" });
const vectors = {
  models: { embedding: fixed({ east: [1, 0], near: [0.6, 0.8], north: [0, 1], "which way": [1, 0] }) },
};
const circle = { east: "east", near: "near", north: "north" };
const contents = ({ retrievedDocs }: Pick<State, "retrievedDocs">): readonly string[] =>
  retrievedDocs.map(({ content }) => content);

export const graph = [
  prove("W20", "retrieval is a node of a graph", () =>
    withTexts(keys, async (kb) => {
      const { answer } = await runGraph(start, createRetrieverNode(kb, { topK: 1 }), reply);
      equal(answer, keys["keys.md"].text);
    }),
  ),
  prove("W22", "the query is embedded, the store searched, the threshold held, the result written", () =>
    withTexts(
      circle,
      async (kb) => {
        const embedding = vectors.models.embedding;
        const before = embedding.calls.length;
        const node = createRetrieverNode(kb, { mode: "dense", topK: 3, scoreThreshold: 0.5 });
        const state = await runGraph({ ...start, query: "which way" }, node);
        equal(
          embedding.calls.slice(before).map(({ inputs, purpose }) => [inputs, purpose]),
          [[["which way"], "query"]],
        );
        equal(contents(state), ["east", "near"]);
      },
      vectors,
    ),
  ),
  prove("W24", "documents are written, best first, and their scores are dropped", () =>
    withTexts(keys, async (kb) => {
      const { retrievedDocs } = await createRetrieverNode(kb)({ query: "signing keys" });
      equal(
        retrievedDocs.map(({ metadata }) => metadata["uri"]),
        ["keys.md", "doors.md"],
      );
      for (const doc of retrievedDocs) equal(Object.keys(doc).toSorted(), ["content", "id", "metadata"]);
    }),
  ),
  prove("W25", "the state gives query and filter; what was retrieved before is replaced", () =>
    withTexts(keys, async (kb) => {
      const state = await runGraph(
        { ...start, query: "keys", metadataFilter: { area: "house" } },
        createRetrieverNode(kb),
      );
      equal(contents(state), [keys["doors.md"].text]);
      const own = createRetrieverNode<{ readonly asked: string; readonly only: FilterInput }>(kb, {
        query: ({ asked }) => asked,
        metadataFilter: ({ only }) => only,
      });
      equal(contents(await own({ asked: "keys", only: { area: "ops" } })), [keys["keys.md"].text]);
    }),
  ),
  prove("W27", "an error of retrieval halts the graph", () =>
    withTexts(keys, async (kb) => {
      let replied = false;
      await refuses("node-failed", () =>
        runGraph({ ...start, query: " " }, createRetrieverNode(kb), () => (replied = true)),
      );
      equal(replied, false);
    }),
  ),
  prove("W28", "nothing found is an empty list", () =>
    withTexts(keys, async (kb) => {
      equal(await createRetrieverNode(kb)({ query: "zeppelin" }), { retrievedDocs: [] });
      equal(await createRetrieverNode(kb)({ query: "keys", metadataFilter: { area: "sea" } }), { retrievedDocs: [] });
      const empty = await openKnowledgeBase();
      equal(await createRetrieverNode(empty)({ query: "keys" }), { retrievedDocs: [] });
      await empty.close();
    }),
  ),
  prove("W29", "errors are those of a node, with the error of retrieval as their cause", async () => {
    const down = new Error("down");
    const good = fixed({ east: [1, 0] });
    const embedding: EmbeddingModel = {
      ...good,
      embed: async (inputs, options) =>
        options.purpose === "query" ? Promise.reject(down) : good.embed(inputs, options),
    };
    const kb = await openKnowledgeBase({ models: { embedding } });
    await kb.ingest({ uri: "east", text: "east" });
    const error = await refuses("node-failed", () => createRetrieverNode(kb, { mode: "dense" })({ query: "keys" }));
    matches(error.message, /^The retriever node failed: /u);
    equal([(error.cause as { code?: string }).code, (error.cause as Error).cause], ["embedding-failed", down]);
    await kb.close();
  }),
  prove("W42", "the node updates its state, holds its threshold inclusively, and passes errors on", () =>
    withTexts(
      circle,
      async (kb) => {
        const at = async (scoreThreshold: number) =>
          contents(
            await runGraph(
              { ...start, query: "which way" },
              createRetrieverNode(kb, { mode: "dense", scoreThreshold }),
            ),
          );
        const near = (await kb.search("which way", { mode: "dense" }))[1]!.score;
        equal(await at(-1), ["east", "near", "north"]);
        equal(await at(near), ["east", "near"]);
        equal(await at(near + 1e-9), ["east"]);
        await refuses("node-failed", () => createRetrieverNode(kb)({ query: "" }));
        await refuses("aborted", () => createRetrieverNode(kb)({ query: "east" }, { signal: AbortSignal.abort() }));
      },
      vectors,
    ),
  ),
  prove("W45", "the node's example: what retrieval took is told", () =>
    withTexts(keys, async (kb) => {
      const told: string[] = [];
      const retrieve = createRetrieverNode(kb, { topK: 1 });
      const timed = async (state: State): Promise<unknown> => {
        const started = performance.now();
        const update = await retrieve(state);
        told.push(`retrieved ${update.retrievedDocs.length} in ${(performance.now() - started).toFixed(2)} ms`);
        return update;
      };
      holds((await runGraph(start, timed, reply)).answer !== undefined);
      matches(told.join(), /^retrieved 1 in \d+\.\d\d ms$/u);
    }),
  ),
];

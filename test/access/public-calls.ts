import type { VerifyOptions } from "../../src/contracts/verification.ts";
import { searchVectors } from "../support/search-legs.ts";
import type { AskOptions } from "../../src/contracts/answer.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { SearchOptions } from "../../src/contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import { collect } from "../../src/testing/assert.ts";
import { createFetchTools } from "../../src/integrations/tools/create-fetch-tools.ts";
import { createMemoryPlugin } from "../../src/integrations/compat/create-memory-plugin.ts";
import { createTextMemory } from "../../src/integrations/compat/create-text-memory.ts";
import { createTextSearchPlugin } from "../../src/integrations/compat/create-text-search-plugin.ts";
import { createTextSearchProvider } from "../../src/integrations/compat/create-text-search-provider.ts";
import { createLangChainRetriever } from "../../src/integrations/langchain/langchain-retriever.ts";
import { createLangChainVectorStore } from "../../src/integrations/langchain/langchain-vector-store.ts";
import { createSearchTools } from "../../src/integrations/tools/create-search-tools.ts";
import { outcome, type World } from "./worlds.ts";

/** Everything by which something could be asked for: names that somebody remembers, guesses or was told. */
export interface Known {
  readonly uris: readonly string[];
  readonly chunkIds: readonly string[];
  readonly documentIds: readonly string[];
}

/** All that a proof shows, and what nobody has. */
export async function namesIn(store: Store, proof: AuthorizedScopes): Promise<Known> {
  const chunks = await collect(store.chunks(proof));
  const documents = await collect(store.documents(proof));
  const ids = [...documents.map(({ id }) => id), ...chunks.map(({ chunk }) => chunk.documentId)];
  return {
    uris: [...new Set(documents.map(({ uri }) => uri)), "never.md"],
    chunkIds: [...new Set(chunks.map(({ chunk }) => chunk.id)), "never"],
    documentIds: [...new Set(ids), "never"],
  };
}

/** Somebody who asks: their view, and what the gate gave them for the store beneath it. */
export interface Asker {
  readonly kb: KnowledgeBase;
  readonly store: Store;
  readonly proof: AuthorizedScopes;
  /** Where a search looks that names no scope. */
  readonly everywhere?: readonly Scope[];
  /** The first word of the only calls that are made. Default: all are. */
  readonly only?: string | undefined;
}

/** Searches of every kind; `dense` only where something sees meaning. */
function searchesOf(world: World, dense: boolean): readonly (readonly [string, SearchOptions])[] {
  const { query } = world;
  const [first = "", second = ""] = query.split(" ");
  const filter = { kind: "even" };
  return [
    [query, { explain: true }],
    [query, { topK: 2, rerank: false, explain: true }],
    [query, { topK: "all", rerank: false, includeEmbeddings: true, explain: true }],
    [query, { topK: 2, filter, rerank: false, merge: true, groupBy: "document" }],
    [query, { topK: "all", fusion: "rrf", explain: true }],
    [query, { topK: 3, fusion: "weighted", rerank: false }],
    [query, { topK: 3, fusion: "absolute", minFusedScore: 0.2 }],
    [query, { topK: 3, pattern: first, explain: true }],
    [`${first.slice(0, -1)}x ${second}`, { topK: 3, explain: true }],
    [query, { mode: "lexical", topK: 2, rerank: false, explain: true }],
    [query, { mode: "lexical", topK: "all", rerank: false, filter, merge: true }],
    [`+${first} -${second}`, { syntax: "lucene", topK: 2, explain: true }],
    [`"the ${first}" OR ${second}`, { syntax: "lucene", topK: "all", explain: true }],
    [first, { mode: "regex", topK: 2 }],
    [`${first}|${second}`, { mode: "regex", topK: "all", filter }],
    [query, { topK: 3, scopes: [world.named], explain: true }],
    [query, { topK: 3, scopes: [world.named, "deployment", "team:north"], rerank: false }],
    ...(dense
      ? ([
          [query, { mode: "dense", topK: 2, rerank: false, explain: true }],
          [query, { mode: "dense", topK: "all", minScore: 0.1, filter }],
        ] as const)
      : []),
  ];
}

/** The arguments that a tool cannot do without, with every name that somebody knows. */
function inputsOf({ inputSchema }: Tool, { query }: World, { uris, chunkIds }: Known): readonly object[] {
  const { required = [] } = inputSchema["~standard"].jsonSchema.input({ target: "draft-07" }) as {
    required?: string[];
  };
  const values: Readonly<Record<string, readonly string[]>> = {
    query: [query],
    regex: [query.split(" ")[0] ?? ""],
    chunkId: chunkIds,
    id: chunkIds,
    document: [...uris, ...chunkIds],
    section: ["0"],
    key: [...uris, "given-1.md"],
  };
  return required.reduce<readonly object[]>(
    (inputs, name) => inputs.flatMap((input) => (values[name] ?? []).map((value) => ({ ...input, [name]: value }))),
    [{}],
  );
}

const questionOf = ({ query }: World): string => `Where are the ${query.replace(" ", " and the ")}?`;

/** Answers that say and quote what a document may say, and name every source that somebody knows. */
const answersOf = ({ query }: World, { uris }: Known): readonly string[] => {
  const words = `The ${query.replace(" ", " and the ")} are here`;
  return uris.map((uri) => `${words} [1].\n\n[1]: ${uri} "${words}."`);
};

/** Makes the calls that somebody is to make. */
export function createAsk(given: Record<string, unknown>, only: string | undefined) {
  return async (name: string, call: () => unknown): Promise<void> => {
    if (only === undefined || name.split(" ")[0] === only) given[name] = await outcome(call);
  };
}

/** What every call that only reads gives, by what was asked. */
export async function readEverything(
  asker: Asker,
  world: World,
  known: Known,
  dense: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  return { ...(await readDirectly(asker, world, known, dense)), ...(await readForModels(asker, world, known, dense)) };
}

/** What the knowledge base gives, and the store beneath it. */
export async function readDirectly(
  { kb, store, proof, everywhere, only }: Asker,
  world: World,
  known: Known,
  dense: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const given: Record<string, unknown> = {};
  const ask = createAsk(given, only);
  const inside = <Options extends { readonly scopes?: readonly Scope[] | undefined }>(options: Options): Options => ({
    ...options,
    ...(everywhere && { scopes: options.scopes ?? everywhere }),
  });

  for (const [query, options] of searchesOf(world, dense))
    await ask(`search ${query} ${JSON.stringify(options)}`, () => kb.search(query, inside(options)));
  const question = questionOf(world);
  for (const topK of [2, "all"] as const)
    await ask(`ask ${topK}`, () => kb.ask(question, inside<AskOptions>({ topK, explain: true })));
  await ask("ask as it is made", () => collect(kb.ask(question, inside<AskOptions>({ rerank: false }))));

  for (const answer of [question, ...answersOf(world, known)])
    await ask(`verify ${answer}`, () => kb.verify(answer, inside<VerifyOptions>({})));

  await ask("list", () => collect(kb.list()));
  await ask("folders", () => kb.folders());
  await ask("status", async () => ({ cacheHitRate: undefined, ...(await kb.status()), ...operatorsOwn(everywhere) }));
  const scope = world.named;
  for (const uri of known.uris) {
    await ask(`document ${uri}`, () => kb.document(uri));
    await ask(`document ${uri} of ${scope}`, () => kb.document(uri, { scope }));
    await ask(`outline ${uri}`, () => kb.outline(uri));
    await ask(`outline ${uri} of ${scope}`, () => kb.outline(uri, { scope }));
    await ask(`section ${uri}`, () => kb.section(uri, "0.1"));
    await ask(`section ${uri} of ${scope}`, () => kb.section(uri, "0", { scope }));
  }
  for (const id of known.chunkIds) {
    await ask(`neighbours of ${id}`, () => kb.expand(id, { neighbours: 1 }));
    await ask(`neighbours of ${id} in ${scope}`, () => kb.expand({ chunkId: id, scope }, { neighbours: 2 }));
    await ask(`zoom out of ${id}`, () => kb.expand(id, { zoomOut: 1, scope }));
    await ask(`further out of ${id}`, () => kb.expand(id, { zoomOut: 2 }));
  }

  // The floor beneath, with the proof that the gate gives.
  await ask("vectors by filter", () =>
    searchVectors(store, proof, { filter: { op: "eq", key: "kind", value: "odd" }, topK: 3 }),
  );
  await ask("vectors without a filter", () => searchVectors(store, proof, { topK: "all" }));
  await ask("chunks", () => collect(store.chunks(proof)));
  for (const id of known.documentIds) {
    await ask(`the document ${id}`, () => store.document(proof, id));
    await ask(`chunks of ${id}`, () => collect(store.chunks(proof, { documentId: id })));
  }
  return given;
}

/** What tools, memory and context give: functions of the view that they are handed, which keep nothing. */
async function readForModels(
  { kb, only }: Asker,
  world: World,
  known: Known,
  dense: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const given: Record<string, unknown> = {};
  const ask = createAsk(given, only);

  // What a model is shown: every tool, with every name.
  const tools = [
    ...createSearchTools(kb),
    ...createFetchTools(kb),
    ...createSearchTools(kb, { name: "even", filter: { kind: "even" } }),
    ...createMemoryPlugin(kb, { limit: 3 }).tools,
    ...createTextSearchPlugin(kb, { count: 4 }).tools,
  ];
  for (const tool of tools.filter(({ name }) => dense || !name.endsWith("vector_search"))) {
    for (const input of inputsOf(tool, world, known))
      await ask(`${tool.name} ${JSON.stringify(input)}`, () => tool.execute(input));
  }

  // What a prompt is given.
  const memory = createTextMemory(kb);
  await ask("memory", () => memory.search(world.query, { limit: 4, collection: "generic" }));
  await ask("memory's collections", () => memory.collections());
  const filter = { kind: "even" };
  await ask("LangChain's retriever", () => createLangChainRetriever(kb, { topK: 3 }).invoke(world.query));
  await ask("LangChain's store", () =>
    createLangChainVectorStore(kb, { search: { explain: true } }).similaritySearchWithScore(world.query, 4, filter),
  );
  const context = createTextSearchProvider(kb);
  await ask(
    "context",
    async () => (await context.beforeCall({ role: "user", content: questionOf(world) })).instructions,
  );
  return given;
}

/** The operator of the oracle is told of the cache, which is no caller's business. */
const operatorsOwn = (everywhere: Asker["everywhere"]): object =>
  everywhere === undefined ? {} : { cacheHitRate: undefined };

/**
 * The house as a table: which folder of `src` may import which (DESIGN 3). Whoever changes the house changes it here, and sees what it costs.
 */
const foundations = ["contracts", "text", "kernels", "access", "filters"] as const;
const stages = [
  "documents",
  "chunks",
  "embeddings",
  "indexes",
  "stores",
  "entities",
  "retrieval",
  "answers",
  "evaluation",
  "collections",
] as const;

export const mayImport: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  text: ["contracts"],
  kernels: ["contracts"],
  access: ["contracts"],
  filters: ["contracts", "text"],

  // Stages never import one another, but stores keep what indexes search.
  ...Object.fromEntries(stages.map((stage) => [stage, foundations])),
  stores: [...foundations, "indexes"],

  pipeline: [...foundations, ...stages],
  services: [...foundations, ...stages, "pipeline"],
  "knowledge-base": [...foundations, ...stages, "pipeline", "services"],

  tools: ["contracts", "text"],
  memory: ["contracts", "text", "tools"],
  testing: ["contracts", "text", "access"],
  ui: ["contracts"],
  server: [
    "contracts",
    "text",
    "access",
    "answers",
    "services",
    "knowledge-base",
    "tools",
    "ui",
    "adapters",
    "node.ts",
  ],
  cli: ["contracts", "text", "access", "knowledge-base", "node", "node.ts", "server", "adapters"],

  "index.ts": [...foundations, ...stages, "pipeline", "services", "knowledge-base", "tools", "memory", "adapters"],
  "langchain.ts": ["adapters"],
  node: ["contracts", "text", "documents", "chunks", "knowledge-base", "services", "memory", "adapters"],
  "node.ts": ["node", "adapters", "index.ts"],
};

/** What every adapter may import, besides the one stage that it says it works for. */
export const adapterImports: readonly string[] = ["contracts", "text", "kernels", "filters", "access"];

/** Each adapter: the room that hosts it, if any, and the test that runs its contract packs, or why it has none. */
export const adapters: Readonly<
  Record<string, { readonly host?: string; readonly packs: string; readonly noContract?: string }>
> = {
  "ai-sdk": { host: "answers", packs: "contracts/models.test.ts" },
  code: { host: "documents", packs: "contracts/code-and-mail-readers.test.ts" },
  feed: { host: "documents", packs: "contracts/code-and-mail-readers.test.ts" },
  "file-blobs": { host: "stores", packs: "contracts/blob-stores.test.ts" },
  files: { packs: "contracts/sources.test.ts" },
  html: { host: "documents", packs: "contracts/readers.test.ts" },
  langchain: {
    packs: "memory/langchain.test.ts",
    noContract: "It implements none of ours: it is ours in the shape of LangChain's.",
  },
  mail: { host: "documents", packs: "contracts/code-and-mail-readers.test.ts" },
  markdown: { host: "documents", packs: "contracts/readers.test.ts" },
  mcp: { host: "tools", packs: "tools/mcp.test.ts", noContract: "It implements none of ours: it hands our tools out." },
  office: { host: "documents", packs: "contracts/readers.test.ts" },
  openapi: {
    packs: "memory/openapi.test.ts",
    noContract: "It reads a file format that no reader of ours has use for.",
  },
  opentelemetry: { packs: "telemetry/telemetry.test.ts" },
  pdf: { host: "documents", packs: "contracts/readers.test.ts" },
  s3: { host: "stores", packs: "contracts/blob-stores.test.ts" },
  sheetjs: { host: "documents", packs: "contracts/readers.test.ts" },
  snowball: { packs: "contracts/texts.test.ts" },
  sqlite: { host: "stores", packs: "contracts/sqlite-store.test.ts" },
  thread: {
    host: "chunks",
    packs: "knowledge-base/read-ahead.test.ts",
    noContract: "It implements none of ours: it does ours elsewhere, and the test holds both results side by side.",
  },
  transformers: { packs: "contracts/onnx-models.test.ts" },
  usearch: { host: "stores", packs: "contracts/hnsw-store.test.ts" },
  worker: { host: "documents", packs: "contracts/worker-readers.test.ts" },
  web: { packs: "contracts/sources.test.ts" },
};

/** Adapters that the door for every runtime opens, with the reason why that costs it nothing. */
export const adaptersOfIndex: Readonly<Record<string, string>> = {
  "ai-sdk":
    "It knows the AI SDK's models by their shape: types only, no package is loaded. What loads packages is reached from node.ts alone.",
};

/** The doors that let out whatever another file names, each with its reason. */
export const starExports: Readonly<Record<string, string>> = {
  "index.ts": "A table of contents: what is public is said in the public.ts of each room.",
  "node.ts": "Two doors with one list of names: whatever index.ts exports, Node gets too.",
  "contracts/public.ts": "Every promise is public.",
};

/** Folders that may touch the machine: packages, builtins, `process`, `Buffer`. */
export const edges: readonly string[] = ["adapters", "server", "cli", "ui", "node", "node.ts", "langchain.ts"];

/** Who may hold the authority of maintenance (law 3). */
export const systemCallers: readonly string[] = ["access", "services", "knowledge-base", "testing"];

/** Files that name one another's types, with the reason. Nothing is loaded in a circle. */
export const typeCycles: Readonly<Record<string, string>> = {};

/** Files of more than 300 lines of code, each with the reason why it is one idea all the same. */
export const longFiles: Readonly<Record<string, string>> = {};

/** Global things of the web platform by which an adapter may earn its folder without a package or a builtin. */
export const networkNames: readonly string[] = ["fetch", "WebSocket", "EventSource", "indexedDB"];

/** Words that say nothing, or say what another word says here (DESIGN 2, GLOSSARY). */
export const forbiddenWords: Readonly<Record<string, RegExp>> = {
  "a word that says nothing": /(?:Manager|Helper|Util(?:s|ity)?|Misc)(?![a-z])/u,
  "a prefix of another house": /^(?:I[A-Z][a-z]|Abstract[A-Z]|Base[A-Z])/u,
  "vectorizer or encoder: say EmbeddingModel": /(?:Vectori[sz]er|Encoder)(?![a-z])/u,
  "passage or record: say Chunk": /(?:Passage|MemoryRecord)(?![a-z])/u,
  "splitter: say Chunker": /Splitter(?![a-z])/u,
  "enricher: say ChunkTransformer": /(?:Enricher|Enhancer)(?![a-z])/u,
  "loader or connector: say Source or Reader": /(?:Loader|Connector)(?![a-z])/u,
  "shard: say Segment": /Shard(?![a-z])/u,
  "tenant, namespace, principal: say Scope and AccessContext":
    /(?:(?:^t|T)enant|(?:^n|N)amespace|(?:^p|P)rincipal)(?![a-z])/u,
};

/** Exported names in which a forbidden word is the right one, with the reason. */
export const allowedNames: Readonly<Record<string, string>> = {
  createTextDataLoader: "Ballerina's own name, for readers of that design (DESIGN 6).",
};

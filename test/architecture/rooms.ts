/** A room of `src`: its rule, the rooms that it may import, and the folders in it that touch more than the language. */
export interface Room {
  /** One sentence that every file of the room keeps. */
  readonly rule: string;
  readonly imports: readonly string[];
  /** Folders of the room that import packages or Node, or use `process` and `Buffer`. */
  readonly edges?: Readonly<Record<string, Edge>>;
}

export interface Edge {
  /** Third-party packages, types included. */
  readonly packages?: readonly string[];
  /** Whether the folder uses Node: its builtin modules, `process`, `Buffer`. Default true. */
  readonly node?: boolean;
}

/**
 * The rooms of `src`, lowest first: a room imports only rooms above its row. ARCHITECTURE.md prints this table, and `rules.ts` holds the sources to it.
 * A change of the structure is a change of this list.
 */
export const rooms: Readonly<Record<string, Room>> = {
  contracts: { rule: "Nothing here runs except `IbidError`.", imports: [] },
  runtime: {
    rule: "Nothing here knows what a document is.",
    imports: ["contracts"],
    edges: { "runtime/packages": {}, "runtime/thread": {} },
  },
  access: { rule: "Only `gate.ts` makes a proof.", imports: ["contracts"] },
  text: {
    rule: "Input is a string; output is positions, terms or strings.",
    imports: ["contracts", "runtime"],
    edges: { "text/languages/snowball": { packages: ["@orama/stemmers"] } },
  },
  engine: {
    rule: "It scores segments in memory, synchronously, and never reads a store.",
    imports: ["contracts", "runtime", "text"],
  },
  stores: {
    rule: "It keeps data and checks proofs; it never ranks across legs.",
    imports: ["contracts", "runtime", "text", "access", "engine"],
    edges: {
      "stores/sqlite": {},
      "stores/blobs": {},
      "stores/postgres": {},
      "stores/hnsw": {},
      "stores/redis": {},
      "stores/mongodb": {},
      "stores/duckdb": {},
    },
  },
  readers: {
    rule: "A reader turns bytes into one document.",
    imports: ["contracts", "runtime", "text"],
    edges: {
      "readers/archives": { packages: ["modern-tar"] },
      "readers/code": { packages: ["web-tree-sitter", "@vscode/tree-sitter-wasm", "@cursorless/tree-sitter-wasms"] },
      "readers/feed": { packages: ["htmlparser2"] },
      "readers/html": { packages: ["htmlparser2"] },
      "readers/mail": { packages: ["postal-mime"] },
      "readers/markdown": { packages: ["markdown-it", "yaml"] },
      "readers/compound": {},
      "readers/converter": {},
      "readers/data": { packages: ["yaml"] },
      "readers/markup": { packages: ["htmlparser2"] },
      "readers/office": { packages: ["htmlparser2", "yauzl", "@zip.js/zip.js"] },
      "readers/ocr": {},
      "readers/pdf": { packages: ["unpdf", "pdfjs-dist"] },
      "readers/sheets": { packages: ["@e965/xlsx"] },
      "readers/worker": {},
    },
  },
  chunkers: { rule: "A chunk is a slice of its document.", imports: ["contracts", "runtime", "text"] },
  models: {
    rule: "Each model is called once per text; retries live elsewhere.",
    imports: ["contracts", "runtime", "text"],
    edges: {
      "models/choose-models": {},
      "models/hosted": {},
      "models/transformers": { packages: ["@huggingface/transformers"] },
    },
  },
  search: {
    rule: "A query becomes hits; it reads the chunks of the top k only.",
    imports: ["contracts", "runtime", "text", "access", "engine"],
  },
  answers: {
    rule: "Every citation is checked against stored text.",
    imports: ["contracts", "runtime", "text", "models"],
  },
  ingest: {
    rule: "Every input passes `ingest.ts`.",
    imports: ["contracts", "runtime", "text", "access", "readers", "chunkers", "models", "stores"],
    edges: {
      "ingest/queue": {},
      "ingest/sources/files": { packages: ["ignore", "picomatch"] },
      "ingest/sources/web": { packages: ["htmlparser2", "ipaddr.js", "undici"] },
    },
  },
  "knowledge-base": {
    rule: "It chooses parts and asks the gate.",
    imports: [
      "contracts",
      "runtime",
      "access",
      "text",
      "engine",
      "stores",
      "readers",
      "chunkers",
      "models",
      "search",
      "answers",
      "ingest",
    ],
    edges: { "knowledge-base/open": {}, "knowledge-base/site": { packages: ["htmlparser2"] } },
  },
  eval: { rule: "It measures and never searches.", imports: ["contracts", "runtime"] },
  integrations: {
    rule: "It shows a knowledge base in a foreign shape.",
    imports: ["contracts", "runtime", "text", "access", "search", "ingest", "answers", "chunkers", "models", "stores"],
    edges: {
      "integrations/compat/openapi": { packages: ["yaml"] },
      "integrations/langchain": { packages: ["@langchain/core"] },
      "integrations/memory": {
        packages: ["@secretlint/core", "@secretlint/profiler", "@secretlint/secretlint-rule-preset-recommend"],
        node: false,
      },
      "integrations/memory/index.node": {},
      "integrations/memory/sessions": {},
      "integrations/mcp": { packages: ["@modelcontextprotocol/server"] },
      "integrations/opentelemetry": { packages: ["@opentelemetry/api"] },
    },
  },
  server: {
    rule: "It adds nothing that a library user lacks.",
    imports: ["contracts", "runtime", "access", "search", "eval", "ingest", "integrations", "knowledge-base"],
    edges: { server: { packages: ["hono", "@hono/node-server", "jose", "openid-client", "zod"] } },
  },
  cli: {
    rule: "It adds nothing that a library user lacks.",
    imports: ["contracts", "runtime", "text", "search", "eval", "ingest", "integrations", "knowledge-base", "server"],
    edges: { cli: { packages: ["commander", "jsonc-parser", "@modelcontextprotocol/server"] } },
  },
  testing: { rule: "It needs no test runner.", imports: ["contracts", "access"] },
  "index.ts": { rule: "It names things only.", imports: ["contracts", "knowledge-base"] },
  "index.node.ts": { rule: "It names things only.", imports: ["index.ts", "contracts", "knowledge-base"] },
};

/** Folders of `test` besides those of the rooms, each with its contents. Tests of a room lie in the folder of its name. */
export const testFolders: Readonly<Record<string, string>> = {
  architecture: "The table of rooms, and the rules that hold the sources to it.",
  attack: "The attack on the promises of docs/security.md.",
  browser: "The bundle for pages.",
  crash: "Processes that are killed while they write.",
  designs: "Proofs of the five designs, which run over the packed package alone.",
  docs: "Pages: examples, links, figures, English.",
  "end-to-end": "Whole programs, from files to answers.",
  examples: "The programs of `examples`.",
  fixtures: "Files that tests read.",
  fuzz: "Broken files of each format.",
  injection: "Documents that give orders to a model.",
  options: "Options of the same meaning have the same name in the library, the command line and the server.",
  page: "The page of the service in a real browser.",
  packs: "Contract packs of parts that nobody else implements.",
  support: "Clocks, servers, seeds and other parts that tests share.",
  surface: "Public names.",
};

/** Limits on the whole: entry files count as rooms in the arrows, and not in the rooms. */
export const mostRooms = 18;
export const mostArrows = 85;

/** Rooms and files that may hold the authority of maintenance, which passes every gate. */
export const authorityHolders: readonly string[] = ["access", "knowledge-base", "testing"];

/** Folders that may make a gate. All others are handed one. */
export const gateMakers: readonly string[] = ["access", "knowledge-base/open", "knowledge-base/site", "testing"];

/** Most lines of code in a file and in a function. */
export const mostLines = 450;
export const mostFunctionLines = 120;

/** Longer files, each with its reason. */
export const longFiles: Readonly<Record<string, string>> = {};

/** Longer functions, as `file:function`, each with its reason. */
export const longFunctions: Readonly<Record<string, string>> = {
  "cli/program.ts:createProgram": "One list of commands and their options.",
  "ingest/queue/memory-job-store.ts:createMemoryJobStore": "One closure over the jobs; each method is short.",
  "knowledge-base/operations/observer.ts:createObserver": "One closure over the counters; each wrapper is short.",
  "readers/html/parse-html.ts:parseHtml": "Callbacks of one parser over the state that they share.",
  "stores/memory/memory-directory.ts:createRows": "One method for each row operation, most of one line.",
  "stores/sqlite/sqlite-job-store.ts:createSqliteJobStore": "One closure over the statements; each method is short.",
  "stores/sqlite/sqlite-rows.ts:createSqliteRows": "One method for each row operation, most of one statement.",
  "testing/blob-store-pack.ts:createBlobStorePack": "A list of cases.",
  "testing/chat-model-pack.ts:talking": "A list of cases.",
  "testing/embedding-model-pack.ts:createEmbeddingModelPack": "A list of cases.",
  "testing/job-keeping-cases.ts:jobKeepingCases": "A list of cases.",
  "testing/retriever-pack.ts:perMode": "A list of cases.",
  "text/patterns/linear-regex.ts:createAutomaton": "The inner loop and its tables share local variables.",
};

/** Words that say nothing, or that have another word in GLOSSARY.md. */
export const forbiddenWords: Readonly<Record<string, RegExp>> = {
  "a word that says nothing": /(?:Manager|Helper|Util(?:s|ity)?|Misc)(?![a-z])/u,
  "a prefix without meaning": /^(?:I[A-Z][a-z]|Abstract[A-Z]|Base[A-Z])/u,
  "vectorizer or encoder: say EmbeddingModel": /(?:Vectori[sz]er|Encoder)(?![a-z])/u,
  "passage or record: say Chunk": /(?:Passage|MemoryRecord)(?![a-z])/u,
  "splitter: say Chunker": /Splitter(?![a-z])/u,
  "enricher: say ChunkTransformer": /Enricher(?![a-z])/u,
  "loader or connector: say Source or Reader": /(?:Loader|Connector)(?![a-z])/u,
  "shard: say Segment": /Shard(?![a-z])/u,
  "tenant, namespace, principal: say Scope and AccessContext":
    /(?:(?:^t|T)enant|(?:^n|N)amespace|(?:^p|P)rincipal)(?![a-z])/u,
};

/** Exported names in which a forbidden word is right, with the reason. */
export const allowedNames: Readonly<Record<string, string>> = {
  createTextDataLoader: "Ballerina's own name, for readers of that design.",
};

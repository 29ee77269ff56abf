/**
 * Held by the type checker: every option that a public function or method takes may be `undefined`, as a strict project hands on what it may not have.
 * An error here names the function and the members that refuse it.
 */
import type * as root from "ibid";
import type * as access from "ibid/access";
import type * as aiSdk from "ibid/ai-sdk";
import type * as answers from "ibid/answers";
import type * as chunkers from "ibid/chunkers";
import type * as compat from "ibid/compat";
import type * as evaluation from "ibid/eval";
import type * as ingest from "ibid/ingest";
import type * as langchain from "ibid/langchain";
import type * as mcp from "ibid/mcp";
import type * as memory from "ibid/memory";
import type * as models from "ibid/models";
import type * as opentelemetry from "ibid/opentelemetry";
import type * as operations from "ibid/operations";
import type * as readers from "ibid/readers";
import type * as records from "ibid/records";
import type * as search from "ibid/search";
import type * as server from "ibid/server";
import type * as site from "ibid/site";
import type * as stores from "ibid/stores";
import type * as storesAzureSearch from "ibid/stores/azure-search";
import type * as storesChroma from "ibid/stores/chroma";
import type * as storesDuckdb from "ibid/stores/duckdb";
import type * as storesHnsw from "ibid/stores/hnsw";
import type * as storesKusto from "ibid/stores/kusto";
import type * as storesMilvus from "ibid/stores/milvus";
import type * as storesMongodb from "ibid/stores/mongodb";
import type * as storesOpensearch from "ibid/stores/opensearch";
import type * as storesPgvector from "ibid/stores/pgvector";
import type * as storesPinecone from "ibid/stores/pinecone";
import type * as storesPostgres from "ibid/stores/postgres";
import type * as storesQdrant from "ibid/stores/qdrant";
import type * as storesRedis from "ibid/stores/redis";
import type * as storesSqlite from "ibid/stores/sqlite";
import type * as storesWeaviate from "ibid/stores/weaviate";
import type * as testing from "ibid/testing";
import type * as text from "ibid/text";
import type * as tools from "ibid/tools";
import type {
  Answer,
  Chunk,
  DocumentView,
  FilterInput,
  Hit,
  KnowledgeBase,
  MediaDocument,
  Section,
  TextDocument,
} from "ibid";
import type { DescribedDocument, ViewedDocument } from "ibid/readers";
import type { ContentRepository, Fact, NamedEntityData, RecordCollection } from "ibid/records";
import type { Retrievable } from "ibid/tools";

/** Values that ibid makes itself; and filters, in which a condition on `undefined` must not count as left out: it would find more. */
type Made =
  | Answer
  | Chunk
  | DescribedDocument
  | DocumentView
  | Fact
  | FilterInput
  | Hit
  | MediaDocument
  | NamedEntityData
  | Retrievable
  | Section
  | TextDocument
  | ViewedDocument;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any function
type Callable = (...given: any) => unknown;

type Atom = string | number | boolean | bigint | symbol | null | undefined | Callable | readonly unknown[] | Uint8Array;

/** Whether a program implements it, as a store or a model: options have no function that must be there. */
type IsPart<Given> = true extends {
  [Name in keyof Given]-?: object extends Pick<Given, Name> ? never : Given[Name] extends Callable ? true : never;
}[keyof Given]
  ? true
  : false;

type Options<Given> = Given extends Atom | Made ? never : IsPart<Given> extends true ? never : Given;

/** Optional members that do not take `undefined`. */
type Refusing<Given> = {
  [Name in keyof Given]-?: object extends Pick<Given, Name>
    ? { readonly [Same in Name]: undefined } extends Pick<Given, Name>
      ? never
      : Name
    : never;
}[keyof Given];

type Refused<Given> = Options<Given> extends infer Each ? (Each extends object ? Refusing<Each> : never) : never;

/** Functions of a module or an object, each with a member of its options that refuses `undefined`: `"createGate.platform"`. */
type RefusedBy<Module> = {
  [Name in keyof Module]: Module[Name] extends Callable
    ? `${Name & string}.${Refused<Parameters<Module[Name]>[number]> & string}`
    : never;
}[keyof Module];

type None<Found extends never> = Found;

export type Checked = [
  None<RefusedBy<typeof root>>,
  None<RefusedBy<typeof access>>,
  None<RefusedBy<typeof aiSdk>>,
  None<RefusedBy<typeof answers>>,
  None<RefusedBy<typeof chunkers>>,
  None<RefusedBy<typeof compat>>,
  None<RefusedBy<typeof evaluation>>,
  None<RefusedBy<typeof ingest>>,
  None<RefusedBy<typeof langchain>>,
  None<RefusedBy<typeof mcp>>,
  None<RefusedBy<typeof memory>>,
  None<RefusedBy<typeof models>>,
  None<RefusedBy<typeof opentelemetry>>,
  None<RefusedBy<typeof operations>>,
  None<RefusedBy<typeof readers>>,
  None<RefusedBy<typeof records>>,
  None<RefusedBy<typeof search>>,
  None<RefusedBy<typeof server>>,
  None<RefusedBy<typeof site>>,
  None<RefusedBy<typeof stores>>,
  None<RefusedBy<typeof storesAzureSearch>>,
  None<RefusedBy<typeof storesChroma>>,
  None<RefusedBy<typeof storesDuckdb>>,
  None<RefusedBy<typeof storesHnsw>>,
  None<RefusedBy<typeof storesKusto>>,
  None<RefusedBy<typeof storesMilvus>>,
  None<RefusedBy<typeof storesMongodb>>,
  None<RefusedBy<typeof storesOpensearch>>,
  None<RefusedBy<typeof storesPgvector>>,
  None<RefusedBy<typeof storesPinecone>>,
  None<RefusedBy<typeof storesPostgres>>,
  None<RefusedBy<typeof storesQdrant>>,
  None<RefusedBy<typeof storesRedis>>,
  None<RefusedBy<typeof storesSqlite>>,
  None<RefusedBy<typeof storesWeaviate>>,
  None<RefusedBy<typeof testing>>,
  None<RefusedBy<typeof text>>,
  None<RefusedBy<typeof tools>>,
  None<RefusedBy<KnowledgeBase>>,
  None<RefusedBy<RecordCollection<unknown, unknown>>>,
  None<RefusedBy<ContentRepository>>,
];

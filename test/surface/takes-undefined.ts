/**
 * Held by the type checker: every option that a public function or method takes may be `undefined`, as a strict project hands on what it may not have.
 * An error here names the function and the members that refuse it.
 */
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

/** The functions of a module or an object whose options refuse `undefined`, with the members. */
type RefusedBy<Module> = {
  [
    Name in keyof Module as Module[Name] extends Callable
      ? [Refused<Parameters<Module[Name]>[number]>] extends [never]
        ? never
        : Name
      : never
  ]: Module[Name] extends Callable ? Refused<Parameters<Module[Name]>[number]> : never;
};

type None<Found extends Record<string, never>> = Found;

export type Checked = [
  None<RefusedBy<typeof import("ibid")>>,
  None<RefusedBy<typeof import("ibid/access")>>,
  None<RefusedBy<typeof import("ibid/ai-sdk")>>,
  None<RefusedBy<typeof import("ibid/answers")>>,
  None<RefusedBy<typeof import("ibid/chunkers")>>,
  None<RefusedBy<typeof import("ibid/compat")>>,
  None<RefusedBy<typeof import("ibid/eval")>>,
  None<RefusedBy<typeof import("ibid/ingest")>>,
  None<RefusedBy<typeof import("ibid/langchain")>>,
  None<RefusedBy<typeof import("ibid/mcp")>>,
  None<RefusedBy<typeof import("ibid/memory")>>,
  None<RefusedBy<typeof import("ibid/models")>>,
  None<RefusedBy<typeof import("ibid/opentelemetry")>>,
  None<RefusedBy<typeof import("ibid/operations")>>,
  None<RefusedBy<typeof import("ibid/readers")>>,
  None<RefusedBy<typeof import("ibid/records")>>,
  None<RefusedBy<typeof import("ibid/search")>>,
  None<RefusedBy<typeof import("ibid/server")>>,
  None<RefusedBy<typeof import("ibid/site")>>,
  None<RefusedBy<typeof import("ibid/stores")>>,
  None<RefusedBy<typeof import("ibid/stores/azure-search")>>,
  None<RefusedBy<typeof import("ibid/stores/chroma")>>,
  None<RefusedBy<typeof import("ibid/stores/duckdb")>>,
  None<RefusedBy<typeof import("ibid/stores/hnsw")>>,
  None<RefusedBy<typeof import("ibid/stores/kusto")>>,
  None<RefusedBy<typeof import("ibid/stores/milvus")>>,
  None<RefusedBy<typeof import("ibid/stores/mongodb")>>,
  None<RefusedBy<typeof import("ibid/stores/opensearch")>>,
  None<RefusedBy<typeof import("ibid/stores/pgvector")>>,
  None<RefusedBy<typeof import("ibid/stores/pinecone")>>,
  None<RefusedBy<typeof import("ibid/stores/postgres")>>,
  None<RefusedBy<typeof import("ibid/stores/qdrant")>>,
  None<RefusedBy<typeof import("ibid/stores/redis")>>,
  None<RefusedBy<typeof import("ibid/stores/sqlite")>>,
  None<RefusedBy<typeof import("ibid/stores/weaviate")>>,
  None<RefusedBy<typeof import("ibid/testing")>>,
  None<RefusedBy<typeof import("ibid/text")>>,
  None<RefusedBy<typeof import("ibid/tools")>>,
  None<RefusedBy<KnowledgeBase>>,
  None<RefusedBy<RecordCollection<unknown, unknown>>>,
  None<RefusedBy<ContentRepository>>,
];

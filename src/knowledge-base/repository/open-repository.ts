import type { Chunk } from "../../contracts/chunk.ts";
import type { Section } from "../../contracts/document.ts";
import type { Embedding } from "../../contracts/embedding.ts";
import type { Enhancer, TreeElement } from "../../contracts/enhancer.ts";
import type { Entities } from "../../contracts/entity.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { DocumentView, IngestInput, IngestOptions, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import { enhanceElement } from "../../ingest/enhance.ts";
import { describeElement, describeEntity, describeFact } from "../../readers/describe-element.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { findSectionPath, walkSections } from "../../text/walk-sections.ts";
import type { Facts } from "../entities/open-facts.ts";

/**
 * Kinds of what a repository stores and finds.
 *
 * @experimental
 */
export type RetrievableKind = "document" | "section" | "chunk" | "entity" | "fact";

/**
 * Parts and hooks of a repository. Everything has a default.
 *
 * @experimental
 */
export interface RepositoryOptions {
  /** Entities that are found as kind `"entity"`. Default: none. */
  readonly entities?: Entities | undefined;
  /** Facts that are found as kind `"fact"`. Default: none. */
  readonly facts?: Facts | undefined;
  /** Enhancers that `enhance` asks: those that the knowledge base was opened with. Default: none. */
  readonly enhancers?: readonly Enhancer[] | undefined;
  /** Metadata key of chunks that lists the ids of entities which they name. Default `"entities"`. */
  readonly entityKey?: string | undefined;
  /** Called with what a write brought: the document and its sections, then its chunks. */
  readonly onNewRetrievables?: ((elements: readonly TreeElement[]) => void | Promise<void>) | undefined;
  /** Called with the chunks of a write and their vectors by chunk id. A chunk whose batch failed has none. */
  readonly persistChunksWithEmbeddings?:
    | ((chunks: readonly Chunk[], embeddings: ReadonlyMap<string, Embedding>) => void | Promise<void>)
    | undefined;
  /** Called with each document that was written, to relate what it names. */
  readonly createInternalRelationships?: ((root: DocumentView) => void | Promise<void>) | undefined;
  /** Called last after a write. */
  readonly commit?: (() => void | Promise<void>) | undefined;
}

/**
 * How a repository is searched; everything has a default.
 *
 * @experimental
 */
export interface RepositorySearchOptions {
  /** Default 5. */
  readonly topK?: number | undefined;
  /** Inclusive threshold: for vectors of their score, for words and patterns of the result's. Default: none. */
  readonly similarityThreshold?: number | undefined;
  readonly metadataFilter?: FilterInput | undefined;
  /** Labels of which an entity has one at least; for kind `"entity"` alone. */
  readonly entityFilter?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An element that was found.
 *
 * @experimental
 */
export interface SimilarityResult {
  readonly match: TreeElement;
  readonly score: number;
  /** Its best chunk, which can be cited. */
  readonly hit: Hit;
}

/**
 * Outcome of deleting a document with everything below it.
 *
 * @experimental
 */
export interface DocumentDeletion {
  readonly rootUri: string;
  /** The document, its sections and its chunks. */
  readonly deletedCount: number;
}

/**
 * A knowledge base as a repository of content elements: documents, sections, chunks, and beside them entities and facts.
 *
 * **Shape** elements are descriptions, as `describeElement` makes them; the objects themselves stay with the knowledge base. **Errors** as the verbs of the knowledge base.
 * **Source** Embabel's `ChunkingContentElementRepository` and its search interfaces.
 *
 * @experimental
 */
export interface ContentRepository {
  readonly enhancers: readonly Enhancer[];
  /**
   * Writes documents with their chunks, then calls the hooks, in the order of {@link RepositoryOptions}, for each document that is new or changed.
   *
   * **Shape** ids of the chunks. **Errors** the first failure of a document; an error of a hook, after the document is stored.
   */
  writeAndChunkDocument(input: IngestInput, options?: IngestOptions): Promise<readonly string[]>;
  /** `undefined` for a uri that is not there. */
  deleteRootAndDescendants(uri: string): Promise<DocumentDeletion | undefined>;
  findContentRootByUri(uri: string): Promise<DocumentView | undefined>;
  existsRootWithUri(uri: string): Promise<boolean>;
  /** An element with what the enhancers add to it. */
  enhance(element: TreeElement): Promise<TreeElement>;
  /** A chunk, document, section, entity or fact by its id. **Cost** a chunk, an entity or a fact is one look-up; a document or section reads the list of documents. */
  findById(id: string): Promise<TreeElement | undefined>;
  /** Chunks in the order of their ids; unknown ones are passed over. */
  findAllChunksById(ids: readonly string[]): Promise<readonly Chunk[]>;
  /** Chunks whose metadata name an entity. */
  findChunksForEntity(entityId: string): Promise<readonly Chunk[]>;
  /** All elements of a kind: documents by uri, each with its sections in order; chunks by id. */
  findAll(kind: RetrievableKind): AsyncIterable<TreeElement>;
  /** Elements of a kind, or documents, sections and chunks together. */
  count(kind?: RetrievableKind, options?: { readonly filter?: FilterInput | undefined }): Promise<number>;
  /** Ids from the document down to a chunk: the document, its sections, the chunk. `undefined` for an unknown chunk. */
  pathFromRoot(chunkId: string): Promise<readonly string[] | undefined>;
  /** Whether elements of a kind can be searched. */
  supportsType(kind: string): boolean;
  /** By meaning. A document or section ranks by its best chunk. */
  vectorSearch(
    query: string,
    kind: RetrievableKind,
    options?: RepositorySearchOptions,
  ): Promise<readonly SimilarityResult[]>;
  /** By words, in Lucene's syntax. */
  textSearch(
    query: string,
    kind: RetrievableKind,
    options?: RepositorySearchOptions,
  ): Promise<readonly SimilarityResult[]>;
  /** By a regular expression. */
  regexSearch(
    pattern: string,
    kind: RetrievableKind,
    options?: RepositorySearchOptions,
  ): Promise<readonly SimilarityResult[]>;
}

/** Records stand under their own kinds, and not among documents. */
const isRecord = (uri: string): boolean => uri.startsWith("ibid:collection");
const noRecords: FilterInput = { _collection: { exists: false } };

/**
 * Opens a knowledge base as a repository, over the view of one caller.
 *
 * **Errors** `invalid-argument` for an unknown option.
 *
 * @experimental
 */
export function openRepository(kb: KnowledgeBase, options: RepositoryOptions = {}): ContentRepository {
  checkGiven("openRepository", "kb", kb, "object");
  checkOptions("openRepository", options, {
    entities: true,
    facts: true,
    enhancers: true,
    entityKey: true,
    onNewRetrievables: true,
    persistChunksWithEmbeddings: true,
    createInternalRelationships: true,
    commit: true,
  });
  const { entities, facts, enhancers = [], entityKey = "entities" } = options;

  async function afterWrite(uri: string, scope: DocumentView["scope"]): Promise<readonly string[]> {
    const root = await kb.document(uri, { scope });
    if (root === undefined) return [];
    const chunks: Chunk[] = [];
    const embeddings = new Map<string, Embedding>();
    const includeEmbeddings = options.persistChunksWithEmbeddings !== undefined;
    for await (const stored of kb.chunks({ uri, scope, includeEmbeddings })) {
      chunks.push(stored.chunk);
      const [first] = stored.embeddings ?? [];
      if (first !== undefined) embeddings.set(stored.chunk.id, first.embedding);
    }
    chunks.sort((a, b) => a.index - b.index);
    await options.onNewRetrievables?.([describeElement(root), ...sectionsOf(root)]);
    await options.persistChunksWithEmbeddings?.(chunks, embeddings);
    await options.onNewRetrievables?.(chunks.map((chunk) => describeElement(root, chunk)));
    await options.createInternalRelationships?.(root);
    return chunks.map(({ id }) => id);
  }

  async function* roots(): AsyncGenerator<DocumentView> {
    for await (const { uri, scope } of kb.list()) {
      const found = isRecord(uri) ? undefined : await kb.document(uri, { scope });
      if (found !== undefined) yield found;
    }
  }

  async function chunksWhere(filter: FilterInput): Promise<readonly Chunk[]> {
    const found: Chunk[] = [];
    for await (const { chunk } of kb.chunks({ filter })) found.push(chunk);
    return found;
  }

  async function chunkById(id: string): Promise<readonly [Chunk, DocumentView] | undefined> {
    for await (const { chunk, scope } of kb.chunks({ ids: [id] })) {
      const root = await kb.document(chunk.uri, { scope });
      if (root !== undefined) return [chunk, root];
    }
    return undefined;
  }

  async function* findAll(kind: RetrievableKind): AsyncGenerator<TreeElement> {
    switch (kind) {
      case "document":
        for await (const root of roots()) yield describeElement(root);
        return;
      case "section":
        for await (const root of roots()) yield* sectionsOf(root);
        return;
      case "chunk":
        for await (const root of roots())
          for await (const { chunk } of kb.chunks({ uri: root.uri, scope: root.scope }))
            yield describeElement(root, chunk);
        return;
      case "entity":
        if (entities !== undefined) for await (const entity of entities.list()) yield describeEntity(entity);
        return;
      case "fact":
        if (facts !== undefined) for await (const fact of facts.list()) yield describeFact(fact);
        return;
      default:
        throw unknownKind(kind);
    }
  }

  async function search(
    mode: Exclude<SearchMode, "hybrid">,
    query: string,
    kind: RetrievableKind,
    given: RepositorySearchOptions = {},
  ): Promise<readonly SimilarityResult[]> {
    checkOptions(`${mode} search`, given, {
      topK: true,
      similarityThreshold: true,
      metadataFilter: true,
      entityFilter: true,
      signal: true,
    });
    if (!repository.supportsType(kind)) throw unknownKind(kind);
    const { topK = 5, similarityThreshold: floor, metadataFilter: filter, entityFilter: labels, signal } = given;
    const rest = { ...(signal && { signal }), ...(mode === "dense" && floor !== undefined && { minScore: floor }) };
    const passes = ({ score }: SimilarityResult): boolean => floor === undefined || score >= floor;
    if (labels !== undefined && kind !== "entity") {
      throw new IbidError("invalid-argument", `A search for kind "${kind}" has an entityFilter.`, {
        hint: 'Labels are those of entities: search for kind "entity", or leave it out.',
      });
    }
    if (kind === "entity") {
      const narrowed = { ...(labels && { labels }), ...(filter && { filter }) };
      const found = await entities!.search(query, { topK, mode, ...narrowed, ...rest });
      return found.map(({ entity, score, hit }) => ({ match: describeEntity(entity), score, hit })).filter(passes);
    }
    if (kind === "fact") {
      if (filter !== undefined) {
        throw new IbidError("unsupported", "Facts are not searched by a metadataFilter.", {
          hint: "An authority narrows them: facts.search(query, { authority }).",
        });
      }
      const found = await facts!.search(query, { topK, mode, ...rest });
      return found.map(({ fact, score, hit }) => ({ match: describeFact(fact), score, hit })).filter(passes);
    }
    const narrowed = filter === undefined ? noRecords : ({ and: [noRecords, filter] } as FilterInput);
    const syntax = mode === "lexical" ? ({ syntax: "lucene" } as const) : {};
    const views = new Map<string, DocumentView>();
    // A section or document is found by its best chunk; others of it take places that are asked for again.
    for (let wanted = topK; ; wanted *= 2) {
      const hits = await kb.search(query, { mode, topK: wanted, filter: narrowed, ...syntax, ...rest });
      const found = new Map<string, SimilarityResult>();
      for (const hit of hits) {
        const { source, scope, chunkId, score } = hit;
        const key = JSON.stringify([scope, source.uri]);
        const root = views.get(key) ?? (await kb.document(source.uri, { scope }));
        if (root === undefined) continue;
        views.set(key, root);
        for (const match of await elementsOf(kind, root, chunkId, hit))
          if (!found.has(match.id)) found.set(match.id, { match, score, hit });
      }
      if (found.size >= topK || hits.length < wanted) return [...found.values()].filter(passes).slice(0, topK);
    }
  }

  /** The element of a kind that a found chunk is, or stands in. */
  async function elementsOf(
    kind: RetrievableKind,
    root: DocumentView,
    chunkId: string,
    hit: Hit,
  ): Promise<readonly TreeElement[]> {
    if (kind === "document") return [describeElement(root)];
    for await (const { chunk } of kb.chunks({ uri: root.uri, scope: hit.scope, ids: [chunkId] })) {
      if (kind === "chunk") return [describeElement(root, chunk)];
      const section = findSectionPath(root.root, chunk.sectionId)?.at(-1);
      return section === undefined || section.level === 0 ? [] : [describeElement(root, section)];
    }
    return [];
  }

  const repository: ContentRepository = {
    enhancers,

    async writeAndChunkDocument(input, how = {}) {
      const written: (readonly [string, DocumentView["scope"]])[] = [];
      const ids: string[] = [];
      let failure: IbidError | undefined;
      for await (const { uri, scope, status, error } of kb.ingest(input, how)) {
        if (status === "failed") failure ??= error;
        else if (status === "added" || status === "updated") written.push([uri, scope]);
        else if (status === "unchanged") for await (const { chunk } of kb.chunks({ uri, scope })) ids.push(chunk.id);
      }
      for (const [uri, scope] of written) ids.push(...(await afterWrite(uri, scope)));
      if (written.length > 0) await options.commit?.();
      if (failure !== undefined) throw failure;
      return ids;
    },

    async deleteRootAndDescendants(uri) {
      const [deleted] = await kb.delete(uri, { elements: true });
      return deleted && { rootUri: deleted.uri, deletedCount: deleted.elements ?? deleted.chunks };
    },

    findContentRootByUri: (uri) => kb.document(uri),
    existsRootWithUri: async (uri) => (await kb.document(uri, { start: 0, end: 0 })) !== undefined,

    async enhance(element) {
      let enhanced = element;
      for (const enhancer of enhancers) {
        const { metadata, text } = await enhanceElement(enhancer, enhanced);
        enhanced = {
          ...enhanced,
          ...(text !== undefined && { embeddableValue: text }),
          propertiesToPersist: { ...enhanced.propertiesToPersist, ...metadata, ...(text !== undefined && { text }) },
        };
      }
      return enhanced;
    },

    async findById(id) {
      const found = await chunkById(id);
      if (found !== undefined) return describeElement(found[1], found[0]);
      const entity = await entities?.get(id);
      if (entity !== undefined) return describeEntity(entity);
      const fact = await facts?.get(id);
      if (fact !== undefined) return describeFact(fact);
      const [documentId] = id.split("#");
      for await (const summary of kb.list()) {
        if (summary.id !== documentId) continue;
        const root = await kb.document(summary.uri, { scope: summary.scope });
        if (root === undefined) return undefined;
        return [describeElement(root), ...sectionsOf(root)].find((element) => element.id === id);
      }
      return undefined;
    },

    async findAllChunksById(ids) {
      const found = new Map<string, Chunk>();
      for await (const { chunk } of kb.chunks({ ids })) found.set(chunk.id, chunk);
      return ids.flatMap((id) => found.get(id) ?? []);
    },

    findChunksForEntity: (entityId) =>
      chunksWhere({ or: [{ [entityKey]: entityId }, { [entityKey]: { hasElement: entityId } }] }),

    findAll,

    async count(kind, { filter } = {}) {
      if (kind === "entity" || kind === "fact") {
        let count = 0;
        for await (const _ of kind === "entity" ? (entities?.list({ ...(filter && { filter }) }) ?? []) : findAll(kind))
          count++;
        return count;
      }
      const documents = filter === undefined ? noRecords : ({ and: [noRecords, filter] } as FilterInput);
      const info = await kb.info({ filter: documents });
      if (kind === undefined) return info.contentElementCount;
      const counts = { document: info.documentCount, section: info.sectionCount, chunk: info.chunkCount };
      if (kind in counts) return counts[kind];
      throw unknownKind(kind);
    },

    async pathFromRoot(chunkId) {
      const found = await chunkById(chunkId);
      if (found === undefined) return undefined;
      const [chunk, root] = found;
      const sections = (findSectionPath(root.root, chunk.sectionId) ?? []).filter(({ level }) => level > 0);
      return [root.id, ...sections.map((section) => describeElement(root, section).id), chunk.id];
    },

    supportsType: (kind) =>
      ["document", "section", "chunk"].includes(kind) ||
      (kind === "entity" && entities !== undefined) ||
      (kind === "fact" && facts !== undefined),

    vectorSearch: (query, kind, given) => search("dense", query, kind, given),
    textSearch: (query, kind, given) => search("lexical", query, kind, given),
    regexSearch: (pattern, kind, given) => search("regex", pattern, kind, given),
  };
  return repository;
}

function sectionsOf(root: DocumentView): readonly TreeElement[] {
  const sections: readonly Section[] = [...walkSections(root.root)].filter(({ level }) => level > 0);
  return sections.map((section) => describeElement(root, section));
}

function unknownKind(kind: string): IbidError {
  return new IbidError("unsupported", `This repository has no elements of kind "${kind}".`, {
    hint: "Kinds are document, section, chunk; entity and fact where the repository was opened with entities or facts.",
  });
}

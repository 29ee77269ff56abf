import { narrowProof, operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { Diagnosis, FindingKind } from "../contracts/diagnosis.ts";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { type EmbeddingVersion, pictureFingerprint, versionKey } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { ChunkListOptions, DeletedDocument, DocumentAddress, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { DeletedSummary, DeleteOptions, ListChunksOptions, Store, StoredChunk } from "../contracts/store.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { archivesOf, memberUri } from "../readers/archives/archive-kind.ts";
import { compileFilter } from "../engine/filters/compile-filter.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { checkGiven, checkOptions, checkText } from "../runtime/check-options.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";
import { hashParts } from "../runtime/hash.ts";
import { showValue } from "../runtime/plan-options.ts";
import { composedMediaType } from "../text/compose-chunks.ts";
import { findDocument, severalScopes } from "./catalogue.ts";
import { countSections } from "./count-contents.ts";
import { createDocumentVersions } from "./document-versions.ts";
import { findDeletedScopes } from "./deleted-scopes.ts";
import type { KeepingParts } from "./parts.ts";

const deleteOptions = { scope: true, onMissing: true, purge: true, elements: true, prove: true } as const;

type Keeping = Pick<
  KnowledgeBase,
  "delete" | "restore" | "versions" | "deleted" | "vacuum" | "reset" | "chunks" | "doctor" | "native"
>;

/** How long what was deleted is kept. **Source** ToolUp. */
const defaultRetentionMs = 7 * 86_400_000;

/** The verbs about what is deleted and kept, for how long, and whether all of it is well. Maintenance is for the operator alone: it goes over every scope. */
export function createKeeping(parts: KeepingParts): Keeping {
  const { store, gate, caller, authority, readable, embedder } = parts;
  const versions = createDocumentVersions(parts, async (uri, address) => findDeleted(parts, uri, address));

  async function maintain(verb: string): Promise<void> {
    // `readable` also throws when the knowledge base is closed.
    await readable([]);
    if (caller === operator) return;
    throw new IbidError("access-denied", `${verb} goes over every scope, and is for the operator alone.`, {
      hint: "Call it on the knowledge base itself, not on a caller's view; at a terminal, leave out --as-user and --as-team.",
    });
  }

  /** Deleting needs the right to write. **Errors** `access-denied` for a caller who may read but not write. */
  async function remove(
    documents: readonly { readonly summary: DocumentSummary }[],
    options: DeleteOptions & { readonly elements?: boolean | undefined; readonly prove?: boolean | undefined },
  ): Promise<readonly DeletedDocument[]> {
    const proofs = new Map(documents.map(({ summary }) => [summary.scope, gate.write(caller, summary.scope)]));
    const deleted: DeletedDocument[] = [];
    for (const { summary } of documents) {
      const proof = proofs.get(summary.scope) as AuthorizedScopes<"write">;
      const elements = options.elements === true ? await countElements(summary) : undefined;
      await store.delete(proof, { documentIds: [summary.id] }, { purge: options.purge ?? false });
      const { uri, scope, chunks } = summary;
      deleted.push({ uri, scope, chunks, ...(elements !== undefined && { elements }) });
    }
    if (options.purge !== true || deleted.length === 0) return deleted;
    const rest = await pending();
    const proof = options.prove === true ? await prove(documents, rest.pending === true) : [];
    return deleted.map((each, at) => ({ ...each, ...rest, ...(proof[at] && { files: proof[at] }) }));
  }

  /**
   * Whether the files still hold the id of each document. An id that a caller gave proves nothing, and would tell of a document of others with the same one.
   */
  async function prove(
    documents: readonly { readonly summary: DocumentSummary }[],
    isPending: boolean,
  ): Promise<readonly DeletedDocument["files"][]> {
    const ids = documents.map(({ summary: { id, scope, uri } }) => (id === hashParts(scope, uri) ? id : undefined));
    const standing = await store.upkeep?.idsInFiles?.(
      authority,
      ids.filter((id) => id !== undefined),
    );
    if (standing === undefined) return [];
    return ids.map((id) => (id === undefined ? undefined : isPending || standing.includes(id) ? "present" : "absent"));
  }

  /** Documents of the scopes that the caller may write, whose metadata match; of one that was composed, its own or those of all its chunks. */
  async function findMatching(input: FilterInput, { scope: asked }: DocumentAddress) {
    const filter = parseFilter(input);
    const matches = compileFilter(filter);
    const readableScopes = (await readable(asked === undefined ? undefined : [parseScope(asked)])).scopes;
    const writable = gate.writable(caller, readableScopes);
    const own = gate.read(caller, writable, writable);
    const matching: { readonly summary: DocumentSummary }[] = [];
    for await (const summary of store.documents(own)) {
      const { id, scope, mediaType, chunks } = summary;
      // Documents with ids of their own may share one across scopes.
      const within = narrowProof(own, [scope]);
      const stored = await store.document(within, id);
      if (stored === undefined) continue;
      let isMatch = matches(stored.document.metadata);
      if (!isMatch && mediaType === composedMediaType && chunks > 0) {
        let count = 0;
        for await (const _ of store.chunks(within, { documentId: id, filter })) count++;
        isMatch = count === chunks;
      }
      if (isMatch) matching.push({ summary });
    }
    return matching;
  }

  /** A document with its sections and chunks. */
  async function countElements({ id, scope, chunks }: DocumentSummary): Promise<number> {
    const structure = await store.structure(await readable([scope]), id);
    return 1 + chunks + (structure === undefined ? 0 : countSections(structure.document.root));
  }

  /** Deletes single chunks, each in the scopes that the caller may write. **Errors** `not-found` before anything is deleted. */
  async function removeChunks(
    ids: readonly string[],
    { scope: asked, onMissing = store.defaultOnMissing, purge = false }: DocumentAddress & DeleteOptions,
  ): Promise<readonly DeletedDocument[]> {
    const scopes = await readable(asked === undefined ? undefined : [parseScope(asked)]);
    const own = gate.writable(caller, scopes.scopes);
    const found: { readonly scope: Scope; readonly uri: string; readonly id: string }[] = [];
    for await (const { scope, chunk } of store.chunks(gate.read(caller, own, own), { ids }))
      found.push({ scope, uri: chunk.uri, id: chunk.id });
    const missing = ids.find((id) => !found.some((one) => one.id === id));
    if (missing !== undefined && onMissing === "error") throw notFound(`There is no chunk "${missing}".`);
    const deleted: DeletedDocument[] = [];
    for (const [scope, some] of Map.groupBy(found, (one) => one.scope)) {
      await store.delete(gate.write(caller, scope), { ids: some.map(({ id }) => id) }, { purge });
      for (const [uri, { length }] of Map.groupBy(some, (one) => one.uri)) deleted.push({ uri, scope, chunks: length });
    }
    const rest = purge && deleted.length > 0 ? await pending() : {};
    return deleted.map((each) => ({ ...each, ...rest }));
  }

  /** Whether the files are rid of what was purged. */
  const pending = async (): Promise<{ readonly pending?: true }> =>
    ((await store.upkeep?.scrub(authority)) ?? true) ? {} : { pending: true };

  return {
    async delete(target, options = {}) {
      checkOptions("delete", options, deleteOptions);
      if (typeof target !== "string") {
        if (target === undefined) checkText("delete", "uri", target);
        checkOptions("delete", target, { filter: true, chunks: true });
        if ("chunks" in target) return removeChunks(target.chunks, options);
        const found = await findMatching(target.filter, options);
        if (found.length === 0 && options.onMissing === "error")
          throw notFound("There is no document that matches the filter.");
        return remove(found, options);
      }
      const live = await findDocument(parts, target, options);
      const members = live === undefined ? await findMembers(parts, target, options) : [];
      if (members.length > 0) return remove(members, options);
      // A deleted document can still be purged.
      const [deleted] = live === undefined && options.purge === true ? await findDeleted(parts, target, options) : [];
      const found = live ?? deleted;
      if (found === undefined && options.onMissing === "error")
        throw notFound(`There is no document "${target}".`, target);
      return remove(found === undefined ? [] : [{ summary: found }], options);
    },

    async restore(uri, address = {}) {
      checkOptions("restore", address, { scope: true, asOf: true });
      if (typeof uri === "object" && uri !== null) return restoreChunks(parts, uri, address);
      if (address.asOf !== undefined) return versions.restore(uri, address.asOf, address);
      const trash = trashOf(store);
      const found = await findDeleted(parts, uri, address);
      const restored = [];
      for (const { scope, id, uri: own } of found) {
        const chunks = await trash.restore(gate.write(caller, scope), { documentIds: [id] });
        restored.push({ uri: own, scope, chunks });
      }
      return restored;
    },

    versions: (uri, address) => versions.list(uri, address),

    async *deleted() {
      const own = await findDeletedScopes(parts);
      if (store.trash !== undefined && own !== undefined) yield* store.trash.deleted(own);
    },

    async vacuum(options = {}) {
      checkOptions("vacuum", options, { olderThanMs: true, scope: true });
      await maintain("A vacuum");
      const { olderThanMs = defaultRetentionMs } = options;
      const scope = options.scope === undefined ? undefined : parseScope(options.scope);
      if (!Number.isFinite(olderThanMs) || olderThanMs < 0) {
        throw new IbidError(
          "invalid-argument",
          `olderThanMs is ${showValue(olderThanMs)}; it must be a number from 0.`,
          {
            hint: "Give milliseconds, or leave olderThanMs out for a week.",
          },
        );
      }
      const chunks = (await store.trash?.vacuum(authority, { olderThanMs, scope })) ?? 0;
      return { chunks, ...(await pending()) };
    },

    async reset(scope) {
      await readable([]);
      const { chunks } = await store.delete(gate.write(caller, parseScope(scope)), { scope: true });
      return { chunks, ...(await pending()) };
    },

    chunks: (options = {}) => listStored(parts, options),

    async native(name) {
      checkText("native", "name", name);
      await maintain("An engine's own client");
      return store.native(authority, name);
    },

    async doctor(options = {}) {
      checkOptions("doctor", options, { fix: true, absent: true });
      const { absent } = options;
      if (absent !== undefined && !(Array.isArray(absent) && absent.every((text) => typeof text === "string"))) {
        throw new IbidError("invalid-argument", `absent is ${showValue(absent)}; it must be a list of strings.`, {
          hint: "Give the texts that no file may hold.",
        });
      }
      await maintain("An examination");
      if (store.upkeep === undefined) {
        throw new IbidError("unsupported", "This store cannot examine itself.", {
          hint: "Use one of ibid's own; a base in Postgres is examined where it is opened without lazy.",
        });
      }
      const diagnosis = await store.upkeep.examine(authority, options);
      // Damaged rows cannot be counted.
      const isDamaged = diagnosis.findings.some(({ kind }) => kind === "damaged");
      const stale = isDamaged ? 0 : await countStale(store, await readable(), embedder);
      return stale === 0 ? diagnosis : withStale(diagnosis, stale);
    },
  };
}

/**
 * The documents of an archive, in the scopes that the caller may read; also those that are deleted, for a purge.
 *
 * **Errors** `ambiguous` for an archive in several scopes.
 */
async function findMembers(
  parts: KeepingParts,
  archive: string,
  { scope, purge }: DocumentAddress & DeleteOptions,
): Promise<readonly { readonly summary: DocumentSummary }[]> {
  const { store, readable, resolveUri } = parts;
  for (const uri of new Set([archive, resolveUri?.(archive) ?? archive])) {
    const under = memberUri(uri, "");
    const found: DocumentSummary[] = [];
    const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
    for await (const summary of store.documents(scopes, { under })) found.push(summary);
    const own = purge === true && store.trash !== undefined ? await findDeletedScopes(parts, scope) : undefined;
    if (own !== undefined)
      for await (const summary of store.trash!.deleted(own)) if (summary.uri.startsWith(under)) found.push(summary);
    if (new Set(found.map((one) => one.scope)).size > 1) throw severalScopes(archive, found);
    if (found.length > 0) return found.map((summary) => ({ summary }));
  }
  return [];
}

/**
 * Documents of that uri that can be restored, in scopes that the caller may write. Elsewhere a deleted document is like one that never was.
 *
 * **Errors** `ambiguous`.
 */
async function findDeleted(
  parts: KeepingParts,
  uri: string,
  address: DocumentAddress,
): Promise<readonly DeletedSummary[]> {
  const { store, resolveUri } = parts;
  checkText("The document", "uri", uri);
  const own = await findDeletedScopes(parts, address.scope);
  if (store.trash === undefined || own === undefined) return [];
  const named = new Set([uri, resolveUri?.(uri) ?? uri]);
  const found: DeletedSummary[] = [];
  for await (const summary of store.trash.deleted(own))
    if (named.has(summary.uri) || archivesOf(summary.uri).some((within) => named.has(within))) found.push(summary);
  if (new Set(found.map(({ scope }) => scope)).size > 1) throw severalScopes(uri, found);
  return found;
}

/** Chunks that searches by the model miss: they have no vector of its version. */
async function countStale(store: Store, scopes: AuthorizedScopes, embedder: Embedder | undefined): Promise<number> {
  // Before it has embedded anything, a model may not know how long its vectors are.
  const wanted = embedder?.version;
  if (wanted === undefined) return 0;
  const { chunks, embeddingVersions } = await store.status(scopes);
  const current = embeddingVersions.find((version) => versionKey(version) === versionKey(wanted));
  return chunks - (current?.chunks ?? 0);
}

function withStale(diagnosis: Diagnosis, count: number): Diagnosis {
  const kind: FindingKind = "stale-version";
  const message = "Chunks have no vector of the embedding model that is used now.";
  const hint = "Embed them anew (kb.reembed, ibid reembed), or ingest their documents again.";
  return {
    ...diagnosis,
    healthy: false,
    findings: [...diagnosis.findings, { kind, message, count, fixed: false, hint }],
  };
}

function trashOf({ trash }: Store): NonNullable<Store["trash"]> {
  if (trash !== undefined) return trash;
  throw new IbidError("unsupported", "This store keeps no deleted documents; restore needs them.", {
    hint: "Ingest the document again, or use a store with a trash.",
  });
}

const pastOfChunks = (): IbidError =>
  new IbidError("invalid-argument", "restore: asOf goes with a document, not with chunks.", {
    hint: "Name the document, or leave asOf out.",
  });

function notFound(message: string, uri?: string): IbidError {
  return new IbidError("not-found", message, { uri, hint: "See which there are with list()." });
}

/** Chunks of the scopes that the caller may read; the deleted ones of those that the caller may write. */
async function* listStored(parts: KeepingParts, options: ChunkListOptions): AsyncGenerator<StoredChunk> {
  const { store, readable } = parts;
  checkOptions("chunks", options, {
    scope: true,
    filter: true,
    uri: true,
    stamps: true,
    ids: true,
    includeEmbeddings: true,
    includeDeleted: true,
  });
  const { scope, filter, uri, ids, stamps = false, includeEmbeddings = stamps, includeDeleted = false } = options;
  const chosen = {
    ...(filter !== undefined && { filter: parseFilter(filter) }),
    ...(ids !== undefined && { ids }),
    ...(includeEmbeddings && { includeEmbeddings }),
  };
  const listed = (scopes: AuthorizedScopes, more: ListChunksOptions): AsyncIterable<StoredChunk> =>
    stamps ? stampChunks(store, scopes, more, options) : store.chunks(scopes, more);
  const address = scope === undefined ? {} : { scope };
  const deletedIn = includeDeleted ? ((await findDeletedScopes(parts, scope))?.scopes ?? []) : [];
  if (uri !== undefined) {
    const live = await findDocument(parts, uri, address);
    const [found = live] = includeDeleted && live === undefined ? await findDeleted(parts, uri, address) : [];
    if (found === undefined) return;
    const only = { ...chosen, documentId: found.id, includeDeleted: deletedIn.includes(found.scope) };
    return yield* listed(await readable([found.scope]), only);
  }
  const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
  if (!includeDeleted) return yield* listed(scopes, chosen);
  for (const one of [...new Set([...scopes.scopes, ...deletedIn])].sort(compareCodePoints))
    yield* listed(await readable([one]), { ...chosen, includeDeleted: deletedIn.includes(one) });
}

/**
 * Names the version of each chunk's vector in its metadata, and that of its picture by keys of its own. The version that searches use comes before others.
 * A chunk without a vector has no stamps.
 */
async function* stampChunks(
  store: Store,
  scopes: AuthorizedScopes,
  options: ListChunksOptions,
  { includeEmbeddings = false }: ChunkListOptions,
): AsyncGenerator<StoredChunk> {
  const versions = (await store.versions?.versions(scopes)) ?? [];
  const used = new Map(versions.map(({ scope, current }) => [scope, current && versionKey(current)]));
  for await (const { embeddings, ...stored } of store.chunks(scopes, options)) {
    const stamps: Record<string, string | number> = {};
    const isUsed = ({ version }: { readonly version: EmbeddingVersion }): boolean =>
      versionKey(version) === used.get(stored.scope);
    for (const { version } of (embeddings ?? []).toSorted((a, b) => Number(isUsed(b)) - Number(isUsed(a)))) {
      const maker = version.fingerprint === pictureFingerprint ? "_image" : "_embed";
      stamps[`${maker}Provider`] ??= version.provider;
      stamps[`${maker}Model`] ??= version.model;
      stamps[`${maker}Dim`] ??= version.dimensions;
    }
    const chunk = { ...stored.chunk, metadata: { ...stored.chunk.metadata, ...stamps } };
    yield { ...stored, chunk, ...(includeEmbeddings && embeddings && { embeddings }) };
  }
}

/** Takes back deletes of single chunks, in each scope that the caller may write. */
async function restoreChunks(
  parts: KeepingParts,
  target: { readonly chunks: readonly string[] },
  { scope: asked, asOf }: { readonly scope?: Scope | undefined; readonly asOf?: unknown },
): Promise<readonly DeletedDocument[]> {
  checkOptions("restore", target, { chunks: true });
  checkGiven("restore", "chunks", target.chunks, "list");
  if (asOf !== undefined) throw pastOfChunks();
  const { store, gate, caller } = parts;
  const { chunks: ids } = target;
  const trash = trashOf(store);
  const within = (await findDeletedScopes(parts, asked))?.scopes ?? [];
  const restored: DeletedDocument[] = [];
  for (const scope of within) {
    const uris = async (): Promise<readonly string[]> => {
      const live: string[] = [];
      for await (const { chunk } of store.chunks(gate.read(caller, [scope], [scope]), { ids })) live.push(chunk.uri);
      return live;
    };
    const before = Map.groupBy(await uris(), (uri) => uri);
    if ((await trash.restore(gate.write(caller, scope), { ids })) === 0) continue;
    for (const [uri, { length }] of Map.groupBy(await uris(), (one) => one)) {
      const chunks = length - (before.get(uri)?.length ?? 0);
      if (chunks > 0) restored.push({ uri, scope, chunks });
    }
  }
  return restored;
}

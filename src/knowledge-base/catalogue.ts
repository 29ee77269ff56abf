import { narrowProof, operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { DocumentSummary, StoredDocument } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Filter } from "../contracts/filter.ts";
import type { DeletedDocument, DocumentAddress, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { DeleteOptions } from "../contracts/store.ts";
import { compileFilter } from "../engine/filters/compile-filter.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { findDeleted, type KeepingParts } from "./keeping.ts";

type Catalogue = Pick<
  KnowledgeBase,
  "list" | "document" | "expand" | "outline" | "section" | "delete" | "deleteByFilter" | "status"
>;

const deleteOptions = ["scope", "onMissing", "purge"] as const;

/** The verbs about documents as such: list them, show one, take some out, count them. Behind the same gate as searching. */
export function createCatalogue(parts: KeepingParts): Catalogue {
  const { store, gate, caller, readable, embedder } = parts;
  const scopesOf = async (address: DocumentAddress): Promise<AuthorizedScopes> =>
    readable(address.scope === undefined ? undefined : [parseScope(address.scope)]);

  /** The one document that the caller means, in the scopes that they may read. */
  async function find(uri: string, address: DocumentAddress): Promise<StoredDocument | undefined> {
    const scopes = await scopesOf(address);
    let found = await store.find(scopes, uri);
    const resolved = parts.resolveUri?.(uri) ?? uri;
    if (found.length === 0 && resolved !== uri) found = await store.find(scopes, resolved);
    if (found.length > 1) throw ambiguous(uri, found);
    return found[0];
  }

  /** A page that only searches need not load what stands around a hit. */
  const excerpts = async () => (await import("./excerpts.ts")).createExcerpts({ store, readable, find });

  /** Deleting needs the right to write; a caller who may read but not write is told so. */
  async function remove(
    documents: readonly { readonly summary: DocumentSummary }[],
    options: DeleteOptions,
  ): Promise<readonly DeletedDocument[]> {
    const proofs = new Map(documents.map(({ summary }) => [summary.scope, gate.write(caller, summary.scope)]));
    const deleted: DeletedDocument[] = [];
    for (const { summary } of documents) {
      const proof = proofs.get(summary.scope) as AuthorizedScopes<"write">;
      await store.delete(proof, { documentIds: [summary.id] }, { purge: options.purge ?? false });
      deleted.push({ uri: summary.uri, scope: summary.scope, chunks: summary.chunks });
    }
    if (options.purge !== true || deleted.length === 0 || (await isScrubbed())) return deleted;
    return deleted.map((each) => ({ ...each, pending: true }));
  }

  /** Whether the files are rid of what was purged. */
  const isScrubbed = async (): Promise<boolean> => (await store.upkeep?.scrub(parts.authority)) ?? true;

  /** Chunks that came without their document answer for themselves. A chunk of a document goes only with it. */
  async function removeLooseChunks(own: AuthorizedScopes, filter: Filter, options: DeleteOptions): Promise<void> {
    const loose = new Map<Scope, string[]>();
    for await (const { scope, chunk } of store.chunks(own, { filter })) {
      if ((await store.document(narrowProof(own, [scope]), chunk.documentId)) !== undefined) continue;
      loose.set(scope, [...(loose.get(scope) ?? []), chunk.id]);
    }
    for (const [scope, ids] of loose)
      await store.delete(gate.write(caller, scope), { ids }, { purge: options.purge ?? false });
  }

  return {
    async *list() {
      yield* store.documents(await readable());
    },

    async document(uri, address = {}) {
      checkOptions("document", address, ["scope"]);
      const found = await find(uri, address);
      if (found === undefined) return undefined;
      const { text, metadata, root, sourceMap } = found.document;
      return { ...found.summary, text, metadata, root, sourceMap };
    },

    expand: async (chunk, options) => (await excerpts()).expand(chunk, options),
    outline: async (uri, address) => (await excerpts()).outline(uri, address),
    section: async (uri, sectionId, options) => (await excerpts()).section(uri, sectionId, options),

    async delete(uri, options = {}) {
      checkOptions("delete", options, deleteOptions);
      const live = await find(uri, options);
      // What was only deleted is still there to be purged.
      const [deleted] = live === undefined && options.purge === true ? await findDeleted(parts, uri, options) : [];
      const found = live ?? (deleted && { summary: deleted });
      if (found === undefined && options.onMissing === "error") {
        throw new IbidError("not-found", `There is no document "${uri}".`, {
          uri,
          hint: "See which there are with list().",
        });
      }
      return remove(found === undefined ? [] : [found], options);
    },

    async deleteByFilter(input, options = {}) {
      checkOptions("deleteByFilter", options, deleteOptions);
      const filter = parseFilter(input);
      const matches = compileFilter(filter);
      const scopes = await scopesOf(options);
      const own = gate.read(caller, gate.writable(caller, scopes.scopes), gate.writable(caller, scopes.scopes));
      const matching: StoredDocument[] = [];
      for await (const summary of store.documents(own)) {
        // Documents that came with ids of their own may share one across scopes.
        const stored = await store.document(narrowProof(own, [summary.scope]), summary.id);
        if (stored !== undefined && matches(stored.document.metadata)) matching.push({ ...stored, summary });
      }
      const deleted = await remove(matching, options);
      await removeLooseChunks(own, filter, options);
      return deleted;
    },

    async status() {
      const scopes = await readable();
      const [held, versions = []] = await Promise.all([store.status(scopes), store.versions?.versions(scopes)]);
      const status = {
        ...held,
        versions: versions
          .filter(({ current, next }) => current !== undefined || next !== undefined)
          .map((one) => ({ ...one, reembedding: parts.isReembedding(one.scope) })),
      };
      // One cache serves everybody, so its hits tell what others have embedded.
      return caller === operator ? { ...status, cacheHitRate: embedder?.cacheHitRate ?? 0 } : status;
    },
  };
}

function ambiguous(uri: string, found: readonly StoredDocument[]): IbidError {
  const scopes = found.map(({ summary }) => summary.scope);
  return new IbidError("ambiguous", `"${uri}" is in several scopes: ${scopes.join(", ")}.`, {
    uri,
    hint: `Say which: scope "${scopes[0]}", for example.`,
    details: { scopes },
  });
}

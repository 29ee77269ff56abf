import { narrowProof, operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { DocumentSummary, StoredDocument } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { DeletedDocument, DocumentAddress, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { DeleteOptions } from "../contracts/store.ts";
import { compileFilter } from "../engine/filters/compile-filter.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { composedMediaType } from "../text/compose-chunks.ts";
import { findDeleted, type KeepingParts } from "./keeping.ts";

type Catalogue = Pick<KnowledgeBase, "list" | "document" | "expand" | "outline" | "section" | "delete" | "status">;

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

  /** Deleting needs the right to write. **Errors** `access-denied` for a caller who may read but not write. */
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

  /** Documents of the scopes that the caller may write, whose metadata match; of one that was composed, its own or those of all its chunks. */
  async function findMatching(input: FilterInput, address: DocumentAddress) {
    const filter = parseFilter(input);
    const matches = compileFilter(filter);
    const writable = gate.writable(caller, (await scopesOf(address)).scopes);
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

    async delete(target, options = {}) {
      checkOptions("delete", options, deleteOptions);
      if (typeof target !== "string") {
        checkOptions("delete", target, ["filter"]);
        const found = await findMatching(target.filter, options);
        if (found.length === 0 && options.onMissing === "error")
          throw notFound("There is no document that matches the filter.");
        return remove(found, options);
      }
      const live = await find(target, options);
      // A deleted document can still be purged.
      const [deleted] = live === undefined && options.purge === true ? await findDeleted(parts, target, options) : [];
      const found = live ?? (deleted && { summary: deleted });
      if (found === undefined && options.onMissing === "error")
        throw notFound(`There is no document "${target}".`, target);
      return remove(found === undefined ? [] : [found], options);
    },

    async status() {
      const scopes = await readable();
      const [held, versions = [], warnings] = await Promise.all([
        store.status(scopes),
        store.versions?.versions(scopes),
        parts.modelCheck.warnings(scopes),
      ]);
      const status = {
        ...held,
        versions: versions
          .filter(({ current, next }) => current !== undefined || next !== undefined)
          .map((one) => ({ ...one, reembedding: parts.isReembedding(one.scope) })),
        ...(warnings.length > 0 && { warnings }),
      };
      // One cache serves everybody, so its hits tell what others have embedded.
      return caller === operator ? { ...status, cacheHitRate: embedder?.cacheHitRate ?? 0 } : status;
    },
  };
}

function notFound(message: string, uri?: string): IbidError {
  return new IbidError("not-found", message, {
    ...(uri !== undefined && { uri }),
    hint: "See which there are with list().",
  });
}

function ambiguous(uri: string, found: readonly StoredDocument[]): IbidError {
  const scopes = found.map(({ summary }) => summary.scope);
  return new IbidError("ambiguous", `"${uri}" is in several scopes: ${scopes.join(", ")}.`, {
    uri,
    hint: `Say which: scope "${scopes[0]}", for example.`,
    details: { scopes },
  });
}

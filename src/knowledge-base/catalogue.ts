import { operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { StoredDocument } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { DocumentAddress, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { checkOptions } from "../runtime/check-options.ts";
import type { KeepingParts } from "./parts.ts";

type Catalogue = Pick<KnowledgeBase, "list" | "document" | "expand" | "outline" | "section" | "status">;

/** The verbs about documents as such: list them, show one, count them. Behind the same gate as searching. */
export function createCatalogue(parts: KeepingParts): Catalogue {
  const { store, caller, readable, embedder } = parts;
  const find = (uri: string, address: DocumentAddress) => findDocument(parts, uri, address);
  /** A page that only searches need not load what stands around a hit. */
  const excerpts = async () => (await import("./excerpts.ts")).createExcerpts({ store, readable, find });

  return {
    async *list() {
      yield* store.documents(await readable());
    },

    async document(uri, address = {}) {
      checkOptions("document", address, { scope: true });
      const found = await find(uri, address);
      if (found === undefined) return undefined;
      const { text, metadata, root, sourceMap } = found.document;
      return { ...found.summary, text, metadata, root, sourceMap };
    },

    expand: async (chunk, options) => (await excerpts()).expand(chunk, options),
    outline: async (uri, address) => (await excerpts()).outline(uri, address),
    section: async (uri, sectionId, options) => (await excerpts()).section(uri, sectionId, options),

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

/**
 * The one document that the caller means, in the scopes that they may read.
 *
 * **Errors** `ambiguous` for a uri in several scopes.
 */
export async function findDocument(
  { store, readable, resolveUri }: Pick<KeepingParts, "store" | "readable" | "resolveUri">,
  uri: string,
  { scope }: DocumentAddress,
): Promise<StoredDocument | undefined> {
  const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
  let found = await store.find(scopes, uri);
  const resolved = resolveUri?.(uri) ?? uri;
  if (found.length === 0 && resolved !== uri) found = await store.find(scopes, resolved);
  if (found.length > 1)
    throw severalScopes(
      uri,
      found.map(({ summary }) => summary),
    );
  return found[0];
}

/** Refusal of a uri that several scopes hold. */
export function severalScopes(uri: string, found: readonly { readonly scope: Scope }[]): IbidError {
  const scopes = [...new Set(found.map(({ scope }) => scope))];
  return new IbidError("ambiguous", `"${uri}" is in several scopes: ${scopes.join(", ")}.`, {
    uri,
    hint: `Say which: scope "${scopes[0]}", for example.`,
    details: { scopes },
  });
}

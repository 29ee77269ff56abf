import { IbidError } from "../../contracts/errors.ts";
import type { Excerpt, Outline } from "../../contracts/expansion.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { DocumentSummary, DocumentVersion } from "../../contracts/document-store.ts";
import type { DocumentAddress, DocumentView, KnowledgeBase, ListOptions } from "../../contracts/knowledge-base.ts";
import type { SearchOptions } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { readShownAddress } from "./format-results.ts";

/**
 * Limits that the application sets; a model neither sees nor changes them.
 *
 * @experimental
 */
export interface FixedLimits {
  /** Only documents that match are found, opened and shown. */
  readonly filter?: FilterInput | undefined;
  /** Only these scopes, of those that the view may read. Default: all of them. */
  readonly scopes?: readonly Scope[] | undefined;
}

/**
 * A view of a knowledge base with a fixed filter and fixed scopes, for searching and for every way of reading.
 *
 * **Shape** `undefined` alike for an object that does not exist, may not be read, or does not match.
 * **Errors** the errors of the knowledge base; `ambiguous` when several visible objects have one address. The message names no scope, since a model cannot use it.
 * **Cost** with a filter, opening a document lists its chunks, to see whether they match.
 */
export interface FixedView {
  search(query: string, options: Omit<SearchOptions, "filter" | "scopes">): ReturnType<KnowledgeBase["search"]>;
  /** A chunk with those of its neighbours that match. */
  neighbours(chunkId: string, count: number): Promise<Excerpt | undefined>;
  zoomOut(chunkId: string, levels: number, maxLength: number): Promise<Excerpt | undefined>;
  /** The outline of a document, by its address or by a chunk of it. */
  outline(document: string): Promise<Outline | undefined>;
  section(document: string, sectionId: string, maxLength: number): Promise<Excerpt | undefined>;
  /** Documents of which every chunk matches; by uri, then scope, unless the options name another order. */
  documents(options?: Omit<ListOptions, "limit">): AsyncIterable<DocumentSummary>;
  document(uri: string, scope: Scope, end: number): Promise<DocumentView | undefined>;
  /** Versions of a document by its address, latest first. `undefined` for none, and under a filter, which no former version was tried by. */
  versions(document: string): Promise<readonly DocumentVersion[] | undefined>;
}

/**
 * The prefix that a model means: it writes a uri as results show it, and a part of one too.
 *
 * **Cost** one look at the list for a prefix with a `%`.
 */
export async function readShownPrefix(kb: Pick<KnowledgeBase, "list">, prefix: string): Promise<string> {
  const meant = readShownAddress(prefix);
  if (meant === undefined || meant === prefix) return prefix;
  for await (const _ of kb.list({ under: prefix, limit: 1 })) return prefix;
  return meant;
}

/** Awaits a reading of the past. **Errors** `not-found` in words for a model, where no versions are kept. */
export async function ofThePast<Found>(asOf: string | undefined, reading: Promise<Found>): Promise<Found> {
  try {
    return await reading;
  } catch (error) {
    if (asOf === undefined || !IbidError.isInstance(error) || error.code !== "unsupported") throw error;
    throw new IbidError("not-found", "No former versions are kept here.", {
      hint: "Search the present, without asOf.",
    });
  }
}

/** All reads below go through the view, so the gate checks them first; the limits narrow its result. */
export function createFixedView(kb: KnowledgeBase, { filter, scopes }: FixedLimits): FixedView {
  /** Asks once; if an object is in several scopes, or the application gave scopes, once in each. */
  async function within<Found>(
    ask: (address: DocumentAddress) => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    let asked = scopes;
    try {
      if (asked === undefined) return await ask({});
    } catch (error) {
      if (!IbidError.isInstance(error) || error.code !== "ambiguous") throw error;
      asked = error.details?.["scopes"] as readonly Scope[];
    }
    const found: Found[] = [];
    for (const scope of asked) {
      const one = await ask({ scope });
      if (one !== undefined) found.push(one);
    }
    if (found.length < 2) return found[0];
    throw new IbidError("ambiguous", "Several documents have this address or id.", {
      hint: "Open one of them by the chunkId of a search result.",
    });
  }

  async function matchingChunks({ uri, scope }: Place): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for await (const { chunk } of kb.chunks({ uri, scope, ...(filter !== undefined && { filter }) })) ids.add(chunk.id);
    return ids;
  }

  /** Sections are shown only for a document that matches whole: a title could reveal the rest. */
  async function wholeOnly<Found extends Place>(found: Found | undefined): Promise<Found | undefined> {
    if (found === undefined || filter === undefined) return found;
    const ids = await matchingChunks(found);
    if (ids.size === 0) return undefined;
    for await (const { chunk } of kb.chunks({ uri: found.uri, scope: found.scope }))
      if (!ids.has(chunk.id)) return undefined;
    return found;
  }

  async function beside(chunkId: string, count: number): Promise<Excerpt | undefined> {
    const excerpt = await within((address) => kb.expand(chunkId, { neighbours: count, ...address }));
    if (excerpt === undefined || filter === undefined) return excerpt;
    const ids = await matchingChunks(excerpt);
    if (!ids.has(chunkId)) return undefined;
    return { ...excerpt, chunks: excerpt.chunks.filter((chunk) => ids.has(chunk.chunkId)) };
  }

  async function outline(document: string): Promise<Outline | undefined> {
    const shown = readShownAddress(document);
    const found =
      (await within((address) => kb.outline(document, address))) ??
      (shown === undefined ? undefined : await within((address) => kb.outline(shown, address)));
    if (found !== undefined) return wholeOnly(found);
    const around = await beside(document, 0);
    return wholeOnly(around && (await kb.outline(around.uri, { scope: around.scope })));
  }

  return {
    async search(query, { under = [], ...options }) {
      const prefixes = await Promise.all([under].flat().map((one) => readShownPrefix(kb, one)));
      return ofThePast(
        options.asOf,
        kb.search(query, {
          ...options,
          ...(prefixes.length > 0 && { under: prefixes }),
          ...(filter !== undefined && { filter }),
          ...(scopes !== undefined && { scopes }),
        }),
      );
    },
    neighbours: beside,
    zoomOut: async (chunkId, levels, maxLength) =>
      wholeOnly(await within((address) => kb.expand(chunkId, { zoomOut: levels, maxLength, ...address }))),
    outline,
    async section(document, sectionId, maxLength) {
      const found = await outline(document);
      return found && kb.section(found.uri, sectionId, { scope: found.scope, maxLength });
    },
    async *documents({ under, ...options } = {}) {
      const prefix = under === undefined ? {} : { under: await readShownPrefix(kb, under) };
      for await (const summary of kb.list({ ...options, ...prefix })) {
        if (scopes !== undefined && !scopes.includes(summary.scope)) continue;
        if ((await wholeOnly(summary)) !== undefined) yield summary;
      }
    },
    document: async (uri, scope, end) =>
      scopes === undefined || scopes.includes(scope) ? wholeOnly(await kb.document(uri, { scope, end })) : undefined,
    async versions(document) {
      if (filter !== undefined) return undefined;
      for (const uri of [document, readShownAddress(document)]) {
        const read = async (address: DocumentAddress) => nonEmpty(await kb.versions(uri!, address));
        const found = uri && (await ofThePast("any", within(read)));
        if (found !== undefined && found !== "") return found;
      }
      return undefined;
    },
  };
}

const nonEmpty = <Item>(items: readonly Item[]): readonly Item[] | undefined =>
  items.length === 0 ? undefined : items;

interface Place {
  readonly uri: string;
  readonly scope: Scope;
}

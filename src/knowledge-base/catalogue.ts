import { operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { DocumentSummary } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { DocumentAddress, KnowledgeBase, ListOptions, ListOrder } from "../contracts/knowledge-base.ts";
import type { Store } from "../contracts/store.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { checkOptions, checkText } from "../runtime/check-options.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";
import { planOptions } from "../runtime/plan-options.ts";
import { listOptions } from "../search/list-options.ts";
import type { KeepingParts } from "./parts.ts";

type Catalogue = Pick<KnowledgeBase, "list" | "info" | "document" | "expand" | "outline" | "section" | "status">;

/** The verbs about documents as such: list them, show one, count them. Behind the same gate as searching. */
export function createCatalogue(parts: KeepingParts): Catalogue {
  const { store, caller, readable, embedder, past } = parts;
  const find = (uri: string, address: DocumentAddress) => findDocument(parts, uri, address);
  /** A page that only searches need not load what stands around a hit. */
  const excerpts = async () => (await import("./excerpts.ts")).createExcerpts({ store, readable, find });

  return {
    async *list(options = {}) {
      const { scope, under, after, limit, sort, asOf } = planOptions("list", listOptions, options);
      if (asOf !== undefined) {
        const { asOf: _, ...rest } = options;
        return yield* (await past({ asOf, scopes: scope && [parseScope(scope)] })).list(rest);
      }
      const isWanted = createSelection(options);
      const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
      if (sort !== "uri") {
        const compare = createComparison(sort);
        const last = after && (await findPlace(store, scopes, { ...after, under }));
        if (after !== undefined && (last === undefined || isWanted?.(last) === false))
          throw wrongList("the document that after names is not in this list", "List from the beginning.");
        const isInPage = (summary: DocumentSummary): boolean =>
          isWanted?.(summary) !== false && (last === undefined || compare(summary, last) > 0);
        const all = store.documents(scopes, under === undefined ? {} : { under });
        return yield* await keepFirst(all, isInPage, compare, limit);
      }
      const listed = store.documents(scopes, {
        ...(under !== undefined && { under }),
        ...(after !== undefined && { after: { uri: after.uri, scope: parseScope(after.scope) } }),
        ...(limit !== undefined && isWanted === undefined && { limit }),
      });
      if (isWanted === undefined) return yield* listed;
      let left = limit ?? Infinity;
      for await (const summary of listed) {
        if (!isWanted(summary)) continue;
        yield summary;
        if (--left === 0) return;
      }
    },

    info: async (options) => (await import("./count-contents.ts")).countContents(store, await readable(), options),

    async document(uri, address = {}) {
      checkOptions("document", address, { scope: true, start: true, end: true, asOf: true });
      if (address.asOf !== undefined) {
        const { asOf, ...rest } = address;
        return (await past({ asOf, scopes: rest.scope && [parseScope(rest.scope)] })).document(uri, rest);
      }
      if (address.start !== undefined || address.end !== undefined) return (await excerpts()).slice(uri, address);
      const found = await find(uri, address);
      const stored = found && (await store.document(await readable([found.scope]), found.id));
      if (stored === undefined) return undefined;
      const { text, metadata, root, sourceMap } = stored.document;
      return { ...stored.summary, text, start: 0, end: text.length, length: text.length, metadata, root, sourceMap };
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

type Compare = (one: DocumentSummary, other: DocumentSummary) => number;

/** Comparators of the orders other than that of the store. */
const orders: Readonly<Record<Exclude<ListOrder, "uri">, Compare>> = {
  newest: (one, other) => compareCodePoints(other.ingestedAt, one.ingestedAt),
  oldest: (one, other) => compareCodePoints(one.ingestedAt, other.ingestedAt),
  largest: (one, other) => other.bytes - one.bytes,
  title: (one, other) => compareCodePoints(one.title.toLowerCase(), other.title.toLowerCase()),
};

/** Equals go by uri and scope, as in the store. */
function createComparison(sort: Exclude<ListOrder, "uri">): Compare {
  const compare = orders[sort];
  return (one, other) =>
    compare(one, other) ||
    compareCodePoints(one.uri, other.uri) ||
    compareCodePoints(one.scope, other.scope) ||
    compareCodePoints(one.id, other.id);
}

/** The document behind which a page begins. */
async function findPlace(
  store: Pick<Store, "documents">,
  scopes: AuthorizedScopes,
  { uri, scope, under = "" }: { readonly uri: string; readonly scope: Scope; readonly under?: string | undefined },
): Promise<DocumentSummary | undefined> {
  if (!uri.startsWith(under)) return undefined;
  return (await listOfUri(store, scopes, uri)).find((summary) => summary.scope === scope);
}

/** The first ones of an order. **Cost** all rows are read, and at most two pages are held. */
async function keepFirst(
  all: AsyncIterable<DocumentSummary>,
  isWanted: (summary: DocumentSummary) => boolean,
  compare: Compare,
  limit = Infinity,
): Promise<readonly DocumentSummary[]> {
  let kept: DocumentSummary[] = [];
  let worst: DocumentSummary | undefined;
  for await (const summary of all) {
    if (!isWanted(summary) || (worst !== undefined && compare(summary, worst) > 0)) continue;
    kept.push(summary);
    if (kept.length < 2 * limit) continue;
    kept = kept.sort(compare).slice(0, limit);
    worst = kept.at(-1);
  }
  return kept.sort(compare).slice(0, limit);
}

/** The test of documents by their facts; `undefined` where every document passes. */
function createSelection({
  mediaType,
  since,
  before,
}: ListOptions): ((summary: DocumentSummary) => boolean) | undefined {
  if (mediaType === undefined && since === undefined && before === undefined) return undefined;
  const [from, until] = [readTime("since", since) ?? -Infinity, readTime("before", before) ?? Infinity];
  const type = mediaType?.toLowerCase();
  return (summary) => {
    const at = Date.parse(summary.ingestedAt);
    const own = summary.mediaType.toLowerCase();
    return (
      at >= from && at < until && (type === undefined || (type.endsWith("/") ? own.startsWith(type) : own === type))
    );
  };
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw wrongList(`${name} is ${JSON.stringify(text)}; it must be a date`, "Write ISO 8601, such as 2026-05-01.");
}

function wrongList(problem: string, hint: string): IbidError {
  return new IbidError("invalid-argument", `list: ${problem}.`, { hint });
}

/**
 * The one document that the caller means, in the scopes that they may read.
 *
 * **Errors** `ambiguous` for a uri in several scopes. **Cost** no text is read.
 */
export async function findDocument(
  { store, readable, resolveUri }: Pick<KeepingParts, "store" | "readable" | "resolveUri">,
  uri: string,
  { scope }: DocumentAddress,
): Promise<DocumentSummary | undefined> {
  checkText("The document", "uri", uri);
  const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
  let found = await listOfUri(store, scopes, uri);
  const resolved = resolveUri?.(uri) ?? uri;
  if (found.length === 0 && resolved !== uri) found = await listOfUri(store, scopes, resolved);
  if (found.length > 1) throw severalScopes(uri, found);
  return found[0];
}

/** Documents of one uri, by scope. A listing begins with them, because a uri comes before those that it begins. */
async function listOfUri(
  store: Pick<Store, "documents">,
  scopes: AuthorizedScopes,
  uri: string,
): Promise<readonly DocumentSummary[]> {
  const found: DocumentSummary[] = [];
  for await (const summary of store.documents(scopes, { under: uri })) {
    if (summary.uri !== uri) break;
    found.push(summary);
  }
  return found;
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

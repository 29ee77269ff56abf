import { operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { CountFoldersOptions, DocumentSummary, ListPlace } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { DocumentAddress, KnowledgeBase, ListOptions } from "../contracts/knowledge-base.ts";
import type { Store } from "../contracts/store.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { checkOptions, checkText } from "../runtime/check-options.ts";
import { planOptions } from "../runtime/plan-options.ts";
import { folderOptions, listOptions } from "../search/list-options.ts";
import { askOnce, narrowAsked, noteAsked } from "../stores/compose/asked-state.ts";
import { narrowTo } from "../stores/compose/document-order.ts";
import type { FoundDocument } from "./excerpts.ts";
import type { KeepingParts } from "./parts.ts";

type Catalogue = Pick<
  KnowledgeBase,
  "list" | "folders" | "info" | "document" | "expand" | "outline" | "section" | "status"
>;

/** The verbs about documents as such: list them, show one, count them. Behind the same gate as searching. */
export function createCatalogue(parts: KeepingParts): Catalogue {
  const { store, caller, readable, embedder, past } = parts;
  const find = (uri: string, address: DocumentAddress) => findToRead(parts, uri, address);
  /** A page that only searches need not load what stands around a hit. */
  const excerpts = async () => (await import("./excerpts.ts")).createExcerpts({ store, readable, find });

  return {
    async *list(options = {}) {
      const { scope, under, documentId, after, limit, sort, asOf } = planOptions("list", listOptions, options);
      if (asOf !== undefined) {
        const { asOf: _, ...rest } = options;
        return yield* (await past({ asOf, scopes: scope && [parseScope(scope)] })).list(rest);
      }
      const only = narrowing(options);
      const isWanted = narrowTo({ ...only, under });
      const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
      if (documentId !== undefined) {
        for (const summary of await listOfId(store, scopes, documentId))
          if (isWanted?.(summary) !== false) yield summary;
        return;
      }
      let place: ListPlace | undefined = after && { uri: after.uri, scope: parseScope(after.scope) };
      if (sort !== "uri" && after !== undefined) {
        await askOnce(store, scopes);
        const last = await findPlace(store, scopes, { ...after, under });
        if (last === undefined || isWanted?.(last) === false)
          throw wrongList("the document that after names is not in this list", "List from the beginning.");
        place = last;
      }
      yield* store.documents(scopes, {
        ...only,
        ...(under !== undefined && { under }),
        ...(sort !== "uri" && { order: sort }),
        ...(place !== undefined && { after: place }),
        ...(limit !== undefined && { limit }),
      });
    },

    async folders(options = {}) {
      const { scope } = planOptions("folders", folderOptions, options);
      return store.folders(await readable(scope === undefined ? undefined : [parseScope(scope)]), narrowing(options));
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
      const stored = found && (await store.document(found.within, found.summary.id));
      if (stored === undefined) return undefined;
      const { text, metadata, root, sourceMap } = stored.document;
      return { ...stored.summary, text, start: 0, end: text.length, length: text.length, metadata, root, sourceMap };
    },

    expand: async (chunk, options) => (await excerpts()).expand(chunk, options),
    outline: async (uri, address) => (await excerpts()).outline(uri, address),
    section: async (uri, sectionId, options) => (await excerpts()).section(uri, sectionId, options),

    async status() {
      const scopes = await readable();
      const [{ files, ...held }, versions = [], warnings] = await Promise.all([
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
      // One cache serves everybody, so its hits tell what others have embedded. So do files that are kept.
      if (caller !== operator) return status;
      return { ...status, ...(files && { files }), cacheHitRate: embedder?.cacheHitRate ?? 0 };
    },
  };
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

/** The facts that a list is narrowed to, as stores compare them. **Errors** `invalid-argument`. */
function narrowing({ mediaType, since, before }: ListOptions): CountFoldersOptions {
  const [from, until] = [readTime("since", since), readTime("before", before)];
  return {
    ...(mediaType !== undefined && { mediaType }),
    ...(from !== undefined && { since: timeText(from) }),
    ...(until !== undefined && { before: timeText(until) }),
  };
}

/** Texts of other years are not in the order of the times. */
const timeText = (time: number): string => new Date(Math.min(Math.max(time, 0), Date.UTC(9999, 11, 31))).toISOString();

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
export async function findDocument(...asked: Parameters<typeof findToRead>): Promise<DocumentSummary | undefined> {
  return (await findToRead(...asked))?.summary;
}

/** The same for a call that reads the document too. It asks once for the newest state. */
export async function findToRead(
  { store, readable, resolveUri }: Pick<KeepingParts, "store" | "readable" | "resolveUri">,
  uri: string,
  { scope }: DocumentAddress,
): Promise<FoundDocument | undefined> {
  checkText("The document", "uri", uri);
  const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
  let found = await listOfUri(store, scopes, uri);
  noteAsked(scopes);
  const resolved = resolveUri?.(uri) ?? uri;
  if (found.length === 0 && resolved !== uri) found = await listOfUri(store, scopes, resolved);
  if (found.length > 1) throw severalScopes(uri, found);
  const [summary] = found;
  return summary && { summary, within: narrowAsked(scopes, [summary.scope]) };
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

/** Documents of one id, by scope. */
async function listOfId(
  store: Pick<Store, "structure" | "moment">,
  scopes: AuthorizedScopes,
  id: string,
): Promise<readonly DocumentSummary[]> {
  await askOnce(store, scopes);
  const found = await Promise.all(scopes.scopes.map((scope) => store.structure(narrowAsked(scopes, [scope]), id)));
  return found.flatMap((one) => one?.summary ?? []);
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

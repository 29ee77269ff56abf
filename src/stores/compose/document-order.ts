import type {
  CountFoldersOptions,
  DocumentOrder,
  DocumentSummary,
  FolderCount,
  ListDocumentsOptions,
  ListPlace,
} from "../../contracts/document-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Checked, DocumentStore } from "../../contracts/store.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import { documentPath } from "../../text/document-path.ts";

/** Facts by which documents are ordered. */
type Facts = Pick<DocumentSummary, "bytes" | "ingestedAt" | "title">;

interface Identity {
  readonly uri: string;
  readonly scope: Scope | number;
  readonly id: string;
}

/** Comparators by order; equals go by uri, scope and id. */
const orders: Readonly<Record<DocumentOrder, (one: Facts, other: Facts) => number>> = {
  newest: (one, other) => compareCodePoints(other.ingestedAt, one.ingestedAt),
  oldest: (one, other) => compareCodePoints(one.ingestedAt, other.ingestedAt),
  largest: (one, other) => other.bytes - one.bytes,
  title: (one, other) => compareCodePoints(foldTitle(one.title), foldTitle(other.title)),
};

/** A title as lists are ordered by it: the letters A to Z ignore case, as they do in SQLite's `lower`. Any other letter is itself. */
export function foldTitle(title: string): string {
  return title.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
}

const noFacts: Facts = { bytes: 0, ingestedAt: "", title: "" };

/** Whether a document of a scope follows a place. Without an id, the place is behind all documents of its uri. */
export function isBehind(
  order: DocumentOrder,
  one: Facts & Omit<Identity, "scope">,
  place: Partial<Facts> & { readonly uri: string; readonly id?: string | undefined },
): boolean {
  const turn = orders[order](one, { ...noFacts, ...place }) || compareCodePoints(one.uri, place.uri);
  return turn > 0 || (turn === 0 && place.id !== undefined && compareCodePoints(one.id, place.id) > 0);
}

/** Compares documents, or rows of one scope. */
export function compareInOrder(order: DocumentOrder): (one: Facts & Identity, other: Facts & Identity) => number {
  return (one, other) =>
    orders[order](one, other) ||
    compareCodePoints(one.uri, other.uri) ||
    compareCodePoints(String(one.scope), String(other.scope)) ||
    compareCodePoints(one.id, other.id);
}

type Narrowing = Pick<ListDocumentsOptions, "under" | "mediaType" | "since" | "before">;

/** The test of documents, or of their rows; `undefined` where every one passes. */
export function narrowTo({
  under = "",
  mediaType,
  since,
  before,
}: Narrowing): ((one: Pick<DocumentSummary, "uri" | "mediaType" | "ingestedAt">) => boolean) | undefined {
  if (under === "" && mediaType === undefined && since === undefined && before === undefined) return undefined;
  const [from, until] = [since === undefined ? -Infinity : Date.parse(since), before && Date.parse(before)];
  const type = mediaType?.toLowerCase();
  return (one) => {
    const [at, own] = [Date.parse(one.ingestedAt), one.mediaType.toLowerCase()];
    const isInTime = (since === undefined || at >= from) && (until === undefined || at < Number(until));
    const isOfType = type === undefined || (type.endsWith("/") ? own.startsWith(type) : own === type);
    return isInTime && isOfType && one.uri.startsWith(under);
  };
}

type Listed = Pick<DocumentStore, "documents" | "orders" | "narrows">;

/** Documents in any order: as the store lists them where it keeps the order and narrows the list. **Errors** `invalid-argument`. */
export function listDocuments(
  documents: Listed,
  scopes: Checked["read"],
  options: ListDocumentsOptions,
): AsyncIterable<DocumentSummary> {
  const { order, after, limit, under, ...narrowing } = options;
  const isNarrowed = documents.narrows === true || narrowTo(narrowing) === undefined;
  if (order !== undefined) checkOrder(order, after);
  if (isNarrowed && (order === undefined || documents.orders?.includes(order) === true))
    return documents.documents(scopes, options);
  const prefix = under === undefined ? {} : { under };
  const isByUri = order === undefined;
  const from = isByUri && after !== undefined ? { after } : {};
  const all = narrow(documents.documents(scopes, { ...prefix, ...from }), narrowing, isByUri ? limit : undefined);
  return isByUri ? all : sortDocuments(all, order, { after, limit });
}

async function* narrow(
  all: AsyncIterable<DocumentSummary>,
  narrowing: Narrowing,
  limit = Infinity,
): AsyncGenerator<DocumentSummary> {
  const isWanted = narrowTo(narrowing) ?? (() => true);
  let left = limit;
  if (left < 1) return;
  for await (const summary of all) {
    if (!isWanted(summary)) continue;
    yield summary;
    if (--left === 0) return;
  }
}

/**
 * Counts by folder, from a store that may not have the verb. Their order is that of their facts: a store's own may tell which documents came before, also hidden ones.
 *
 * **Cost** without the verb, the whole list.
 */
export async function countFolders(
  documents: Listed & Pick<DocumentStore, "folders">,
  scopes: Checked["read"],
  options: CountFoldersOptions,
): Promise<readonly FolderCount[]> {
  if (documents.folders !== undefined) return (await documents.folders(scopes, options)).toSorted(compareFolders);
  const counts = new Map<Scope, FolderCounter>();
  for await (const summary of listDocuments(documents, scopes, options)) {
    if (!counts.has(summary.scope)) counts.set(summary.scope, createFolderCounter());
    counts.get(summary.scope)!.add(summary);
  }
  const rows = Array.from(counts, ([scope, counter]) => counter.rows().map((row) => toFolderCount(scope, row)));
  return rows.flat().sort(compareFolders);
}

function compareFolders(one: FolderCount, other: FolderCount): number {
  return (
    compareCodePoints(one.scope, other.scope) ||
    compareCodePoints(one.uri, other.uri) ||
    compareCodePoints(one.path ?? "", other.path ?? "") ||
    compareCodePoints(one.rootLabel ?? "", other.rootLabel ?? "") ||
    compareCodePoints(one.mediaType, other.mediaType) ||
    compareCodePoints(one.ending, other.ending)
  );
}

type Counted = Pick<DocumentSummary, "uri" | "folder" | "mediaType">;
type FolderRow = Counted & Pick<FolderCount, "ending" | "documents">;

/** Counts documents by folder and kind. */
export interface FolderCounter {
  add(one: Counted): void;
  rows(): readonly FolderRow[];
}

export function createFolderCounter(): FolderCounter {
  const counts = new Map<string, FolderRow>();
  return {
    add({ uri, folder, mediaType }) {
      const base = uri.slice(0, uri.lastIndexOf("/") + 1);
      const [, ending = ""] = /\.([a-z\d]{1,10})$/iu.exec(uri) ?? [];
      const row = { uri: base, folder, mediaType, ending: ending.toLowerCase() };
      const key = JSON.stringify(row);
      counts.set(key, { ...row, documents: (counts.get(key)?.documents ?? 0) + 1 });
    },
    rows: () => [...counts.values()],
  };
}

export function toFolderCount(scope: Scope, { uri, folder, mediaType, ending, documents }: FolderRow): FolderCount {
  return { scope, ...folderNames(uri, folder), mediaType, ending, documents };
}

/** Names of a folder, from the uris of its documents up to their last slash. */
function folderNames(uri: string, folder: string | null): Pick<FolderCount, "uri" | "rootLabel" | "path"> {
  if (uri === "" || uri.endsWith("://")) return { uri, rootLabel: "", path: "" };
  const { rootLabel, path } = documentPath(`${uri}-`, folder);
  return { uri, rootLabel, path: path.slice(0, path.lastIndexOf("/") + 1) };
}

const factOf: Readonly<Record<DocumentOrder, keyof Facts>> = {
  newest: "ingestedAt",
  oldest: "ingestedAt",
  largest: "bytes",
  title: "title",
};

function checkOrder(order: DocumentOrder, after: ListPlace | undefined): void {
  if (!Object.hasOwn(factOf, order)) {
    throw new IbidError("invalid-argument", `documents: order is ${JSON.stringify(order)}, which is no order.`, {
      hint: `Choose from ${Object.keys(factOf).join(", ")}, or leave it out for that of the uris.`,
    });
  }
  const fact = factOf[order];
  if (after === undefined || after[fact] !== undefined) return;
  throw new IbidError("invalid-argument", `documents: after has no ${fact}, by which the order ${order} goes.`, {
    hint: "Give the document that the page before ended with.",
  });
}

/** The first ones of an order after a place. **Cost** all rows are read, and at most two pages are held. */
async function* sortDocuments(
  all: AsyncIterable<DocumentSummary>,
  order: DocumentOrder,
  { after, limit = Infinity }: Pick<ListDocumentsOptions, "after" | "limit">,
): AsyncGenerator<DocumentSummary> {
  const compare = compareInOrder(order);
  const follows = (one: DocumentSummary, place: ListPlace): boolean => {
    const turn = orders[order](one, { ...noFacts, ...place }) || compareCodePoints(one.uri, place.uri);
    return turn > 0 || (turn === 0 && compareCodePoints(one.scope, place.scope) > 0);
  };
  let kept: DocumentSummary[] = [];
  let worst: DocumentSummary | undefined;
  for await (const summary of all) {
    if (after !== undefined && !follows(summary, after)) continue;
    if (worst !== undefined && compare(summary, worst) > 0) continue;
    kept.push(summary);
    if (kept.length < 2 * limit) continue;
    kept = kept.sort(compare).slice(0, limit);
    worst = kept.at(-1);
  }
  yield* kept.sort(compare).slice(0, limit);
}

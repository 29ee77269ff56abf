import type {
  DocumentOrder,
  DocumentSummary,
  ListDocumentsOptions,
  ListPlace,
} from "../../contracts/document-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Checked, DocumentStore } from "../../contracts/store.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

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

/** Documents in any order: as the store lists them where it keeps the order. **Errors** `invalid-argument`. */
export function listDocuments(
  documents: Pick<DocumentStore, "documents" | "orders">,
  scopes: Checked["read"],
  options: ListDocumentsOptions,
): AsyncIterable<DocumentSummary> {
  const { order, after, limit, under } = options;
  if (order === undefined) return documents.documents(scopes, options);
  checkOrder(order, after);
  if (documents.orders?.includes(order) === true) return documents.documents(scopes, options);
  return sortDocuments(documents.documents(scopes, under === undefined ? {} : { under }), order, { after, limit });
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

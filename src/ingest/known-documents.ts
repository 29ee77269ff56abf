import type { DocumentSummary } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Store } from "../contracts/store.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";

/** Documents that the scope holds already: listed whole when folders are walked (sweeping needs that), looked up one by one otherwise. */
export interface KnownDocuments {
  find(uri: string): Promise<DocumentSummary | undefined>;
  /** Without a look-up: what `find` or the listing has brought. */
  get(uri: string): DocumentSummary | undefined;
  all(): Iterable<DocumentSummary>;
}

/** **Cost** with folders, one pass over the scope's documents; without, one look-up for each uri that is asked for. */
export async function knownDocuments(
  store: Store,
  from: AuthorizedScopes,
  folders: readonly string[],
): Promise<KnownDocuments> {
  const byUri = new Map<string, DocumentSummary>();
  const whole = folders.length > 0;
  if (whole) for await (const summary of store.documents(from)) byUri.set(summary.uri, summary);
  return {
    async find(uri) {
      if (whole || byUri.has(uri)) return byUri.get(uri);
      const [stored] = await findReadable(store, from, uri);
      if (stored !== undefined) byUri.set(uri, stored.summary);
      return stored?.summary;
    },
    get: (uri) => byUri.get(uri),
    all: () => byUri.values(),
  };
}

/** A document that is damaged counts as one that is not there: ingesting it writes it anew. */
async function findReadable(
  store: Store,
  from: AuthorizedScopes,
  uri: string,
): Promise<Awaited<ReturnType<Store["find"]>>> {
  try {
    return await store.find(from, uri);
  } catch (error) {
    if (IbidError.isInstance(error, "store-corrupt")) return [];
    throw error;
  }
}

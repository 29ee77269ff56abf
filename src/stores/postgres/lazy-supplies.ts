import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { ChunkRow, DocumentRow } from "../segments/segment-directory.ts";
import { toChunk, toDocument } from "./apply-page.ts";
import { splitParts } from "./commit-rows.ts";
import { createLazyFiles, type LazyFiles } from "./lazy-files.ts";
import type { LazyNews, NewsHooks } from "./lazy-news.ts";
import { type LazyRow, readRows, type WantedPart, type WantedRow, wantedText } from "./lazy-page.ts";
import type { LazyScope } from "./lazy-scope.ts";
import type { Postgres } from "./postgres-client.ts";
import type { PageRow } from "./read-page.ts";
import { scopeOfKey } from "./replica-stamps.ts";

/** Rows and characters of texts that are kept. */
const rowBudget = 50_000;
const textBudget = 32_000_000;

/** Content of a document, as far as it was read. */
export interface ReadText {
  text?: string | undefined;
  structure?: string | undefined;
}

/** Everything that one read lacked. */
export interface Wanted {
  readonly scopes: Set<Scope>;
  every: boolean;
  readonly chunks: Set<number>;
  readonly documents: Map<number, boolean>;
  readonly parts: Map<string, WantedPart>;
  readonly fits: Set<number>;
  /** Lists of rows, by a name. */
  readonly lists: Map<
    string,
    { readonly scope: LazyScope; readonly condition: string; readonly values: readonly unknown[] }
  >;
}

export const nothing = (): Wanted => ({
  scopes: new Set(),
  every: false,
  chunks: new Set(),
  documents: new Map(),
  parts: new Map(),
  fits: new Set(),
  lists: new Map(),
});

export function isEmpty({ scopes, every, chunks, documents, parts, fits, lists }: Wanted): boolean {
  return !every && [scopes, chunks, documents, parts, fits, lists].every(({ size }) => size === 0);
}

/** Everything that reads have fetched, as of the state that the news brought. */
export interface LazySupplies extends NewsHooks {
  readonly files: LazyFiles;
  /** Columns whose codes the index has in memory, by the name of their rows: their files are not needed again. */
  readonly searched: Set<string>;
  readonly chunks: ReadonlyMap<number, ChunkRow>;
  readonly documents: ReadonlyMap<number, DocumentRow>;
  readonly texts: ReadonlyMap<number, ReadText>;
  /** Keys of rows that a statement has found. */
  readonly lists: ReadonlyMap<string, readonly number[]>;
  /** Makes room before a read: nothing that it has got may go before it ends. */
  makeRoom(): void;
  /**
   * Fetches, and catches up where that shows a later state. With `mayWait`, files may be left to the news of a question that is under way. **Errors**
   * `store-corrupt` for a file of the newest index that is not there.
   */
  supply(lacked: Wanted, news: LazyNews, mayWait: boolean): Promise<void>;
}

export const fileKey = (segment: string, name: string, part: number): string => `${segment} ${name} ${part}`;

export function createLazySupplies(db: Postgres, schema: string, keepBytes: number): LazySupplies {
  // Look-ups find blocks of vectors by the former. The latter are metadata of all chunks, which filters read before words.
  const files = createLazyFiles(keepBytes, (key) => / (?:rows\/\d+|facts) 0$/u.test(key));
  const searched = new Set<string>();
  const chunks = new Map<number, ChunkRow>();
  const documents = new Map<number, DocumentRow>();
  const texts = new Map<number, ReadText>();
  let textLength = 0;
  const lists = new Map<string, readonly number[]>();
  const fetching = wantedText(schema);

  function keepText(key: number, { text, structure }: ReadText): void {
    const known = texts.get(key) ?? {};
    texts.set(key, { text: text ?? known.text, structure: structure ?? known.structure });
    textLength += (text?.length ?? 0) + (structure?.length ?? 0);
  }

  function makeRoom(): void {
    if (chunks.size > rowBudget) chunks.clear();
    if (documents.size > rowBudget) documents.clear();
    if (textLength > textBudget) {
      texts.clear();
      textLength = 0;
    }
  }

  function takePart({ a: segment, b: name, key, x }: LazyRow): void {
    files.set(fileKey(segment!, name!, key), new Uint8Array(x!));
  }

  /** Fetches what a read lacked. **Shape** whether a row is of a later state than the scopes, or a file has gone. */
  async function fetchAll(
    lacked: Wanted,
    news: LazyNews,
  ): Promise<{ readonly isBehind: boolean; readonly renew: readonly Scope[] }> {
    const { parts, fits: wantedFits } = lacked;
    const listed = [...lacked.lists];
    const isKeyed = [lacked.chunks, lacked.documents, parts, wantedFits].some(({ size }) => size > 0);
    const rowsOf = (keys: Iterable<number>): readonly WantedRow[] =>
      Array.from(keys, (key) => ({ scope: scopeOfKey(key), key }));
    const [keyed, ...found] = await Promise.all([
      !isKeyed
        ? []
        : db.query("reading", fetching, [
            JSON.stringify(rowsOf(lacked.chunks)),
            JSON.stringify(Array.from(lacked.documents, ([key, whole]) => ({ scope: scopeOfKey(key), key, whole }))),
            JSON.stringify([...parts.values()]),
            JSON.stringify([...wantedFits]),
          ]),
      ...listed.map(([, { condition, values }]) => db.query("listing", condition, values)),
    ]);
    let isBehind = false;
    const take = (row: LazyRow): boolean => {
      const scope = news.byKey.get(row.scope);
      if (scope === undefined || row.changed > scope.stamp) {
        isBehind = true;
        return false;
      }
      if (row.kind === "c" && !row.gone && !scope.changed.has(row.key)) chunks.set(row.key, toChunk(row as PageRow));
      if (row.kind === "d" && !row.gone) {
        documents.set(row.key, toDocument(row as PageRow));
        if (row.x !== null || row.c !== null)
          keepText(row.key, {
            text: row.x === null ? undefined : Buffer.from(row.x).toString(),
            structure: row.c ?? undefined,
          });
      }
      return !row.gone;
    };
    const names = new Set<string>();
    for (const row of readRows(keyed)) {
      if (row.kind === "p") {
        takePart(row);
        names.add(`${row.a!} ${row.b!}`).add(fileKey(row.a!, row.b!, row.key));
      } else if (row.kind === "t") news.fitParts.set(row.key, splitParts(new Uint8Array(row.x ?? [])));
      else take(row);
    }
    listed.forEach(([name], i) => {
      const rows = readRows(found[i]!);
      if (rows.map(take).every(Boolean))
        lists.set(
          name,
          rows.map(({ key }) => key),
        );
    });
    const gone = [...parts].filter(([name]) => !names.has(name)).map(([, { scope }]) => scope);
    const renew = new Set(gone.flatMap((key) => news.byKey.get(key)?.name ?? []));
    // Rows that are not there at all are of an earlier state too.
    const isThere = (key: number): boolean =>
      chunks.has(key) || news.byKey.get(scopeOfKey(key))?.changed.has(key) === true;
    if ([...lacked.chunks].some((key) => !isThere(key))) isBehind = true;
    if ([...lacked.documents.keys()].some((key) => !documents.has(key))) isBehind = true;
    return { isBehind, renew: [...renew] };
  }

  const isLost = new Map<Scope, number>();

  async function supply(lacked: Wanted, news: LazyNews, mayWait: boolean): Promise<void> {
    if (lacked.scopes.size > 0 || lacked.every) {
      await news.refresh(lacked.every ? undefined : [...lacked.scopes]);
      return;
    }
    // A read that lacks more when the news are there lacks it anew.
    const along = mayWait && lacked.parts.size > 0 ? news.bringAlong(lacked.parts) : undefined;
    if (along !== undefined) return along;
    const { isBehind, renew } = await fetchAll(lacked, news);
    for (const name of renew) {
      const shared = news.held.get(name)?.shared ?? 0;
      if (isLost.get(name) === shared) {
        throw new IbidError("store-corrupt", `The shared index of ${name} at ${db.name} lacks a file.`, {
          hint: "Share it again: open the base with shareIndex and settle it.",
        });
      }
      isLost.set(name, shared);
    }
    if (isBehind || renew.length > 0) await news.refresh([], renew);
  }

  return {
    files,
    searched,
    chunks,
    documents,
    texts,
    lists,
    makeRoom,
    supply,
    came: takePart,
    dropped(scope) {
      // The index forgets all of its segments.
      searched.clear();
      for (const rows of [chunks, documents, texts])
        for (const key of rows.keys()) if (scopeOfKey(key) === scope.key) rows.delete(key);
      lists.clear();
    },
    changed(change) {
      for (const key of change.chunks) chunks.delete(key);
      for (const [key, document] of change.documents) {
        texts.delete(key);
        if (document === undefined) documents.delete(key);
        else documents.set(key, document);
      }
      for (const [key, text] of change.texts) keepText(key, { text });
      lists.clear();
    },
  };
}

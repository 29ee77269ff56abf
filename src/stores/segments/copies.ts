import type { ChunkCopy } from "../../contracts/leg.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { textKey } from "../../text/text-key.ts";
import { type ChunkDetails, createChunkReader } from "./chunk-rows.ts";
import { createIndexView, type IndexView } from "./index-view.ts";
import type { ChunkRow, DirectoryReader, DirectoryWriter } from "./segment-directory.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** Finds the other live chunks with the text of a chunk. */
export type FindCopies = (row: ChunkRow, scope: Scope) => readonly ChunkCopy[];

/** **Cost** one look-up for each text, and the rows of its copies; no text is read. */
export function createCopySearch(rows: DirectoryReader, view: IndexView, scopes: readonly Scope[]): FindCopies {
  /** Every chunk of a text that was looked for, by the text's key. */
  const groups = new Map<string, readonly ChunkCopy[]>();
  const toCopies = (scope: Scope, found: readonly ChunkRow[]): readonly ChunkCopy[] => {
    const homes = view.homes(
      rows,
      found.map(({ document }) => document),
    );
    return found.map(({ id, documentId, document, start, end, details, metadata, origin }) => {
      const { uri = homes.get(document)!.uri } = parseStored(details) as ChunkDetails;
      return { scope, id, documentId, uri, start, end, metadata: parseStored(metadata) as Metadata, origin };
    });
  };
  return (row, own) => {
    let group = groups.get(row.textKey);
    if (group === undefined) {
      const others = scopes.map((scope) => {
        const held = view.scope(rows, scope);
        const found = held === undefined ? [] : rows.copiesOf(held.row.key, row.textKey, row.key);
        return found.length === 0 ? [] : toCopies(scope, found);
      });
      const copies = others.flat();
      groups.set(row.textKey, (group = copies.length === 0 ? copies : [...copies, ...toCopies(own, [row])]));
    }
    return group.filter(({ scope, id }) => scope !== own || id !== row.id);
  };
}

const always = Number.MAX_SAFE_INTEGER;

/** Rows whose texts are read together. */
const batch = 1000;

/** Gives the chunks of one scope the keys of their texts, which earlier versions did not keep. **Cost** reads the scope's texts once. */
export function addTextKeys(rows: DirectoryWriter, scope: Scope): void {
  const held = rows.scope(scope);
  if (held === undefined) return;
  const keys: number[] = [];
  const note = ({ key, textKey }: ChunkRow): void => void (textKey || keys.push(key));
  for (const row of rows.scanChunks(held.key)) note(row);
  rows.deletedChunks(held.key, always).forEach(note);
  const reader = createChunkReader(rows, createIndexView());
  for (let from = 0; from < keys.length; from += batch) {
    for (const row of rows.chunks(keys.slice(from, from + batch))) {
      if (row !== undefined) rows.putChunk({ ...row, textKey: textKey(reader.urtext(row)) });
    }
  }
}

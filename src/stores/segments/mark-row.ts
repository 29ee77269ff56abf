import type { FreshnessMark } from "../../contracts/document-store.ts";
import type { DocumentRow } from "./segment-directory.ts";

/** The row with its mark; `undefined` when that changes nothing. */
export function markRow(row: DocumentRow, mark: FreshnessMark): DocumentRow | undefined {
  const { folder, checkedAt, validators, fingerprint } = mark;
  const marked: DocumentRow = {
    ...row,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(folder === undefined ? {} : { folder }),
    ...(checkedAt === undefined || checkedAt < row.ingestedAt ? {} : { checkedAt }),
    ...(validators && { etag: validators.etag ?? null, lastModified: validators.lastModified ?? null }),
  };
  const keys = ["folder", "checkedAt", "etag", "lastModified", "fingerprint"] as const;
  return keys.some((key) => marked[key] !== row[key]) ? marked : undefined;
}

import type { FreshnessMark } from "../contracts/document-store.ts";
import type { DocumentRow } from "./segment-directory.ts";

/** The row with its mark; `undefined` when that changes nothing. */
export function markRow(row: DocumentRow, { folder, checkedAt, validators }: FreshnessMark): DocumentRow | undefined {
  const marked: DocumentRow = {
    ...row,
    ...(folder === undefined ? {} : { folder }),
    ...(checkedAt === undefined || checkedAt < row.ingestedAt ? {} : { checkedAt }),
    ...(validators && { etag: validators.etag ?? null, lastModified: validators.lastModified ?? null }),
  };
  const keys = ["folder", "checkedAt", "etag", "lastModified"] as const;
  return keys.some((key) => marked[key] !== row[key]) ? marked : undefined;
}

import type { ColumnHeader } from "../../engine/segments/column-header.ts";
import type { ColumnFile } from "../../engine/vectors/vector-column.ts";
import type { DirectoryWriter } from "./segment-directory.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

const columnFiles: readonly ColumnFile["name"][] = ["rows", "dense", "codes", "bounds", "starts", "indices", "values"];

/** Header that replaces a dropped column, so that the other columns keep their positions. */
export const droppedColumn: ColumnHeader = { version: "", kind: "dense", dimensions: 0, rows: 0 };

/** Takes the files of one column out of a segment. */
export function dropColumnFiles(rows: DirectoryWriter, segment: number, column: number): void {
  for (const name of columnFiles) rows.deleteFile(segment, `${name}/${column}`);
}

/** Takes every column of some versions out of a segment. */
export function dropColumns(
  rows: DirectoryWriter,
  segment: number,
  isOld: (version: string) => boolean,
  stamp: number,
): void {
  const headers = parseStored(rows.segmentState(segment).columns) as readonly ColumnHeader[];
  if (!headers.some(({ version }) => isOld(version))) return;
  headers.forEach(({ version }, column) => {
    if (isOld(version)) dropColumnFiles(rows, segment, column);
  });
  const kept = headers.map((header) => (isOld(header.version) ? droppedColumn : header));
  rows.putSegmentColumns(segment, JSON.stringify(kept), stamp);
}

import { connect, Index } from "@lancedb/lancedb";
import { embedAll, type Ingest, readPieces } from "../ingester.ts";

export const ingest: Ingest = async (documents, into) => {
  const pieces = await readPieces(documents);
  const vectors = await embedAll(pieces.map(({ text }) => text));
  const rows = pieces.map((piece, i) => ({ ...piece, vector: Array.from(vectors[i]!) }));
  const table = await (await connect(into)).createTable("pieces", rows);
  await table.createIndex("text", { config: Index.fts() });
  const count = await table.countRows();
  table.close();
  return count;
};

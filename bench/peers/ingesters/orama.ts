import { count } from "@orama/orama";
import { insert, openOrama } from "../contestants/orama.ts";
import { embedAll, type Ingest, readPieces } from "../ingester.ts";

export const ingest: Ingest = async (documents) => {
  const pieces = await readPieces(documents);
  const vectors = await embedAll(pieces.map(({ text }) => text));
  const db = openOrama(256);
  await insert(
    db,
    pieces.map((piece, i) => ({ ...piece, slot: 0, embedding: Array.from(vectors[i]!) })),
  );
  return count(db);
};

import { LocalIndex } from "vectra";
import { embedAll, type Ingest, readPieces } from "../ingester.ts";

export const ingest: Ingest = async (documents, into) => {
  const pieces = await readPieces(documents);
  const vectors = await embedAll(pieces.map(({ text }) => text));
  const index = new LocalIndex<{ text: string; uri: string }>(into);
  await index.createIndex({ version: 1, deleteIfExists: true });
  await index.batchInsertItems(
    pieces.map(({ id, text, uri }, i) => ({ id, vector: Array.from(vectors[i]!), metadata: { text, uri } })),
  );
  return (await index.listItems()).length;
};

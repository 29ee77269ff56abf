import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import { Embeddings } from "@langchain/core/embeddings";
import { embedAll, type Ingest, readPieces } from "../ingester.ts";

class EqualEmbeddings extends Embeddings {
  async embedDocuments(texts: string[]): Promise<number[][]> {
    return (await embedAll(texts)).map((vector) => Array.from(vector));
  }
  async embedQuery(text: string): Promise<number[]> {
    return (await this.embedDocuments([text]))[0]!;
  }
}

export const ingest: Ingest = async (documents) => {
  const pieces = await readPieces(documents);
  const store = new MemoryVectorStore(new EqualEmbeddings({}));
  await store.addDocuments(
    pieces.map(({ id, text, uri }) => new Document({ id, pageContent: text, metadata: { uri } })),
  );
  return store.memoryVectors.length;
};

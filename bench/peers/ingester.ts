// The interface of every ingester of a folder: from files on disk to a searchable index.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RecursiveCharacterTextSplitter } from "@langchain/textsplitters";
import { loadModels } from "./ibid.ts";

/** `into` is an empty folder of its own. **Shape** how many chunks there are now. */
export type Ingest = (documents: string, into: string) => Promise<number>;

export interface Piece {
  readonly id: string;
  readonly text: string;
  readonly uri: string;
}

/** Size and overlap of ibid's chunks by default: the same for every ingester. */
const sizes = { chunkSize: 1000, chunkOverlap: 125 };

/**
 * For libraries without readers and chunkers of their own: the same files, cut by LangChain.js to the size of ibid's
 * chunks.
 */
export async function readPieces(documents: string): Promise<Piece[]> {
  const splitter = new RecursiveCharacterTextSplitter(sizes);
  const pieces: Piece[] = [];
  for (const uri of globSync("**/*.{md,mdx}", { cwd: documents }).toSorted()) {
    const texts = await splitter.splitText(readFileSync(join(documents, uri), "utf8"));
    texts.forEach((text, i) => pieces.push({ id: `${uri}#${i}`, text, uri }));
  }
  return pieces;
}

/** The same embedding for everyone. */
export async function embedAll(texts: string[]): Promise<Float32Array[]> {
  const { createHashingModel } = await loadModels();
  const { embeddings } = await createHashingModel().embed(texts, { purpose: "document" });
  return embeddings as Float32Array[];
}

// What everyone who ingests a folder does: from files on disk to something that can be searched.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RecursiveCharacterTextSplitter } from "@langchain/textsplitters";

/** `into` is an empty folder of its own. **Shape** how many chunks there are now. */
export type Ingest = (documents: string, into: string) => Promise<number>;

export interface Piece {
  readonly id: string;
  readonly text: string;
  readonly uri: string;
}

/** What chunks of ibid's hold at most by default, and share: the same for everyone. */
const sizes = { chunkSize: 1000, chunkOverlap: 125 };

/** For libraries that bring no way to read and cut of their own: the same files, cut by LangChain.js into as many characters as ibid's are. */
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
  const { createHashingModel } = await import("../../dist/node.js");
  const { embeddings } = await createHashingModel().embed(texts, { purpose: "document" });
  return embeddings as Float32Array[];
}

import { documentEntry } from "../build.ts";
import type { DocumentWrite } from "../../../src/contracts/document-store.ts";

/** The same documents in every process. */
export function makeCorpus(documents: number): DocumentWrite[] {
  const words = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"];
  return Array.from({ length: documents }, (_, i) => {
    const paragraphs = Array.from(
      { length: 4 },
      (_, j) => `p${j} ${words[(i + j) % 8]} ${words[(i * 3 + j) % 8]} number${i}`,
    );
    return documentEntry(`doc-${String(i).padStart(4, "0")}`, paragraphs, { embed: (text) => [text.length, i % 7, 1] });
  });
}

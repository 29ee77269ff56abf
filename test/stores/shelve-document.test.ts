import { describe, expect, it } from "vitest";
import { createMemoryShelf } from "../../src/stores/segments/shelf.ts";
import { readShelvedDocument, shelveDocument } from "../../src/stores/segments/shelve-document.ts";
import { documentEntry } from "./build.ts";
import { countTurns, slowClock } from "../support/turns.ts";
import { vi } from "vitest";

const shelved = async (text: string) => {
  const { document } = documentEntry("d", [text]);
  const shelf = createMemoryShelf();
  await shelveDocument(shelf, document);
  return { document, shelf };
};

describe("a document on a shelf", () => {
  it.each([
    ["short", "short"],
    ["nothing", ""],
    ["pairs across the ends of runs", `a${"\u{1F989}".repeat(400_000)}`],
    ["nulls and marks of byte order", `\0\ufeff${"é\n".repeat(300_000)}\ufeff`],
  ])("is what it was, %s", async (_, text) => {
    const { document, shelf } = await shelved(text);
    expect(readShelvedDocument(shelf)).toEqual(document);
    expect(readShelvedDocument(shelf)).toEqual(document);
  });

  it("gets there in turns", async () => {
    await new Promise(setImmediate);
    slowClock(2);
    expect(await countTurns(() => shelved("a".repeat(4_000_000)))).toBeGreaterThanOrEqual(4);
    vi.restoreAllMocks();
  });
});

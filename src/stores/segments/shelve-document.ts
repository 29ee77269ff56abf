import type { TextDocument } from "../../contracts/document.ts";
import { decodeText } from "../../engine/segments/bytes.ts";
import { giveTurn } from "../../runtime/next-turn.ts";
import { letGo, markOwn } from "../../runtime/own-bytes.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import type { Shelf } from "./shelf.ts";

/** Characters of one run. **Units** UTF-16. */
const runLength = 2 ** 18;

const encoder = new TextEncoder();

/**
 * Puts a document on a shelf, in turns, for another thread. A message would copy the whole text in one turn, and hold it once more.
 *
 * **Shape** the text is well formed: its bytes are UTF-8. First its facts as JSON, then an empty run, then the text.
 */
export async function shelveDocument(shelf: Pick<Shelf, "put">, { text, ...facts }: TextDocument): Promise<void> {
  // One place for all runs: bytes that nobody needs any more stay until there are many.
  const board = new Uint8Array(3 * (runLength + 1));
  const put = (run: string): void => shelf.put(board.subarray(0, encoder.encodeInto(run, board).written));
  for (const run of runsOf(JSON.stringify(facts))) put(run);
  put("");
  for (const run of runsOf(text)) {
    const turn = giveTurn();
    if (turn !== undefined) await turn;
    put(run);
  }
}

/** The document that {@link shelveDocument} put there. */
export function readShelvedDocument(shelf: Pick<Shelf, "each">): TextDocument {
  let said = "";
  let facts: Omit<TextDocument, "text"> | undefined;
  let bytes = new Uint8Array(0);
  let length = 0;
  for (const run of shelf.each()) {
    if (facts !== undefined) {
      if (length + run.length > bytes.length) reserve(run.length);
      bytes.set(run, length);
      length += run.length;
    } else if (run.length > 0) said += decodeText(run);
    else {
      facts = parseStored(said) as Omit<TextDocument, "text">;
      reserve(facts.root.end);
    }
  }
  const text = decodeText(bytes.subarray(0, length));
  letGo(markOwn(bytes));
  return { ...facts!, text };

  function reserve(more: number): void {
    const grown = new Uint8Array(Math.max(length + more, Math.ceil(1.5 * bytes.length)));
    grown.set(bytes);
    letGo(markOwn(bytes));
    bytes = grown;
  }
}

/** Never between the halves of a surrogate pair. */
function* runsOf(text: string): Generator<string, undefined> {
  for (let start = 0; start < text.length;) {
    const next = text.charCodeAt(start + runLength);
    const end = start + runLength + (next >= 0xdc00 && next <= 0xdfff ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
  return undefined;
}

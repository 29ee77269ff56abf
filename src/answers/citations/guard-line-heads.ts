import { blockHead } from "../../text/untrusted/scan-markers.ts";
import type { CheckedPiece } from "./checked-piece.ts";

/** No sign of a list, with the white space around it, is longer. **Units** UTF-16. */
const longestHead = 40;

/**
 * Puts `…` before a sign of a quoted block that begins a line only because a mark before it went. Such a block was never checked.
 *
 * **Shape** signs of checked blocks, and code, come settled, and stay. Markers do not count: they may still go. **Cost** linear.
 */
export function createHeadGuard(): (pieces: Iterable<CheckedPiece>) => Generator<CheckedPiece, void> {
  let head = "";
  const goOn = (text: string): void => {
    const last = text.lastIndexOf("\n");
    head = (last < 0 ? head + text : text.slice(last + 1)).slice(0, longestHead);
  };
  return function* guard(pieces) {
    for (const piece of pieces) {
      if (piece.type === "marker" || piece.settled !== undefined || !piece.text.includes(">")) {
        if (piece.type === "text") goOn(piece.text);
        yield piece;
        continue;
      }
      let text = "";
      for (const part of piece.text.split(/(?=>)/u)) {
        const said = part.startsWith(">") && blockHead.test(head) ? `… ${part}` : part;
        goOn(said);
        text += said;
      }
      yield { ...piece, text };
    }
  };
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createMarkerScanner, type ScannedPiece } from "../../src/text/untrusted/scan-markers.ts";

const scan = (...deltas: string[]): ScannedPiece[] => {
  const scanner = createMarkerScanner();
  const pieces = [...deltas.flatMap((delta) => [...scanner.push(delta)]), ...scanner.finish()];
  // Words that arrive in pieces are the same words.
  return pieces.reduce<ScannedPiece[]>((joined, piece) => {
    const last = joined.at(-1);
    if (piece.type === "text" && last?.type === "text")
      joined[joined.length - 1] = { type: "text", text: last.text + piece.text };
    else joined.push(piece);
    return joined;
  }, []);
};
const source = (pieces: readonly ScannedPiece[]) =>
  pieces.map((piece) => (piece.type === "text" ? piece.text : piece.raw)).join("");
const numbers = (text: string) => scan(text).flatMap((piece) => (piece.type === "marker" ? [piece.numbers] : []));

describe("citation markers", () => {
  it("are numbers in square brackets and nothing else [L2]", () => {
    expect(numbers("a [1] b [2, 3][ 4 ,5 ]")).toEqual([[1], [2, 3], [4, 5]]);
    expect(numbers("[1;2] [1，2] [1、3] [2-4] [2 – 4] [1, 3-4] [4-2] [**1**-2]")).toEqual([
      [1, 2],
      [1, 2],
      [1, 3],
      [2, 3, 4],
      [2, 3, 4],
      [1, 3, 4],
      [4, 2],
      [1, 2],
    ]);
    expect(numbers("[0-9] [a-z] [2019-2021] [1-] [1--2]")).toEqual([]);
    expect(numbers("[a] [1a] [] [1234] [-1] [1.5] [1.2.3] [9%] [$9] [#9] [10:30] [3/4] [p. 9] [[x]] (1)")).toEqual([]);
    expect(
      numbers(
        '[1 2] [1 and 2] [1 & 2] [2.] [(2)] ["2"] [Source 2] [sources: 1, 2] [ref. 2–4] [1, p. 3] [1: keys.md] [002]',
      ),
    ).toEqual([[1, 2], [1, 2], [1, 2], [2], [2], [2], [2], [1, 2], [2, 3, 4], [1], [1], [2]]);
    expect(numbers("[[1]]")).toEqual([[1]]);
  });

  it("are code in code [L2]", () => {
    expect(numbers("`a[1]` and ``b[2] ` `` but [3]")).toEqual([[3]]);
    expect(numbers("```\na[1]\n```\n[2]")).toEqual([[2]]);
    expect(numbers("  ```js\na[1]\n[2]")).toEqual([]);
    expect(numbers("```a[1]``` [2]\n[3]")).toEqual([[2], [3]]);
    expect(numbers("an odd ` here [1]\nand [2] ` there")).toEqual([[1], [2]]);
  });

  it("are found wherever the text is cut into pieces, and nothing is lost [L2]", () => {
    const alphabet = fc.constantFrom(
      ...'[ ] 1 23 , - ; ` ``` a é 😀 : . ( " and source p. Doc \\'.split(" "),
      " ",
      "\n",
      "b c",
    );
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 60 }), fc.array(fc.nat(80), { maxLength: 12 }), (parts, cuts) => {
        const text = parts.join("");
        const bounds = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const pieces = scan(...bounds.slice(1).map((end, index) => text.slice(bounds[index], end)));
        expect(source(pieces)).toBe(text);
        expect(pieces).toEqual(scan(text));
        expect(pieces).toEqual(scan(...text.split("")));
      }),
      { numRuns: 500 },
    );
  });

  it("hold back only what could still become one [L2]", () => {
    const scanner = createMarkerScanner();
    expect([...scanner.push("words [1")]).toEqual([{ type: "text", text: "words " }]);
    expect([...scanner.push("2")]).toEqual([]);
    expect([...scanner.push("x")]).toEqual([{ type: "text", text: "[12x" }]);
    expect([...scanner.push(`[${"1, ".repeat(60)}`)]).not.toEqual([]);
  });
});

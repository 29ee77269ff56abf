import { describe, expect, it } from "vitest";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { countInPieces } from "../../src/text/count-in-pieces.ts";
import { characters, heuristicTokens } from "../../src/text/length.ts";
import { lengthKey } from "../../src/text/length-key.ts";

describe("what a fingerprint says of a length function [L7]", () => {
  it("is the name where that was given as text: those of before stay as they were", () => {
    expect([characters, heuristicTokens].map(lengthKey)).toEqual(["characters", "heuristic-tokens"]);
    const words = (text: string): number => text.split(" ").length;
    expect(lengthKey(countInPieces(words, { name: "words of 1" }))).toBe("words of 1");
    expect(createSectionChunker().fingerprint).toBe('["section",2,1500,200,"characters",true]');
  });

  it("is what it counts, whatever a build calls it", () => {
    const written = (text: string): number => Math.ceil(text.length / 3);
    const e = (t: string): number => Math.ceil(t.length / 3);
    const other = (text: string): number => Math.ceil(text.length / 4);
    expect(lengthKey(written)).toBe(lengthKey(e));
    expect(lengthKey(other)).not.toBe(lengthKey(e));
    // A name that was given to another does not count for it.
    expect(lengthKey(Object.defineProperty(other, "name", { value: "characters" }))).not.toBe("characters");
  });
});

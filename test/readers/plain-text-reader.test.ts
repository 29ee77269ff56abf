import { describe, expect, it } from "vitest";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";

const read = async (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return (await plainTextReader.read({ uri: "a.txt", bytes, mediaType: "text/plain" })).blocks ?? [];
};

describe("plain text of more paragraphs than there is room for", () => {
  it("keeps the first half a million apart, and the rest in stretches of a chunk's size [E15]", async () => {
    const blocks = await read("a\n\n".repeat(600_000));
    // 100,000 of three characters each, in stretches of 1,000 at most.
    expect(blocks.length).toBe(500_000 + Math.ceil((100_000 - 333) / 334));
    expect(blocks.every(({ start, end }) => end - start <= 1000)).toBe(true);
    expect(blocks.at(-1)?.end).toBe(3 * 600_000 - 2);
    expect(blocks.every(({ start }, at) => at === 0 || start > blocks[at - 1]!.end)).toBe(true);
  });

  it("never joins one that is long by itself", async () => {
    const blocks = await read(`${"a\n\n".repeat(500_000)}${`${"b".repeat(900)}\n\n`.repeat(4)}`);
    expect(blocks.slice(-3).map(({ start, end }) => end - start)).toEqual([900, 900, 900]);
  });
});

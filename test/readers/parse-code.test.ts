import { describe, expect, it } from "vitest";

import { parseCode } from "../../src/readers/code/parse-code.ts";

const source = "class A {}\nclass B {}\n";
const countClasses = (text: string): Promise<number | undefined> =>
  parseCode(text, "java", undefined, ({ rootNode }) => rootNode.namedChildCount);
/** Fails as the parser's module does when it has run out of memory. */
const exhaust = (tries: string[]): Promise<undefined> =>
  parseCode<undefined>(source, "java", undefined, () => {
    tries.push("tried");
    throw Object.assign(new Error("memory access out of bounds"), { name: "RuntimeError" });
  });

describe("parsing code", () => {
  it("reads a file as if none had been read before, also after one that broke the parser", async () => {
    expect(await countClasses(source)).toBe(2);
    const tries: string[] = [];
    expect(await exhaust(tries)).toBeUndefined();
    // Once in the used module, once in a new one, whose word counts.
    expect(tries).toEqual(["tried", "tried"]);
    expect(await exhaust(tries)).toBeUndefined();
    expect(tries).toHaveLength(3);
    expect(await countClasses(source)).toBe(2);
  });

  it("does not take other errors for a broken parser", async () => {
    const failing = parseCode(source, "java", undefined, () => {
      throw new TypeError("a slip of ours");
    });
    await expect(failing).rejects.toThrow("a slip of ours");
    expect(await countClasses(source)).toBe(2);
  });

  it("gives up tokens without order by a count of steps", async () => {
    const tokens = ["{", "}", "(", ")", "<", ">", "x ", "; ", "::", "template<", "if "];
    let state = 1;
    const next = (): string => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return tokens[state % tokens.length] ?? "";
    };
    const noise = Array.from({ length: 30_000 }, next).join("");
    const parse = (): Promise<boolean | undefined> => parseCode(noise, "cpp", undefined, () => true);
    expect([await parse(), await parse()]).toEqual([undefined, undefined]);
    const comments = `if x:\n  y\n${"# 1\n".repeat(15_000)}z\n`;
    expect(await parseCode(comments, "python", undefined, () => true)).toBeUndefined();
    // Whatever the counts say, it ends with the time.
    const code = `int a() { return 1; }\n`.repeat(500);
    expect(await parseCode(code, "cpp", undefined, () => true, 0)).toBeUndefined();
    // A slip is no noise.
    const slip = `int a() { return 1; }\n`.repeat(500);
    expect(await parseCode(`${slip}int b( {\n${slip}`, "cpp", undefined, () => true)).toBe(true);
  });
});

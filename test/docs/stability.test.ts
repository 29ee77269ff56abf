import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readModules } from "../architecture/modules.ts";

const page = readFileSync(new URL("../../docs/stability.md", import.meta.url), "utf8");
const exportsOf = (name: string): readonly string[] =>
  readFileSync(new URL(`../public-exports/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .map((line) => line.replace("type ", ""));

/** What the page lists, row by row. */
const listed = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|")[1] ?? "")
  .flatMap((cell) => [...cell.matchAll(/`(\w+)`/gu)].map(([, name = ""]) => name));

const comment = String.raw`/\*\*(?:[^*]|\*(?!/))*\*/\n`;
const declaration = String.raw`export (?:async )?(?:function|const|interface|type|class) (\w+)`;

/** What is declared in a source, with what its comment says. */
function declarations(source: string): readonly (readonly [name: string, said: string])[] {
  const found = source.matchAll(new RegExp(`(${comment})?${declaration}`, "gu"));
  return Array.from(found, ([, said = "", name = ""]) => [name, said] as const);
}

const modules = readModules(fileURLToPath(new URL("../../src", import.meta.url)));
const all = modules.flatMap(({ path, source }) =>
  declarations(source).map(([name, said]) => ({ path, name, isTagged: /^ \* @experimental$/mu.test(said) })),
);
const tagged = all.filter(({ isTagged }) => isTagged).map(({ name }) => name);

describe("what is experimental says so", () => {
  it("in the code and on the page alike [S12]", () => {
    expect(listed.length).toBeGreaterThan(10);
    expect([...new Set(listed)]).toHaveLength(listed.length);
    expect(tagged.toSorted()).toEqual(listed.toSorted());
  });

  it("of what people can import, and of nothing else [S12]", () => {
    const langchain = modules.find(({ path }) => path === "langchain.ts")!;
    const named = [...langchain.source.matchAll(/\b\w*LangChain\w*\b/gu)].map(([name]) => name);
    const open = new Set([...exportsOf("ibid-on-Node"), ...exportsOf("ibid-testing"), ...named]);
    expect(listed.filter((name) => !open.has(name))).toEqual([]);
  });

  it("of all that a room of theirs lets out [S12]", () => {
    const open = new Set(exportsOf("ibid-on-Node"));
    const rooms =
      /^(?:entities\/|contracts\/entity\.ts|tools\/describe-for-model\.ts|adapters\/(?:langchain|transformers)\/)/u;
    const silent = all.filter(({ path, name, isTagged }) => rooms.test(path) && open.has(name) && !isTagged);
    // The door's own has prefixes added; it is tagged where it is made.
    expect(silent.map(({ name }) => name)).toEqual(["createTransformersEmbeddingModel"]);
  });
});

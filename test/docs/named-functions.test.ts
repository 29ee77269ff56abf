import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const docs = join(import.meta.dirname, "../../docs");
const surface = readFileSync(join(import.meta.dirname, "../surface/names.tsv"), "utf8");
const exported = new Set(surface.split("\n").flatMap((line) => line.split("\t")));
/** Makers of other packages, in the columns of their names, and methods. */
const foreign = new Set(["createRetrievalChain", "createInternalRelationships"]);
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md") && !path.startsWith("decisions"))
  .toSorted();

it.each(pages)("%s names no maker that the package does not have", (path) => {
  const text = readFileSync(join(docs, path), "utf8");
  const named = new Set(
    Array.from(text.matchAll(/\b((?:create|open|parse|split)[A-Z]\w*)(?:\(|`)/gu), ([, name]) => name!),
  );
  const isOfThePage = (name: string): boolean =>
    text.includes(`.${name}(`) ||
    new RegExp(`(?:function ${name}\\b|const ${name}\\b|import \\{[^}]*\\b${name}\\b)`, "u").test(text);
  expect([...named].filter((name) => !exported.has(name) && !foreign.has(name) && !isOfThePage(name))).toEqual([]);
});

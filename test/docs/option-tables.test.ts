import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillTables, pages } from "../../scripts/option-tables.ts";

describe("the manual's tables of options", () => {
  it.each(pages)("in %s are those of the source: run `npm run options` after a change", (page) => {
    const text = readFileSync(join(import.meta.dirname, "../..", page), "utf8");
    expect(text).toContain("<!-- options: ");
    expect(fillTables(page, text)).toBe(text);
  });
});

import { describe, expect, it } from "vitest";
import { bundleForBrowser } from "../../scripts/browser/bundle.ts";
import { budgets, measureBundles } from "../../scripts/browser/measure.ts";

describe("a bundle for the browser", () => {
  it("keeps its budget (npm run size says what it weighs, and sets it anew)", async () => {
    const sizes = await measureBundles();
    expect(sizes.map(({ name }) => name)).toEqual(Object.keys(budgets));
    const heavy = sizes.filter(({ name, gzip }) => gzip > budgets[name]!);
    expect(heavy).toEqual([]);
    // A budget that nothing comes near pins nothing.
    const light = sizes.filter(({ name, gzip }) => gzip < budgets[name]! * 0.95);
    expect(light).toEqual([]);
  });

  it.each([
    'import { readFileSync } from "node:fs"; readFileSync("/");',
    'import "commander";',
    'await import("node:os");',
  ])("takes in nothing that no browser has: %s", async (program) => {
    await expect(bundleForBrowser(program)).rejects.toThrow(/which no browser has/);
  });

  it("loads what answers when a question is asked, not before", async () => {
    const { files, first } = await bundleForBrowser('export { openKnowledgeBase } from "ibid";');
    const code = (early: boolean): string =>
      files.flatMap(({ name, code: text }) => (first.includes(name) === early ? [text] : [])).join("");
    const fromAnswers = "The answer ended before it was whole.";
    expect(code(true)).not.toContain(fromAnswers);
    expect(code(false)).toContain(fromAnswers);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

const examples = new URL("../../examples/", import.meta.url);

describe("examples of retrieval", () => {
  const programs = ["around-a-search.ts", "other-words.ts"];

  it("are all tried here, and named in the page about them", () => {
    const page = readFileSync(new URL("README.md", examples), "utf8");
    expect(readdirSync(new URL("retrieval", examples)).toSorted()).toEqual(programs);
    for (const name of programs) expect(page).toContain(`(retrieval/${name})`);
  });

  it.each(programs)("%s runs without a key, and finds what it should [E53 E55]", async (name) => {
    const { failed, stdout, stderr } = await runExample(`retrieval/${name}`);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(2);
  });

  it.each([
    ["around-a-search.ts", "expandHits(base, { documents, zoomOut: 1 })", "((within, _) => within)(base, expandHits)"],
    ["other-words.ts", "multiQuery(base, {", "((within, _) => within)(base, {"],
  ])("%s ends with an error when the answer is wrong", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`retrieval/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

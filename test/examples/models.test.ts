import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

describe("examples of models", () => {
  const programs = ["hosted.ts", "local.ts"];

  it("are all tried here, and named in the page about them [W44]", () => {
    const folder = new URL("../../examples/", import.meta.url);
    expect(readdirSync(new URL("models", folder)).toSorted()).toEqual(programs);
    const page = readFileSync(new URL("README.md", folder), "utf8");
    for (const name of programs) expect(page).toContain(`(models/${name})`);
  });

  it.each(programs)("%s runs without a key or a model, against a server of its own [W3 W44 B15]", async (name) => {
    const { failed, stdout, stderr } = await runExample(`models/${name}`);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout).toContain('cited: "keys.md"');
  });

  it.each([
    ["hosted.ts", '{ mode: "dense" }', '{ mode: "dense", filter: { fileName: "none" } }'],
    ["local.ts", "llama3.2@", "other@"],
  ])("%s ends with an error when the answer is wrong", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`models/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

import { describe, expect, it } from "vitest";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

describe("examples of tools", () => {
  it.each(["tool-loop.ts", "mcp.ts"])("%s runs without a key, and finds what it should [E51]", async (name) => {
    const { failed, stdout, stderr } = await runExample(`tools/${name}`);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(4);
  });

  it.each([
    ["tool-loop.ts", ", filter: { secret: { exists: false } }", ""],
    ["mcp.ts", 'kb.as({ userId: "bob" })', "kb"],
  ])("%s ends with an error when somebody sees too much", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`tools/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

import { describe, expect, it } from "vitest";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

describe("examples of collections", () => {
  const name = "collections/typed-collection.ts";

  it("typed-collection.ts runs without a key, and finds what it should [S5 S16 S24]", async () => {
    const { failed, stdout, stderr } = await runExample(name);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(10);
  });

  it.each([
    ["a filter that says something else", "price: { lt: 60 }", "price: { lt: 70 }"],
    ["a view that is not narrowed", 'kb.as({ userId: "nils", teamId: "south" })', "kb"],
  ])("typed-collection.ts ends with an error for %s", async (_, right, wrong) => {
    const { failed, stderr } = await runWrongExample(name, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

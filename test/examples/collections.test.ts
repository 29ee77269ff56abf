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

  it("engine-collection.ts runs over the engine in this process [S1 S10 T18]", async () => {
    const { failed, stdout, stderr } = await runExample("collections/engine-collection.ts");
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout).toContain("Bob reads Ada's record: undefined");
  });

  it("engine-collection.ts ends with an error for a view that is not narrowed", async () => {
    const narrow = 'open(kb.as({ userId: "bob" }))';
    const { failed, stderr } = await runWrongExample("collections/engine-collection.ts", narrow, "open(kb)");
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
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

import { describe, expect, it } from "vitest";
import { sample } from "../support/runs.ts";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

describe("examples of graphs", () => {
  it.each(["retriever-node.ts", "langchain.ts"])(
    "%s runs without a key, and finds what it should [W3 W45]",
    async (name) => {
      const { failed, stdout, stderr } = await runExample(`graphs/${name}`);
      expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
      expect(stdout.split("\n").length).toBeGreaterThan(2);
    },
  );

  it.each(
    sample(
      [
        ["retriever-node.ts", "metadataFilter: { year: 2019 } });", "});"],
        ["langchain.ts", ', filter: { area: "house" }', ', filter: { area: "ops" }'],
      ] as const,
      3,
    ),
  )("%s ends with an error when the answer is wrong", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`graphs/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sample } from "../support/runs.ts";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

const examples = new URL("../../examples/", import.meta.url);

describe("examples of the five designs", () => {
  const programs = [
    "ballerina-ingestion.ts",
    "ballerina-query.ts",
    "embabel-deployments.ts",
    "embabel-entities.ts",
    "semantic-kernel-memory.ts",
    "toolup-pipelines.ts",
    "toolup-prompt.ts",
    "wesichain-index-and-query.ts",
  ];

  it("are all tried here, and named in the page about them", () => {
    const page = readFileSync(new URL("README.md", examples), "utf8");
    const there = readdirSync(new URL("seeds", examples)).filter((name) => name.endsWith(".ts"));
    expect(there.toSorted()).toEqual(programs);
    for (const name of programs) expect(page).toContain(`(seeds/${name})`);
  });

  it.each(
    sample(
      [
        ["ballerina-ingestion.ts", "[B45]"],
        ["ballerina-query.ts", "[B46]"],
        ["embabel-deployments.ts", "[E48 E49 E50]"],
        ["embabel-entities.ts", "[E32 E33 E34 E35 E36]"],
        ["semantic-kernel-memory.ts", "[S13 S14 S15 S16 S17 S18]"],
        ["toolup-pipelines.ts", "[T1 T2 T3]"],
        ["toolup-prompt.ts", "[T45]"],
        ["wesichain-index-and-query.ts", "[W1 W43]"],
      ] as const,
      3,
    ),
  )("%s runs without a key, and does what its design's does %s", async (name, _items) => {
    const { failed, stdout, stderr } = await runExample(`seeds/${name}`);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(6);
  });

  it.each(
    sample(
      [
        ["ballerina-ingestion.ts", "chunkDocumentRecursively(policyDoc)", "chunkDocumentRecursively(policyDoc, 2000)"],
        ["ballerina-query.ts", 'await startStandIn(accessToken, () => "")', "await startStandIn(accessToken)"],
        ["embabel-deployments.ts", 'write: name === "ingestion"', "write: true"],
        ["embabel-entities.ts", 'scope: "team:north"', 'scope: "deployment"'],
        ["semantic-kernel-memory.ts", "limit: 3 }", "limit: 0 }"],
        ["toolup-pipelines.ts", 'teamId: "sales"', 'teamId: "support"'],
        ["toolup-prompt.ts", 'scope: "team:sales"', 'scope: "team:support"'],
        ["wesichain-index-and-query.ts", "year: { lt: 2024 }", "year: { lte: 2024 }"],
      ] as const,
      3,
    ),
  )("%s ends with an error when it does something else", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`seeds/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

import { describe, expect, it } from "vitest";
import { sample } from "../support/runs.ts";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

describe("examples of memory in a prompt", () => {
  it.each(
    sample(
      [
        "concatenation.ts",
        "templates.ts",
        "openapi-plugin.ts",
        "render-filters.ts",
        "request-settings.ts",
        "memory-plugin.ts",
      ],
      3,
    ),
  )("%s runs without a key, and finds what it should [S1 S9 S13 S14 S15 S17 S18 S19]", async (name) => {
    const { failed, stdout, stderr } = await runExample(`memory/${name}`);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(4);
  });

  it.each(
    sample(
      [
        ["concatenation.ts", "`${data?.text}\\n${question}`", "question"],
        [
          "templates.ts",
          'createMemoryPlugin(kb.as({ userId: "bob" }))',
          'createMemoryPlugin(kb.as({ teamId: "acme" }))',
        ],
        ["openapi-plugin.ts", "bearer: token })).functions", 'bearer: "mistaken" })).functions'],
        ["render-filters.ts", '[named("F1"), named("F2")', '[named("F2"), named("F1")'],
        ["request-settings.ts", 'kb.as({ userId: "bob" })', "kb"],
        ["memory-plugin.ts", 'action === "save" ||', 'action !== "" ||'],
      ] as const,
      3,
    ),
  )("%s ends with an error when it goes wrong", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`memory/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toMatch(/instead of|status 401/u);
  });
});

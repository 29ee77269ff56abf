import { describe, expect, it } from "vitest";
import { runExample } from "./run-example.ts";

describe("examples of answers", () => {
  it("own-model.ts runs without a key, and finds what it should [T46 T47 L12]", async () => {
    const { failed, stdout, stderr } = await runExample("answers/own-model.ts");
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(2);
  });

  it("own-model.ts ends with an error when the answer is wrong", async () => {
    const { failed, stderr } = await runExample("answers/own-model.ts", (code) =>
      code.replace("Trust me [9]", "Trust me"),
    );
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { sample } from "../support/runs.ts";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

const examples = new URL("../../examples/", import.meta.url);

describe("examples of answers", () => {
  it("are all named in the page about them", () => {
    const page = readFileSync(new URL("README.md", examples), "utf8");
    for (const name of readdirSync(new URL("answers", examples))) expect(page).toContain(`(answers/${name})`);
  });

  it.each(sample(["grounding.ts", "conversation.ts", "chat-ui.ts", "own-model.ts"], 3))(
    "%s runs without a key, and answers as it should [T46 T47 T48 L2 L12]",
    async (name) => {
      const { failed, stdout, stderr } = await runExample(`answers/${name}`);
      expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
      expect(stdout.split("\n").length).toBeGreaterThan(2);
    },
  );

  it.each(
    sample(
      [
        ["grounding.ts", "Leave is asked for in the portal.", "Leave is asked for by carrier pigeon."],
        ["conversation.ts", "kb.ask(question, { history })", "kb.ask(question)"],
        ["own-model.ts", "Trust me [9]", "Trust me"],
        ["chat-ui.ts", "rotated every 90 days [1]", "rotated every 80 days [1]"],
      ] as const,
      3,
    ),
  )("%s ends with an error when an answer is wrong", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`answers/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

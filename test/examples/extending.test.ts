import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";
import { sample } from "../support/runs.ts";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("examples of extending", () => {
  const programs = {
    "reader.ts": "E37",
    "refresh-policy.ts": "E38",
    "transformer.ts": "E39",
    "backend.ts": "E40",
    "entity-types.ts": "E41",
  } as const;

  it("are all tried here, and named in the page about them [E37 E38 E39 E40 E41]", () => {
    const page = readFileSync(join(root, "examples/README.md"), "utf8");
    expect(readdirSync(join(root, "examples/extending")).toSorted()).toEqual(Object.keys(programs).toSorted());
    for (const name of Object.keys(programs)) expect(page).toContain(`(extending/${name})`);
  });

  it.each(sample(Object.keys(programs), 3))("%s runs without a key, and finds what it should", async (name) => {
    const { failed, stdout, stderr } = await runExample(`extending/${name}`);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(2);
  });

  it.each(
    sample(
      [
        ["reader.ts", "readers: [subtitleReader]", "readers: []"],
        ["refresh-policy.ts", "{ refresh: careful }", "{}"],
        ["transformer.ts", "transformers: [spellOut]", "transformers: []"],
        ["entity-types.ts", 'direction: "incoming" }', 'direction: "outgoing" }'],
        ["backend.ts", "entries.delete(id);", "entries.get(id);"],
      ] as const,
      3,
    ),
  )("%s ends with an error when the answer is wrong", async (name, right, wrong) => {
    const { failed, stderr } = await runWrongExample(`extending/${name}`, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

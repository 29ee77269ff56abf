import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { IbidError } from "../../src/contracts/errors.ts";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { sample } from "../support/runs.ts";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

describe("examples of collections", () => {
  const name = "collections/typed-collection.ts";

  it("typed-collection.ts runs without a key, and finds what it should [S5 S16 S24]", async () => {
    const { failed, stdout, stderr } = await runExample(name);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(10);
  });

  it("sqlite.ts keeps records in the engine in this process [S1 S10 T18]", async () => {
    const { failed, stdout, stderr } = await runExample("engines/sqlite.ts");
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout).toContain("Bob reads Ada's record: undefined");
  });

  it("copy-records.ts copies records from one engine to another [T18]", async () => {
    const { failed, stdout, stderr } = await runExample("engines/copy-records.ts");
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout).toContain("2 of 2 records");
  });

  it("an engine has a script, and each script an engine", async () => {
    const { hint } = (await openKnowledgeBase({ engine: { name: "none" } as never }).catch(
      (error: unknown) => error,
    )) as IbidError;
    const named = /^Known engines: (.*?)\./u.exec(hint ?? "")![1]!.split(", ");
    const scripts = readdirSync(join(import.meta.dirname, "../../examples/engines")).map((file) => file.slice(0, -3));
    // An index in this process keeps no records.
    expect(scripts.toSorted()).toEqual(
      [...named.filter((name) => name !== "hnsw"), "copy-records", "keep-records"].toSorted(),
    );
  });

  it("sqlite.ts ends with an error for a view that is not narrowed", async () => {
    const narrow = 'open(kb.as({ userId: "bob" }))';
    const after = 'import { createSqliteEngine } from "ibid/stores/sqlite";\nawait keepRecords(createSqliteEngine());';
    const { failed, stderr } = await runWrongExample("engines/keep-records.ts", narrow, "open(kb)", after);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });

  it.each(
    sample(
      [
        ["a filter that says something else", "price: { lt: 60 }", "price: { lt: 70 }"],
        ["a view that is not narrowed", 'kb.as({ userId: "nils", teamId: "south" })', "kb"],
      ] as const,
      3,
    ),
  )("typed-collection.ts ends with an error for %s", async (_, right, wrong) => {
    const { failed, stderr } = await runWrongExample(name, right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

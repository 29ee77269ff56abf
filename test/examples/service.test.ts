import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { useExamples } from "./run-example.ts";

const { runExample, runWrongExample } = useExamples();

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("examples of the service", () => {
  it("are all tried here, and named in the page about them", () => {
    expect(readdirSync(join(root, "examples/service"))).toEqual(["query-service.ts"]);
    expect(readFileSync(join(root, "examples/README.md"), "utf8")).toContain("(service/query-service.ts)");
  });

  it("query-service.ts: three callers over HTTP, each with what they may read [B46 L3]", async () => {
    const { failed, stdout, stderr } = await runExample("service/query-service.ts");
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(11);
  });

  it.each([
    ["who reads too much", 'name: "web shop", key', 'name: "web shop", operator: true, key'],
    ["who reads too little", 'userId: "tom", teamId: "support"', 'userId: "tom"'],
    ["who may write", 'userId: "tom", teamId: "support"', 'userId: "tom", teamId: "support", write: true'],
  ])("ends with an error for one %s", async (_, right, wrong) => {
    const { failed, stderr } = await runWrongExample("service/query-service.ts", right, wrong);
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});

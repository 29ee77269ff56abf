import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { bareEnv, callIbid, type Finished, jsonLines, makeFolder } from "./run-ibid.ts";

const executable = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));

/** The real command line, told these lines and then nothing more. */
function chat(cwd: string, lines: string, args: readonly string[] = []): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [executable, "chat", ...args], {
      cwd,
      env: bareEnv(cwd),
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(lines);
  });
}

describe("ibid chat", () => {
  it("takes a question a line, each as the continuation of those before it [T46]", async () => {
    const folder = await makeFolder({
      "docs/keys.md": "# Keys\n\nSigning keys are rotated every 90 days. They are kept in the vault.\n",
      "docs/wine.md": "# Wine\n\nWine is kept in the cellar. Grapes are pressed in autumn.\n",
    });
    await callIbid(folder, ["ingest", "docs"]);

    const told = await chat(folder, "How often are signing keys rotated?\n\nAnd where are they kept?\n", ["--json"]);
    expect(told).toMatchObject({ code: 0, stderr: "" });
    const [first, second, ...rest] = jsonLines(told.stdout);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ question: "How often are signing keys rotated?", kind: "quotes", verbatim: true });
    expect(first).not.toHaveProperty("searchedFor");
    expect(second).toMatchObject({
      question: "And where are they kept?",
      searchedFor: "And where are they kept? often signing keys rotated",
    });
    expect(second?.["text"]).toContain("They are kept in the vault.");

    const shown = await chat(folder, "Where is wine kept?");
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain("Wine is kept in the cellar.");
  });

  it("says what it cannot answer, goes on, and ends with 1 [B44]", async () => {
    const folder = await makeFolder({ "docs/keys.md": "Signing keys are rotated every 90 days.\n" });
    await callIbid(folder, ["ingest", "docs"]);
    const { code, stdout, stderr } = await chat(folder, `${"why ".repeat(3000)}\nHow often are keys rotated?\n`, [
      "--json",
    ]);
    expect(code).toBe(1);
    expect(jsonLines(stderr)).toMatchObject([{ error: { code: "invalid-argument" } }]);
    expect(jsonLines(stdout)).toMatchObject([{ question: "How often are keys rotated?" }]);
  });

  it("says that there is no knowledge base, and what its options are", async () => {
    const folder = await makeFolder({});
    expect(await chat(folder, "Anything?\n")).toMatchObject({ code: 1, stdout: "" });
    expect((await callIbid(folder, ["chat", "--help"])).stdout).toContain("ibid chat --json < questions.txt");
    expect((await callIbid(folder, ["chat", "too", "much"])).code).toBe(2);
  });
});

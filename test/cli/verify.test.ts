import { readFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { makeXlsx } from "../readers/make-xlsx.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { bareEnv, callIbid, makeFolder, writeFiles } from "./run-ibid.ts";

const executable = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));
const good = "Signing keys live ninety days [1].\n\n## Sources\n\n1. docs/keys.md: “Signing keys live ninety days.”\n";
const bad =
  "Penguins swim under the ice [1].\nAs it says, “Both keys are lost” [1].\n\n[1]: docs/keys.md\n[2]: docs/none.md\n";
const response = {
  type: "message",
  role: "assistant",
  content: [
    {
      type: "text",
      text: "Signing keys live ninety days.",
      citations: [
        {
          type: "char_location",
          cited_text: "Signing keys live ninety days.",
          document_index: 0,
          document_title: "docs/backup.md",
          start_char_index: 0,
          end_char_index: 30,
        },
      ],
    },
  ],
};

let folder: string;
beforeAll(async () => {
  folder = await makeFolder({
    "docs/keys.md": "# Keys\n\nSigning keys live ninety days. Both keys are logged.\n",
    "docs/backup.md": "Backups run every night at two.\n",
    "good.md": good,
    "bad.md": bad,
    "response.json": JSON.stringify(response),
    "broken.json": '{"type": ',
    "blank.md": " \n",
  });
  await callIbid(folder, ["ingest", "docs"]);
});

describe("ibid verify", () => {
  it("exits 0 for an answer that holds, and says so", async () => {
    const said = await callIbid(folder, ["verify", "good.md"]);
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(said.stdout).toBe(
      "Verified.\n1 claim, 1 supported. 1 quotation, 1 found where the answer says. Judged by words.\n",
    );
  });

  it("exits 3 for any other, with each sentence and quotation that does not hold, and its line", async () => {
    const { code, stdout, stderr } = await callIbid(folder, ["verify", "bad.md"]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
    expect(stdout).toContain("Not verified.\n");
    expect(stdout).toContain("bad.md:1: not supported: Penguins swim under the ice [1].");
    expect(stdout).toContain(
      "quotation not found: “Both keys are lost”\n  The answer names docs/keys.md. No document has these words.",
    );
    expect(stdout).toContain("No document of this name: docs/none.md");
  });

  it("tells words that no source has from those that the source has otherwise", async () => {
    await writeFiles(folder, {
      "docs/pump.md": "The pump runs for four minutes, and the fan runs for nine seconds.\n",
      "pump.md": "The fan runs for four minutes [1].\n\nThe pump runs for six minutes [1].\n\n[1]: docs/pump.md\n",
    });
    await callIbid(folder, ["ingest", "docs"]);
    const { code, stdout } = await callIbid(folder, ["verify", "pump.md"]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/fan runs for four minutes \[1\]\.\n {2}The source has it otherwise: fan\n/u);
    expect(stdout).toMatch(/pump runs for six minutes \[1\]\.\n {2}No source says: six\n/u);
  });

  it("prints the library's object with --json, and reads responses of an API", async () => {
    const { code, stdout } = await callIbid(folder, ["verify", "response.json", "--json"]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      verified: false,
      grounded: true,
      format: "anthropic",
      quotations: [{ status: "found-elsewhere", source: "docs/backup.md", place: { uri: "docs/keys.md", line: 3 } }],
    });
    const people = await callIbid(folder, ["verify", "response.json", "--format", "anthropic"]);
    expect(people.stdout).toContain("The answer names docs/backup.md. The words stand in docs/keys.md:3 (Keys).");
  });

  it("writes a summary in Markdown, to GitHub's file where there is one, in which no text is markup", async () => {
    await writeFiles(folder, {
      "hostile.md":
        "The | ![x](https://evil.example/p.png) <img src=x> @you live ninety days [1].\n\n[1]: docs/keys.md\n",
      "summary.md": "before\n",
    });
    const shown = await callIbid(folder, ["verify", "hostile.md", "--summary"], { GITHUB_STEP_SUMMARY: "" });
    expect(shown.code).toBe(3);
    expect(shown.stdout).toMatch(/^### ❌ Not verified: hostile\.md\n/u);
    expect(shown.stdout).not.toMatch(/!\[|<img|https:\/\/|@you| \| !/u);
    expect(shown.stdout.split("\n").filter((line) => line.startsWith("|"))).toHaveLength(3);
    const file = join(folder, "summary.md");
    const kept = await callIbid(folder, ["verify", "good.md", "--summary"], { GITHUB_STEP_SUMMARY: file });
    expect(kept.stdout).toMatch(/^Verified\./u);
    expect(await readFile(file, "utf8")).toMatch(/^before\n### ✅ Verified: good\.md\n/u);
    const lost = await callIbid(folder, ["verify", "good.md", "--summary"], {
      GITHUB_STEP_SUMMARY: join(folder, "none/summary.md"),
    });
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("GITHUB_STEP_SUMMARY") as unknown });
  });

  it("refuses wrong usage with 2, and a file that is not there with 1", async () => {
    expect(await callIbid(folder, ["verify"])).toMatchObject({ code: 2 });
    expect(await callIbid(folder, ["verify", "blank.md"])).toMatchObject({ code: 2 });
    expect(await callIbid(folder, ["verify", "broken.json"])).toMatchObject({ code: 2 });
    expect(await callIbid(folder, ["verify", "good.md", "--format", "cohere"])).toMatchObject({ code: 2 });
    expect(await callIbid(folder, ["verify", "good.md", "--format", "other"])).toMatchObject({ code: 2 });
    expect(await callIbid(folder, ["verify", "good.md", "--min-support", "2"])).toMatchObject({ code: 2 });
    expect(await callIbid(folder, ["verify", "none.md"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("none.md") as unknown,
    });
  });

  it("sees what its caller may read", async () => {
    await callIbid(folder, ["ingest", "docs/keys.md", "--scope", "team:north"]);
    await writeFiles(folder, { "secret.md": "The vault opens at dawn.\n", "claim.md": "The vault opens at dawn.\n" });
    await callIbid(folder, ["ingest", "secret.md", "--scope", "team:north"]);
    expect(await callIbid(folder, ["verify", "claim.md"])).toMatchObject({ code: 0 });
    expect(await callIbid(folder, ["verify", "claim.md", "--as-user", "ada"])).toMatchObject({ code: 3 });
    expect(await callIbid(folder, ["verify", "claim.md", "--as-user", "ada", "--as-team", "north"])).toMatchObject({
      code: 0,
    });
  });

  it("reads standard input in a pipe, and asks a judge over HTTP [L2]", async () => {
    const judges = ["1: supported 2", "1: unsupported", '{"1":"supported"}', ""];
    await using server = await startOpenAiServer({ chat: (_, before) => judges[before] ?? "" });
    const run = (input: string) =>
      new Promise<{ code: number | null; stdout: string }>((resolve, reject) => {
        const env = { ...bareEnv(folder), OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url };
        const args = [executable, "verify", "-", "--json", "--judge", "openai/test-model"];
        const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
        let stdout = "";
        child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
        child.on("error", reject);
        child.on("close", (code) => resolve({ code, stdout }));
        child.stdin.end(input);
      });
    const text = "Signing keys live ninety days [1].\n\n[1]: docs/keys.md\n";
    const [supported, unsupported, json, nothing] = [
      await run(text),
      await run(text),
      await run(text),
      await run(text),
    ];
    expect(supported.code).toBe(0);
    expect(JSON.parse(supported.stdout)).toMatchObject({ support: { by: "judge", judge: "openai/test-model" } });
    expect(unsupported.code).toBe(3);
    for (const { code, stdout } of [json, nothing]) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ support: { by: "words", judgeFailure: "invalid-response" } });
    }
  });

  it("verifies what ibid ask prints: prose, lists with leads, tables, code, remarks [L2]", async () => {
    const manual =
      "# Vault\n\nThe vault opens at dawn. It closes at dusk, “as it always did”. Nobody has a key at night.\n\n## Rotate\n\n" +
      "To rotate a signing key:\n\n- Open the console of the vault.\n- Press the rotate button twice.\n\n## Code\n\n" +
      "The console takes a command.\n\n```sh\nvaultctl rotate --all\nvaultctl status\n```\n\n## Limits\n\n" +
      "| limit | least | most |\n|---|---|---|\n| sessions a day | 2 | 40 |\n| consoles | 1 | 3 |\n";
    const rota =
      "<table><tr><th>Week</th><th>Cleans</th></tr><tr><td>46</td><td>Ana</td></tr><tr><td>47</td><td>Joon</td></tr></table>";
    const staff = "id,name,phone\n101,Maria Keller,1234\n102,Li Wei,3456\n";
    const own = await makeFolder({
      "manual.md": manual,
      "rota.html": rota,
      "staff.csv": staff,
      "costs.xlsx": makeXlsx([
        {
          name: "Costs",
          rows: [
            ["Host", "2025", "2026"],
            ["atlas", 4200, 3900],
            ["borealis", 1100, 1250],
          ],
        },
      ]),
    });
    await callIbid(own, ["ingest", "."]);
    await using server = await startOpenAiServer({
      chat: "The vault opens at dawn [1]. Nobody has a key at night [1].",
    });
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url };
    const questions = [
      ["When does the vault open?", "[1]"],
      ["How do I rotate a signing key?", "- Press the rotate button twice."],
      ["vaultctl rotate", "```\n[1]"],
      ["sessions a day", "| sessions a day |"],
      ["Who cleans in week 47?", "| Week | Cleans |\n| 47 | Joon |"],
      ["What is the phone of Li Wei?", "102,Li Wei,3456"],
      ["What did atlas cost in 2026?", "Host: atlas | 2025: 4200 | 2026: 3900"],
      ["When does it close?", "These passages may not answer the question:", "--min-relevance", "1"],
      ["When does the vault open?", "Judged by words.", "--model", "openai/test-model"],
    ];
    for (const [question = "", part = "", ...options] of questions) {
      const { code, stdout } = await callIbid(own, ["ask", question, ...options], env);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(part) as string });
      await writeFiles(own, { "answer.md": stdout });
      const verified = await callIbid(own, ["verify", "answer.md"]);
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Verified\./u) as string });
      // A changed number or command is seen.
      for (const [from, to] of [
        ["--all", "--none"],
        ["| 40", "| 41"],
      ] as const) {
        if (!stdout.includes(from)) continue;
        await writeFiles(own, { "answer.md": stdout.replace(from, to) });
        expect(await callIbid(own, ["verify", "answer.md"])).toMatchObject({ code: 3 });
      }
    }
  });

  it("takes no other line for a remark of ibid ask", async () => {
    for (const line of [
      "Supported: the moon is made of cheese.",
      "These passages may not answer the question: the moon is cheese.",
      "Withheld: 1 sentence. The moon is cheese.",
      "- The moon is made of cheese (supported)",
    ]) {
      await writeFiles(folder, { "hidden.md": `Signing keys live ninety days [1].\n\n[1] docs/keys.md\n\n${line}\n` });
      expect(await callIbid(folder, ["verify", "hidden.md"])).toMatchObject({ code: 3 });
    }
  });
});

import { expect, it } from "vitest";
import { callIbid, makeFolder } from "../../cli/run-ibid.ts";

const address = process.env["IBID_TEST_POSTGRES"];

it.skipIf(!address)("a forgotten message stays away from a knowledge base in Postgres", async () => {
  const say = (uuid: string, content: string): string =>
    `${JSON.stringify({ type: "user", uuid, sessionId: "c-1", timestamp: "2026-05-01T10:00:00Z", message: { role: "user", content } })}\n`;
  const cwd = await makeFolder({ "c-1.jsonl": say("u1", "The code is under the mat.") + say("u2", "Paint the shed.") });
  const kb = new URL(address!);
  kb.searchParams.set("schema", `forgotten_${process.pid}`);
  const run = async (...args: string[]) =>
    (await callIbid(cwd, ["memory", ...args, "--kb", kb.href, "--in", "user:ada"])).stdout;
  expect(await run("import", "c-1.jsonl")).toBe("c-1.jsonl  2 added\n");
  expect(await run("forget", "claude-code-c-1-u1")).toContain("words in the files: absent");
  expect(await run("import", "c-1.jsonl")).toBe("c-1.jsonl  1 unchanged, 1 forgotten\n");
  expect(await run("import", "c-1.jsonl", "--again")).toBe("c-1.jsonl  1 added, 1 unchanged\n");
  for (const id of ["u1", "u2"]) await run("forget", `claude-code-c-1-${id}`);
});

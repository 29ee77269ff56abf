import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { callIbid, makeFolder } from "./run-ibid.ts";

it("--history keeps former versions, and --as-of searches, asks, lists and shows them", async () => {
  const cwd = await makeFolder({ "keys.md": "# Keys\n\nA key is valid for ninety days.\n" });
  const run = (...args: string[]) => callIbid(cwd, [...args, "--kb", "kb"]);
  expect(await run("ingest", "keys.md", "--history")).toMatchObject({ code: 0 });
  const then = new Date().toISOString();
  await wait(5);
  writeFileSync(join(cwd, "keys.md"), "# Keys\n\nA key is valid for thirty days.\n");
  writeFileSync(join(cwd, "locks.md"), "# Locks\n\nA lock is oiled each spring.\n");
  // The base remembers the option.
  expect(await run("ingest", "keys.md", "locks.md")).toMatchObject({ code: 0 });
  const past = ["--as-of", then];
  expect((await run("search", "how long is a key valid")).stdout).toContain("thirty days");
  const found = (await run("search", "how long is a key valid", ...past)).stdout;
  expect([found.includes("ninety days"), found.includes("thirty days")]).toEqual([true, false]);
  expect((await run("ask", "How long is a key valid?", ...past)).stdout).toContain("ninety days");
  expect((await run("show", "keys.md", ...past)).stdout).toContain("ninety days");
  expect((await run("list", ...past)).stdout).not.toContain("locks.md");
  expect((await run("show", "keys.md", "--versions")).stdout.trim().split("\n")).toEqual([
    expect.stringMatching(/ to now {2}Keys {2}1 chunk, /u),
    expect.stringMatching(/ to 2\S+Z {2}Keys {2}1 chunk, /u),
  ]);
  expect((await run("restore", "keys.md", ...past)).stdout).toContain("restored ");
  expect((await run("show", "keys.md")).stdout).toContain("ninety days");
  expect((await run("restore", "keys.md", "--as-of", "2001-01-01")).code).toBe(1);
  const early = await run("search", "keys", "--as-of", "soon");
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("as-of")]);
});

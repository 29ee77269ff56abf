import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { runsAll } from "../support/runs.ts";

const executable = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));
const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
const folder = mkdtempSync(join(tmpdir(), "ibid-agents-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function connect(args: readonly string[], cwd = folder) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [executable, "mcp", "--memory", ...args],
    stderr: "pipe",
    cwd,
  });
  const client = new Client({ name: "test-agent", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { text, isError: isError === true, data: structuredContent as Record<string, never> };
  };
  return { client, call, stderr: transport.stderr! };
}

const bytesBelow = (place: string): string =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("");

describe("ibid mcp --memory, by the official client", () => {
  it("refuses a note of ten megabytes and goes on, and ends with its reason at a message that nobody can hold", async () => {
    const { call, stderr } = await connect(["--kb", join(folder, "long"), "--as-user", "ada"]);
    const long = await call("remember", { text: "word ".repeat(2_200_000) });
    expect(long).toMatchObject({ isError: true, text: expect.stringMatching(/text is longer than 65536 characters/u) });
    expect((await call("remember", { text: "The harbour opens at six." })).isError).toBe(false);
    expect((await call("recall", { query: "when does the harbour open" })).text).toContain("opens at six");
    let said = "";
    stderr.on("data", (piece: Buffer) => (said += piece.toString()));
    await expect(call("remember", { text: "x".repeat(34_000_000) })).rejects.toThrow(/closed/u);
    await vi.waitFor(() => expect(said).toContain("A message of the client has more than 33554432 bytes."), 30_000);
  });

  it("remembers, restarts, recalls, supersedes, answers as of before, forgets, and leaves no byte", async () => {
    const kb = join(folder, "kb");
    const args = ["--kb", kb, "--as-user", "ada"];
    const first = await connect(args);
    const one = await first.call("remember", {
      text: "The deploy day is Tuesday, says the quokka.",
      key: "deploy-day",
      file: "ci.yml",
      validFrom: "2026-01-01",
    });
    expect(one).toMatchObject({ isError: false, data: { status: "added" } });
    expect(one.data["note"]).toMatchObject({ by: "ada, test-agent", file: "ci.yml", key: "deploy-day" });
    expect(one.data["note"]?.["session"]).toMatch(/^[0-9a-f-]{36}$/u);
    await first.client.close();

    const second = await connect(args);
    const found = await second.call("recall", { query: "When do we deploy?" });
    expect(found.text).toContain("The deploy day is Tuesday, says the quokka.");
    const two = await second.call("remember", {
      text: "Deploys leave on Thursdays, says the wombat.",
      key: "deploy-day",
    });
    expect(two.data).toMatchObject({
      status: "replaced",
      replaced: { text: "The deploy day is Tuesday, says the quokka." },
    });
    const now = await second.call("recall", { query: "When do we deploy?" });
    expect(now.text).toContain("wombat");
    expect(now.text).not.toContain("quokka");
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const then = await second.call("recall", { query: "When do we deploy?", asOf: yesterday });
    expect(then.text).toContain("quokka");
    expect(then.text).toMatch(/REPLACED by \S+: it holds no longer\./u);
    // A search of the base finds both, and says of the first that it holds no longer.
    const { data } = await second.call("search", { query: "deploy day quokka" });
    const results = data["results"] as unknown as readonly { readonly text: string; readonly replaced?: object }[];
    expect(results.find(({ text }) => text.includes("quokka"))?.replaced).toEqual({
      at: two.data["note"]?.["validFrom"],
      by: two.data["note"]?.["uri"],
    });
    expect(results.find(({ text }) => text.includes("wombat"))?.replaced).toBeUndefined();
    expect((await second.call("list_memories")).data["notes"]).toHaveLength(1);
    expect((await second.call("list_memories", { all: true })).data["notes"]).toHaveLength(2);

    expect(bytesBelow(kb)).toContain("quokka");
    const proof = await second.call("forget", { key: "deploy-day" });
    expect(proof.data).toMatchObject({ files: "absent" });
    expect(proof.text).toContain("no byte of it is left");
    expect((await second.call("recall", { query: "deploy", asOf: yesterday })).text).toBe("0 notes");
    await second.client.close();
    const bytes = bytesBelow(kb);
    for (const word of ["quokka", "wombat"]) expect(bytes.includes(word)).toBe(false);
  });

  it("keeps the notes of a repository by its root, and of another caller apart", async () => {
    const repository = join(folder, "shop");
    mkdirSync(join(repository, ".git"), { recursive: true });
    mkdirSync(join(repository, "src", "deep"), { recursive: true });
    const kb = ["--kb", join(folder, "shared")];
    const inside = await connect(kb, join(repository, "src", "deep"));
    await inside.call("remember", { text: "The shop sells umbrellas." });
    const root = await connect(kb, repository);
    expect((await root.call("recall", { query: "umbrellas" })).text).toContain("The shop sells umbrellas.");
    const outside = await connect(kb);
    expect((await outside.call("recall", { query: "umbrellas" })).text).toBe("0 notes");
    const bob = await connect([...kb, "--as-user", "bob"]);
    expect((await bob.call("recall", { query: "umbrellas" })).text).toBe("0 notes");
  });

  it("loses nothing of two servers that begin and remember at once in an empty folder", async () => {
    const args = ["--kb", join(folder, "fresh"), "--as-user", "ada"];
    const servers = await Promise.all([connect(args), connect(args)]);
    const done = await Promise.all(
      servers.flatMap(({ call }, i) =>
        Array.from({ length: 12 }, async (_, n) => [
          await call("remember", { text: `Fact ${n} of server ${i} stands.`, key: `fact-${i}-${n}` }),
          await call("remember", { text: `Word ${n} of server ${i}.`, key: "shared" }),
          await call("recall", { query: "fact" }),
        ]),
      ),
    );
    expect(done.flat().filter(({ isError }) => isError)).toEqual([]);
    for (const { call } of servers) {
      const listed = (await call("list_memories", { limit: 200 })).data["notes"] as unknown as { key: string }[];
      expect(listed.map(({ key }) => key).toSorted()).toEqual(
        ["shared", ...[0, 1].flatMap((i) => Array.from({ length: 12 }, (_, n) => `fact-${i}-${n}`))].toSorted(),
      );
      expect((await call("list_memories", { key: "shared", all: true, limit: 200 })).data["notes"]).toHaveLength(24);
    }
  });

  if (!runsAll) return;
  it("loses nothing when two processes remember at once", async () => {
    const place = join(folder, "two");
    const program = `
      import { openKnowledgeBase } from ${source("index.node.ts")};
      import { createMemory } from ${source("integrations/memory/index.ts")};
      const kb = await openKnowledgeBase(${JSON.stringify(place)});
      const memory = createMemory(kb);
      const name = process.argv[1];
      for (let i = 0; i < 20; i++) {
        await memory.remember({ text: "Fact " + i + " of " + name + " stands.", key: name + i });
        await memory.remember({ text: "Word " + i + " of " + name + ".", key: "shared" });
      }
      await kb.close();`;
    const run = (name: string) =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, ["--input-type=module", "-e", program, name], {
          stdio: ["ignore", "ignore", "inherit"],
          cwd: fileURLToPath(new URL("../..", import.meta.url)),
        });
        child.on("close", resolve);
      });
    writeFileSync(join(folder, "AGENTS.md"), "# Rules\n\nRun the tests first.\n");
    execFileSync(process.execPath, [
      executable,
      "memory",
      "import",
      "--rules",
      "--in",
      "deployment",
      "--kb",
      place,
      folder,
    ]);
    expect(await Promise.all([run("left"), run("right")])).toEqual([0, 0]);
    const json = execFileSync(process.execPath, [
      executable,
      "memory",
      "list",
      "--all",
      "--in",
      "deployment",
      "--kb",
      place,
      "--json",
    ]);
    const { notes } = JSON.parse(json.toString()) as { notes: { key: string; text: string; supersededBy?: string }[] };
    const own = notes.filter(({ key }) => key !== "shared");
    expect(own.map(({ text }) => text).toSorted()).toEqual(
      ["left", "right"]
        .flatMap((name) => Array.from({ length: 20 }, (_, i) => `Fact ${i} of ${name} stands.`))
        .toSorted(),
    );
    const shared = notes.filter(({ key }) => key === "shared");
    expect(shared).toHaveLength(40);
    expect(shared.filter(({ supersededBy }) => supersededBy === undefined)).toHaveLength(1);
  });
});

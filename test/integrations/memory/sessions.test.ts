import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createMemory, findSessionFiles, importSessions, readSessionFile } from "ibid/memory";

const folder = mkdtempSync(join(tmpdir(), "ibid-sessions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
const lines = (...records: readonly (object | string)[]): string =>
  records.map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`).join("");

const claude = { sessionId: "c-1", cwd: "/shop", gitBranch: "main", version: "2.0.61" };
const claudeText = lines(
  { type: "summary", summary: "Umbrellas", leafUuid: "u-2" },
  {
    ...claude,
    type: "user",
    uuid: "u-1",
    timestamp: "2026-05-01T10:00:00Z",
    message: { role: "user", content: "Why is the umbrella test red?" },
  },
  {
    ...claude,
    type: "assistant",
    uuid: "u-2",
    timestamp: "2026-05-01T10:00:05Z",
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hidden" },
        { type: "text", text: "The rain date is in the past." },
        { type: "tool_use", id: "t", name: "Edit", input: { file_path: "/shop/rain.ts" } },
      ],
    },
  },
  {
    ...claude,
    type: "user",
    uuid: "u-3",
    timestamp: "2026-05-01T10:00:06Z",
    message: { role: "user", content: [{ type: "tool_result", content: "ok" }] },
  },
  "{ broken",
  { type: "hologram", sessionId: "c-1" },
  {
    ...claude,
    type: "user",
    uuid: "u-4",
    timestamp: "2026-05-01T10:01:00Z",
    message: { role: "user", content: `My token is ${["ghp_wWPw5k4aXcaT4fNP0", "UcnZwJUVFk6LO0pINUx"].join("")}` },
  },
);

const codexText = lines(
  {
    timestamp: "2026-05-02T09:00:00Z",
    type: "session_meta",
    payload: { id: "x-1", cwd: "/shop", cli_version: "0.65.0", git: { branch: "dev" } },
  },
  {
    timestamp: "2026-05-02T09:00:01Z",
    type: "response_item",
    payload: {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "<environment_context>…</environment_context>" }],
    },
  },
  {
    timestamp: "2026-05-02T09:00:02Z",
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Rename the parasol module." }] },
  },
  {
    timestamp: "2026-05-02T09:00:03Z",
    type: "response_item",
    payload: { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch\n*** Update File: parasol.ts\n" },
  },
  {
    timestamp: "2026-05-02T09:00:04Z",
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "Renamed it to canopy." }] },
  },
  { timestamp: "2026-05-02T09:00:05Z", type: "event_msg", payload: { type: "token_count" } },
  { timestamp: "2026-05-02T09:00:06Z", type: "response_item", payload: { type: "telepathy" } },
);

function cursorFile(): string {
  const path = join(folder, "state.vscdb");
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
  const put = database.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)");
  const headers = [
    { bubbleId: "b1", type: 1 },
    { bubbleId: "b2", type: 2 },
    { bubbleId: "b3", type: 2 },
    { bubbleId: "b4", type: 9 },
  ];
  put.run(
    "composerData:k-1",
    JSON.stringify({
      _v: 10,
      composerId: "k-1",
      name: "Gutters",
      createdAt: 1_777_800_000_000,
      fullConversationHeadersOnly: headers,
    }),
  );
  put.run("bubbleId:k-1:b1", JSON.stringify({ _v: 3, type: 1, text: "Where do gutters leak?" }));
  put.run(
    "bubbleId:k-1:b2",
    JSON.stringify({ _v: 3, type: 2, text: "At the seam.", createdAt: "2026-05-03T09:00:00Z" }),
  );
  put.run(
    "bubbleId:k-1:b3",
    JSON.stringify({
      _v: 3,
      type: 2,
      text: "",
      toolFormerData: { name: "read_file", rawArgs: '{"target_file":"gutter.ts"}' },
    }),
  );
  put.run("bubbleId:k-1:b4", JSON.stringify({ _v: 99, type: 9, text: "?" }));
  put.run("bubbleId:k-1:b5", "{ broken");
  database.close();
  return path;
}

function opencodeFiles(): string {
  const storage = "storage";
  write(
    `${storage}/message/ses_1/msg_1.json`,
    JSON.stringify({ id: "msg_1", role: "user", time: { created: 1_777_900_000_000 } }),
  );
  write(
    `${storage}/part/msg_1/prt_1.json`,
    JSON.stringify({ id: "prt_1", type: "text", text: "Paint the awning blue." }),
  );
  write(
    `${storage}/message/ses_1/msg_2.json`,
    JSON.stringify({ id: "msg_2", role: "assistant", time: { created: 1_777_900_001_000 } }),
  );
  write(`${storage}/part/msg_2/prt_1.json`, JSON.stringify({ id: "prt_1", type: "text", text: "The awning is blue." }));
  write(
    `${storage}/part/msg_2/prt_2.json`,
    JSON.stringify({ id: "prt_2", type: "tool", tool: "edit", state: { input: { filePath: "awning.css" } } }),
  );
  write(`${storage}/part/msg_2/prt_3.json`, JSON.stringify({ id: "prt_3", type: "smell" }));
  write(`${storage}/message/ses_1/msg_3.json`, "{ broken");
  return write(
    `${storage}/session/p1/ses_1.json`,
    JSON.stringify({ id: "ses_1", title: "Awning", directory: "/shop", time: { created: 1 } }),
  );
}

const recorded = {
  "claude-code": () => write("projects/shop/c-1.jsonl", claudeText),
  codex: () => write("codex/rollout-x-1.jsonl", codexText),
  cursor: cursorFile,
  opencode: opencodeFiles,
};

describe("session files", () => {
  it.each([
    ["claude-code", "/shop/rain.ts", "Edit", [5, 6]],
    ["codex", "parasol.ts", "apply_patch", [7]],
    ["cursor", "gutter.ts", "read_file", [4, 5]],
    ["opencode", "awning.css", "edit", [2, 3]],
  ] as const)(
    "of %s give roles, times, files and tools, and refuse what is broken or new by line",
    async (client, file, tool, refused) => {
      const { messages, problems } = await readSessionFile(recorded[client]());
      expect(messages.slice(0, 2).map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(messages[1]).toMatchObject({ client, files: [file], tools: [tool] });
      for (const { at } of messages) expect(at).toMatch(/^2026-0\d-\d\dT[\d:.]+Z$/u);
      expect(problems.map(({ line = 0 }) => line).toSorted((a, b) => a - b)).toEqual(refused);
    },
  );

  it("are imported once, found by a recall, and left out of the list; a secret is refused by line", async () => {
    const kb = await openKnowledgeBase();
    onTestFinished(() => kb.close());
    const session = await readSessionFile(recorded["claude-code"]());
    const first = await importSessions(kb, session);
    expect(first).toMatchObject({ added: 2, unchanged: 0 });
    expect(first.problems.map(({ line }) => line)).toEqual([5, 6, 7]);
    expect(await importSessions(kb, session)).toMatchObject({ added: 0, unchanged: 2 });
    const memory = createMemory(kb);
    const { notes } = await memory.recall("rain date");
    expect(notes[0]!.note).toMatchObject({
      text: "The rain date is in the past.",
      by: "assistant",
      session: "c-1",
      recordedAt: "2026-05-01T10:00:05.000Z",
      metadata: { client: "claude-code", role: "assistant", files: ["/shop/rain.ts"], tools: ["Edit"], branch: "main" },
    });
    for await (const note of memory.list()) expect(note).toBe("no message is listed");
  });

  it("are found below a folder, and a foreign file is refused", async () => {
    for (const make of [recorded["claude-code"], recorded.codex, recorded.opencode]) make();
    const found = await findSessionFiles(folder);
    expect(found.some((path) => path.endsWith("c-1.jsonl"))).toBe(true);
    expect(found.some((path) => path.endsWith("ses_1.json"))).toBe(true);
    expect(found.some((path) => path.endsWith("msg_1.json"))).toBe(false);
    for (const foreign of [write("a.jsonl", "hello\n"), write("b.jsonl", '{"a":1}\n'), write("c.jsonl", "")])
      await expect(readSessionFile(foreign)).rejects.toMatchObject({ code: "unsupported-media" });
    await expect(findSessionFiles(join(folder, "nowhere"))).rejects.toMatchObject({ code: "not-found" });
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

function cursorFile(name = "state.vscdb"): string {
  const path = join(folder, name);
  rmSync(path, { force: true });
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
  const put = database.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)");
  const headers = [
    { bubbleId: "b1", type: 1 },
    { bubbleId: "b2", type: 2 },
    { bubbleId: "b3", type: 2 },
    { bubbleId: "b4", type: 9 },
    { bubbleId: "b6", type: 2 },
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
  // A version that keeps its words in another place.
  put.run("bubbleId:k-1:b6", JSON.stringify({ _v: 99, type: 2, words: "The seam is sealed." }));
  put.run("composerData:k-2", JSON.stringify({ _v: 99, createdAt: 1_777_800_000_000, turns: ["?"] }));
  put.run("composerData:k-3", "null");
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

/** The database of opencode since version 1.2, with the tables and columns that are read. */
function opencodeDatabase(name = "opencode.db"): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT NOT NULL, title TEXT NOT NULL, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER, data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, data TEXT NOT NULL);
  `);
  const put = (table: string, ...values: readonly (string | number)[]) =>
    database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?").join(", ")})`).run(...values);
  const message = (id: string, data: object | string) =>
    put("message", id, "ses_2", 1, typeof data === "string" ? data : JSON.stringify(data));
  const part = (id: string, of: string, data: object | string) =>
    put("part", id, of, "ses_2", typeof data === "string" ? data : JSON.stringify(data));
  put("session", "ses_2", "/shop", "Awning", 1);
  message("msg_1", { role: "user", time: { created: 1_777_900_000_000 } });
  part("prt_1", "msg_1", { type: "text", text: "Paint the awning blue." });
  part("prt_2", "msg_1", { type: "text", text: "The file awning.css says …", synthetic: true });
  message("msg_2", { role: "assistant", time: { created: 1_777_900_001_000 } });
  part("prt_3", "msg_2", { type: "step-start" });
  part("prt_4", "msg_2", { type: "tool", tool: "edit", state: { input: { filePath: "awning.css" } } });
  part("prt_5", "msg_2", { type: "text", text: "The awning is blue." });
  part("prt_6", "msg_2", { type: "smell" });
  message("msg_3", "{ broken");
  message("msg_4", { role: "oracle", time: { created: 1_777_900_002_000 } });
  database.close();
  return path;
}

const recorded = {
  "claude-code": () => write("projects/shop/c-1.jsonl", claudeText),
  codex: () => write("codex/rollout-x-1.jsonl", codexText),
  cursor: cursorFile,
  opencode: opencodeFiles,
  "opencode 1.2": opencodeDatabase,
};

describe("session files", () => {
  it.each([
    ["claude-code", "/shop/rain.ts", "Edit", ["5", "6"]],
    ["codex", "parasol.ts", "apply_patch", ["7"]],
    ["cursor", "gutter.ts", "read_file", ["bubbleId:k-1:b4", "bubbleId:k-1:b5", "bubbleId:k-1:b6", "composerData:k-2"]],
    ["opencode", "awning.css", "edit", ["3", "msg_2"]],
    ["opencode 1.2", "awning.css", "edit", ["msg_2", "msg_3", "msg_4"]],
  ] as const)(
    "of %s give roles, times, files and tools, and refuse what is broken or new by line or row",
    async (name, file, tool, refused) => {
      const { messages, problems } = await readSessionFile(recorded[name]());
      expect(messages.map(({ role }) => role).slice(0, 2)).toEqual(["user", "assistant"]);
      const [client] = name.split(" ");
      expect(messages[1]).toMatchObject({ client, files: [file], tools: [tool] });
      for (const { at } of messages) expect(at).toMatch(/^2026-0\d-\d\dT[\d:.]+Z$/u);
      expect(problems.map(({ line, row }) => row ?? String(line)).toSorted()).toEqual(refused);
    },
  );

  it("of Codex 0.171 have records without words, which are no faults", async () => {
    const at = "2026-11-28T23:28:37Z";
    const item = (type: string, more: object = {}) => ({
      timestamp: at,
      type: "response_item",
      payload: { type, ...more },
    });
    const said = (role: string, text: string) => item("message", { role, content: [{ type: "text", text }] });
    const text = lines(
      { timestamp: at, ordinal: 0, type: "session_meta", payload: { session_id: "x-2", id: "x-2", cwd: "/shop" } },
      { timestamp: at, ordinal: 1, type: "world_state", payload: { full: true, state: { agents_md: {} } } },
      said("user", "Find the gazebo."),
      item("tool_search_call", { execution: "client" }),
      item("tool_search_output", { tools: [] }),
      said("assistant", "It is behind the hedge."),
      { timestamp: at, type: "token_usage_record", payload: { thread_id: "x-2" } },
      { timestamp: at, type: "security_risk_score", payload: {} },
      item("image_generation_call"),
      item("context_compaction"),
      { timestamp: at, type: "inter_agent_communication", payload: { text: "Go on." } },
    );
    const { messages, problems } = await readSessionFile(write("codex/rollout-x-2.jsonl", text));
    expect(messages.map(({ role, text: words, tools }) => [role, words, tools])).toEqual([
      ["user", "Find the gazebo.", []],
      ["assistant", "It is behind the hedge.", ["tool_search"]],
    ]);
    expect(problems.map(({ line }) => line)).toEqual([11]);
  });

  it("of Cursor in 2026 have heads in a table of their own, with title, time, folder, branch and sub-agents", async () => {
    const path = join(folder, "heads.vscdb");
    const database = new DatabaseSync(path);
    database.exec(
      `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
       CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
       CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER,
         isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT)`,
    );
    const row = database.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)");
    const put = (key: string, value: object): void => void row.run(key, Buffer.from(JSON.stringify(value)));
    const head = database.prepare("INSERT INTO composerHeaders VALUES (?, 'w-1', ?, ?, 0, ?, 0, NULL, ?)");
    const begun = Date.UTC(2026, 6, 20, 10);
    const heads = {
      "p-1": {
        type: "head",
        name: "Trellis",
        unifiedMode: "agent",
        workspaceIdentifier: { id: "w-1", uri: { fsPath: "/garden", scheme: "file" } },
        trackedGitRepos: [{ repoPath: "/garden", branches: [{ branchName: "ivy" }] }],
      },
      "p-2": { type: "head", name: "Sub-agent", subagentInfo: { parentComposerId: "p-1" } },
    };
    for (const [id, value] of Object.entries(heads))
      head.run(id, begun, begun, Number(id === "p-2"), JSON.stringify(value));
    head.run("p-3", begun, begun, 0, "{ broken");
    const listed = (...ids: string[]) => ({
      _v: 17,
      modelConfig: { modelName: "some-model" },
      fullConversationHeadersOnly: ids.map((bubbleId) => ({
        bubbleId,
        type: 1,
        createdAt: "2026-07-20T10:00:09.000Z",
        grouping: { isRenderable: true },
      })),
    });
    const bubble = (id: string, fields: object): void => put(`bubbleId:${id}`, { _v: 3, ...fields });
    put("composerData:p-1", listed("b1", "b2", "b3", "b4", "b5", "pruned"));
    bubble("p-1:b1", { type: 1, text: "Where does the ivy climb?", createdAt: "2026-07-20T10:00:05.000Z" });
    bubble("p-1:b2", { type: 2, text: "", capabilityType: 30, thinking: { text: "Hm.", signature: "s" } });
    const called = { name: "edit_file_v2", status: "completed", params: '{"relativeWorkspacePath":"trellis.ts"}' };
    bubble("p-1:b3", { type: 2, text: "", capabilityType: 15, toolFormerData: called });
    bubble("p-1:b4", { type: 2, text: "", capabilityType: 22 });
    bubble("p-1:b5", { type: 2, text: "Up the trellis." });
    put("composerData:p-2", listed("b6"));
    bubble("p-2:b6", { type: 1, text: "Look for ivy.", createdAt: "2026-07-20T10:00:06.000Z" });
    put("composerData:p-3", listed("b7"));
    bubble("p-3:b7", { type: 1, text: "Who is there?", createdAt: "2026-07-20T10:00:07.000Z" });
    put("agentKv:blob:1", { role: "user", content: "not a message" });
    database.close();
    const { messages, problems } = await readSessionFile(path);
    expect(
      messages.map(({ session, role, at, text, tools, files }) => [session, role, at, text, tools, files]),
    ).toEqual([
      ["p-1", "user", "2026-07-20T10:00:05.000Z", "Where does the ivy climb?", [], []],
      ["p-1", "assistant", "2026-07-20T10:00:09.000Z", "Up the trellis.", ["edit_file_v2"], ["trellis.ts"]],
      ["p-2", "assistant", "2026-07-20T10:00:06.000Z", "Look for ivy.", [], []],
      ["p-3", "user", "2026-07-20T10:00:07.000Z", "Who is there?", [], []],
    ]);
    expect(messages[0]).toMatchObject({ title: "Trellis", cwd: "/garden", branch: "ivy" });
    expect(problems.map(({ row: key }) => key)).toEqual(["composerHeaders:p-3"]);
  });

  it("of Claude Code give words of persons and models alone, each as the words of its author", async () => {
    let n = 0;
    const record = (type: string, content: unknown, more: object = {}) => ({
      ...claude,
      type,
      uuid: `w-${++n}`,
      timestamp: `2026-05-03T10:00:${String(n).padStart(2, "0")}Z`,
      message: { role: type, content },
      ...more,
    });
    const queued = (attachment: object) => record("attachment", "", { message: undefined, attachment });
    const command = (name: string, args: string): string =>
      `<command-name>/${name}</command-name>\n<command-message>${name}</command-message>\n<command-args>${args}</command-args>`;
    const path = write(
      "projects/shop/c-2.jsonl",
      lines(
        record("user", command("clear", "")),
        record("user", command("review", "the gutter module")),
        record("user", "<local-command-stdout>Cleared.</local-command-stdout>"),
        record("user", "<bash-input>ls</bash-input>"),
        record("user", "[Request interrupted by user for tool use]"),
        record("user", "A caveat.", { isMeta: true }),
        record("user", "This session is being continued.", { isCompactSummary: true }),
        record("assistant", [{ type: "text", text: "API Error: 529" }], { isApiErrorMessage: true }),
        record("user", "An agent has ended.", { origin: { kind: "task-notification" } }),
        record("user", "Search for gutters.", { isSidechain: true }),
        record("user", [
          { type: "text", text: "<ide_opened_file>gutter.ts</ide_opened_file>" },
          { type: "text", text: "Why does it leak?" },
        ]),
        queued({ type: "queued_command", commandMode: "prompt", prompt: "And paint it." }),
        queued({ type: "queued_command", commandMode: "prompt", prompt: "Done.", origin: { kind: "agent" } }),
        queued({ type: "todo_reminder", content: [] }),
        record("assistant", [{ type: "text", text: "<bash-input> is a tag." }]),
      ),
    );
    const { messages, problems } = await readSessionFile(path);
    expect(problems).toEqual([]);
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ["user", "the gutter module"],
      ["assistant", "Search for gutters."],
      ["user", "Why does it leak?"],
      ["user", "And paint it."],
      ["assistant", "<bash-input> is a tag."],
    ]);
  });

  it.each(["cursor", "opencode", "opencode 1.2"] as const)(
    "of %s are imported once, also where other conversations come before them",
    async (name) => {
      const kb = await openKnowledgeBase();
      onTestFinished(() => kb.close());
      const path = recorded[name]();
      const again = async () => importSessions(kb, await readSessionFile(path));
      expect(await again()).toMatchObject({ added: 2, updated: 0, unchanged: 0 });
      expect(await again()).toMatchObject({ added: 0, updated: 0, unchanged: 2 });
      if (name === "opencode") return;
      const database = new DatabaseSync(path);
      if (name === "cursor") {
        const put = database.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)");
        const header = { createdAt: 1_777_800_000_000, fullConversationHeadersOnly: [{ bubbleId: "a1" }] };
        put.run("composerData:a-1", JSON.stringify(header));
        put.run("bubbleId:a-1:a1", JSON.stringify({ type: 1, text: "Which roof?" }));
      } else {
        database.exec(`
          INSERT INTO session VALUES ('ses_1', '/shop', 'Roof', 1);
          INSERT INTO message VALUES ('msg_0', 'ses_1', 1, '{"role":"user","time":{"created":1777800000000}}');
          INSERT INTO part VALUES ('prt_0', 'msg_0', 'ses_1', '{"type":"text","text":"Which roof?"}');
        `);
      }
      database.close();
      expect(await again()).toMatchObject({ added: 1, updated: 0, unchanged: 2 });
    },
  );

  it("of a database are read while another program writes, and a broken one is refused", async () => {
    const path = opencodeDatabase("busy/opencode.db");
    const writer = new DatabaseSync(path);
    onTestFinished(() => writer.close());
    writer.exec('BEGIN IMMEDIATE; UPDATE part SET data = \'{"type":"text","text":"Not yet."}\'');
    expect((await readSessionFile(path)).messages.map(({ text }) => text)).toEqual([
      "Paint the awning blue.",
      "The awning is blue.",
    ]);
    const broken = write("broken/state.vscdb", "");
    const bytes = readFileSync(cursorFile("whole.vscdb"));
    writeFileSync(broken, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 7)]));
    await expect(readSessionFile(broken)).rejects.toMatchObject({ code: "unreadable" });
    const other = join(folder, "other.db");
    new DatabaseSync(other).exec("CREATE TABLE session (id TEXT)");
    await expect(readSessionFile(other)).rejects.toMatchObject({ code: "unsupported-media" });
  });

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
    rmSync(join(folder, "opencode.db"), { force: true });
    const found = await findSessionFiles(folder);
    expect(found.some((path) => path.endsWith("c-1.jsonl"))).toBe(true);
    expect(found.some((path) => path.endsWith("ses_1.json"))).toBe(true);
    expect(found.some((path) => path.endsWith("msg_1.json"))).toBe(false);
    // Since version 1.2 the database has the sessions of the files too.
    const database = opencodeDatabase();
    const since = await findSessionFiles(folder);
    expect(since).toContain(database);
    expect(since.some((path) => path.endsWith("ses_1.json"))).toBe(false);
    rmSync(database);
    for (const foreign of [write("a.jsonl", "hello\n"), write("b.jsonl", '{"a":1}\n'), write("c.jsonl", "")])
      await expect(readSessionFile(foreign)).rejects.toMatchObject({ code: "unsupported-media" });
    await expect(findSessionFiles(join(folder, "nowhere"))).rejects.toMatchObject({ code: "not-found" });
  });
});

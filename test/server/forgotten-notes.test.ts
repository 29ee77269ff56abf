import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { startService } from "../../src/server/index.node.ts";
import { hashParts } from "../../src/runtime/hash.ts";
import { keys, send, type Sent } from "./service.ts";

const statement = { text: "The zebra code word is Quagga17.", key: "code" };

/** A service over files, ada's requests to it by HTTP and by MCP, and the bytes that are left when it has ended. */
async function serveFiles() {
  const folder = mkdtempSync(join(tmpdir(), "ibid-forgotten-"));
  const kb = await openKnowledgeBase(folder);
  const service = await startService(kb, { keys: Object.values(keys), port: 0, mcp: { memory: {} } });
  const end = async (): Promise<void> => {
    await service.stop();
    await kb.close();
  };
  onTestFinished(async () => {
    await end();
    rmSync(folder, { recursive: true });
  });
  const http = async (path: string, sent: Sent = {}) =>
    (await send(service.url, path, { key: keys.ada.key, ...sent })).json as Record<string, unknown>;
  const mcp = async (name: string, args: Record<string, unknown>) => {
    const client = new Client({ name: "agent", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${keys.ada.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("mcp", service.url), { requestInit }));
    const { content, structuredContent } = await client.callTool({ name, arguments: args });
    await client.close();
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { text, data: structuredContent as Record<string, unknown> };
  };
  const bytes = (): string =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join("");
  return { folder, kb, end, http, mcp, bytes };
}

const forgetByHttp = { method: "DELETE" } as const;

describe("a note that its owner forgets over HTTP", () => {
  it("is proved to be gone, to a key of one's own and to a client of MCP", async () => {
    const { http, mcp, bytes, end } = await serveFiles();
    await http("/notes", { body: statement });
    await http("/notes", { body: { text: "The zebra code word is Okapi42.", key: "code" } });
    await mcp("remember", { text: "The lamp of the wombat is in the attic.", key: "lamp" });
    expect(bytes()).toContain("wombat");
    const proof = await http("/note?key=code", forgetByHttp);
    expect(proof).toMatchObject({ notes: [{}, {}], files: "absent", searched: "ids" });
    expect(proof).not.toHaveProperty("pending");
    const said = await mcp("forget", { key: "lamp" });
    expect(said.data).toMatchObject({ notes: [{}], files: "absent", searched: "ids" });
    expect(said.text).toContain("no byte of it is left");
    await end();
    for (const word of ["Quagga17", "quagga17", "Okapi42", "okapi42", "wombat"]) expect(bytes()).not.toContain(word);
  });

  it("is said to be in the files while a reader holds an old state of them", async () => {
    const { folder, http } = await serveFiles();
    await http("/notes", { body: statement });
    const reader = new DatabaseSync(join(folder, "ibid.sqlite"));
    onTestFinished(() => reader.close());
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM chunks").get();
    expect(await http("/note?key=code", forgetByHttp)).toMatchObject({ files: "present", pending: true });
  });

  it("is found by its id wherever that is left, in bytes or in digits", async () => {
    const { folder, http } = await serveFiles();
    for (const form of ["unhex(?)", "?"]) {
      const { note } = (await http("/notes", { body: statement })) as { note: { uri: string; scope: string } };
      const database = new DatabaseSync(join(folder, "ibid.sqlite"));
      const id = hashParts(note.scope, note.uri);
      database.prepare(`INSERT OR REPLACE INTO settings VALUES ('left by a fault', ${form})`).run(id);
      database.close();
      expect(await http("/note?key=code", forgetByHttp)).toMatchObject({ files: "present", searched: "ids" });
    }
  });

  it("tells nothing of a note of others with the same uri and words", async () => {
    const { kb, http } = await serveFiles();
    const proofs = [];
    for (const isSame of [true, false]) {
      const { note } = (await http("/notes", { body: statement })) as { note: { uri: string; text: string } };
      const uri = isSame ? note.uri : `${note.uri}-other`;
      await kb.ingest({ uri, text: note.text, mediaType: "text/plain" }, { scope: "team:umbrella" });
      const { files, searched } = await http("/note?key=code", forgetByHttp);
      proofs.push([files, searched]);
    }
    expect(proofs).toEqual([
      ["absent", "ids"],
      ["absent", "ids"],
    ]);
  });
});

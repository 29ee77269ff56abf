import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IbidError, openKnowledgeBase } from "ibid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callIbid } from "../cli/run-ibid.ts";
import { type OpenAiServer, startOpenAiServer } from "../support/openai-server.ts";

let folder: string;
let server: OpenAiServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ibid-recorded-"));
  writeFileSync(join(folder, "keys.md"), "# Keys\n\nKeys rotate every ninety days.\n");
  server = await startOpenAiServer({ embeddings: 8 });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a folder that the command line filled with a model", () => {
  it("is opened by a program with the name, the dimensions and the option in every message; the name opens it", async () => {
    const name = `openai-compatible/bge-m3@${server.url}`;
    expect((await callIbid(folder, ["ingest", "keys.md", "--embedding-model", name])).code).toBe(0);
    const sent = server.requests.length;

    const bare = await openKnowledgeBase(join(folder, ".ibid"));
    const hint = expect.stringContaining(`models: { embedding: "${name}" } (8 dimensions)`) as string;
    const warning = expect.objectContaining({ code: "other-embedding-model", hint }) as object;
    const hits = await bare.search("rotate keys");
    expect(hits.map(({ source }) => source.uri)).toEqual(["keys.md"]);
    expect(hits.warnings).toEqual([warning]);
    expect((await bare.status()).warnings).toEqual([warning]);
    await expect(bare.search("rotate keys", { mode: "dense" })).rejects.toMatchObject({ code: "unsupported", hint });
    await bare.close();
    // A file names the model; a program that does not name it sends no text anywhere.
    expect(server.requests.length).toBe(sent);

    const named = await openKnowledgeBase(join(folder, ".ibid"), { models: { embedding: name } });
    expect((await named.search("rotate keys", { mode: "dense" })).warnings ?? []).toEqual([]);
    expect((await named.status()).warnings ?? []).toEqual([]);
    await named.close();
  });

  it("is named without user, password and query of an address; a broken record is no obstacle", async () => {
    const name = `openai-compatible/bge-m3@${server.url}`;
    await callIbid(folder, ["ingest", "keys.md", "--embedding-model", name]);
    const record = join(folder, ".ibid", "models.json");
    const secret = name.replace("://", "://ada:hunter2@").concat("?key=hunter3");
    writeFileSync(record, readFileSync(record, "utf8").replace(name, secret));
    const hintOf = async (): Promise<string> => {
      const kb = await openKnowledgeBase(join(folder, ".ibid"));
      try {
        const error = await kb.search("keys", { mode: "dense" }).catch((thrown: unknown) => thrown as IbidError);
        return JSON.stringify([
          error,
          (error as IbidError).hint,
          await kb.status(),
          (await kb.search("keys")).warnings,
        ]);
      } finally {
        await kb.close();
      }
    };
    const said = await hintOf();
    expect(said).toContain(name);
    expect(said).not.toMatch(/hunter|ada/u);

    writeFileSync(record, "{");
    expect(await hintOf()).toContain("openai-compatible/bge-m3");
  });
});

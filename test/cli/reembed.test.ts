import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenAiServer, startOpenAiServer } from "../support/openai-server.ts";
import { callIbid, type Finished, jsonLines } from "./run-ibid.ts";

let cwd = "";
let server: OpenAiServer;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "ibid-reembed-"));
  server = await startOpenAiServer({ embeddings: 4 });
  for (const name of ["lamp", "rope", "keel"])
    await writeFile(join(cwd, `${name}.txt`), `The ${name} is where it always was.`);
  await run(["ingest", "lamp.txt", "rope.txt", "keel.txt"], "old");
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true });
});

const run = (args: readonly string[], model: string, former?: string): Promise<Finished> =>
  callIbid(
    cwd,
    [
      ...args,
      "--embedding-model",
      `openai-compatible/${model}`,
      ...(former === undefined ? [] : ["--former-embedding-model", `openai-compatible/${former}`]),
    ],
    { OPENAI_COMPATIBLE_BASE_URL: server.url },
  );
const sentTo = (model: string): number =>
  server.requests
    .filter(({ body }) => body["model"] === model)
    .reduce((sum, { body }) => sum + [body["input"]].flat().length, 0);

describe("ibid reembed", () => {
  it("estimates and sends nothing, embeds each chunk once, and leads back [T3 T44]", async () => {
    const asked = server.requests.length;
    const estimate = await run(["reembed", "--estimate", "--price", "0.02"], "new", "old");
    expect([estimate.code, estimate.stderr]).toEqual([0, ""]);
    expect(estimate.stdout).toMatch(/3 chunks to embed, about \d+ tokens/);
    expect(estimate.stdout).toMatch(/In all 3 chunks, about \d+ tokens, 0/);
    // How long its vectors are is known from an answer alone.
    expect(server.requests.length - asked).toBeLessThanOrEqual(1);

    const before = sentTo("new");
    const whole = await run(["reembed", "--json"], "new", "old");
    expect(whole.code).toBe(0);
    const summary = jsonLines(whole.stdout).at(-1);
    expect(summary).toMatchObject({
      chunks: 3,
      scopes: [{ scope: "deployment", embedded: 3, failed: 0, changed: true }],
    });
    expect(sentTo("new") - before).toBeLessThanOrEqual(4);
    expect((await run(["reembed"], "new", "old")).stdout).not.toContain("embedded 3");

    const again = await run(["ingest", "lamp.txt", "rope.txt", "keel.txt", "--json"], "new", "old");
    expect(jsonLines(again.stdout).at(-1)).toMatchObject({ summary: { unchanged: 3, embedded: 0 } });

    const back = await run(["reembed", "--rollback"], "new", "old");
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining("searches use openai-compatible/old")]);
  });

  it("says what it was not told, and what cannot be", async () => {
    const none = await callIbid(cwd, ["reembed"]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--embedding-model")]);
    const both = await run(["reembed", "--estimate", "--rollback"], "new");
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("cannot be used with")]);
    expect((await run(["reembed", "--price", "free"], "new")).code).toBe(2);
    const early = await run(["reembed", "--rollback"], "old");
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("rollback")]);
  });
});

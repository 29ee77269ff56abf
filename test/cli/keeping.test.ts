import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openIngestionQueue } from "../../src/ingest/index.node.ts";
import { callIbid } from "./run-ibid.ts";

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "ibid-keeping-"));
  await writeFile(join(cwd, "lamp.txt"), "The silver lantern hangs in the hall.");
  await writeFile(join(cwd, "rope.txt"), "The rope is coiled.");
  await callIbid(cwd, ["ingest", "lamp.txt", "rope.txt"]);
});
afterEach(() => rm(cwd, { recursive: true }));

const json = async (...args: string[]) => {
  const { code, stdout } = await callIbid(cwd, [...args, "--json"]);
  return [code, JSON.parse(stdout === "" ? "null" : stdout) as unknown] as const;
};

describe("keeping and forgetting on the command line", () => {
  it("a delete is taken back until it is vacuumed [T13 T14]", async () => {
    await callIbid(cwd, ["delete", "lamp.txt"]);
    expect(await json("restore", "./lamp.txt")).toEqual([
      0,
      { restored: [{ uri: "lamp.txt", scope: "deployment", chunks: 1 }] },
    ]);
    await callIbid(cwd, ["delete", "lamp.txt"]);
    expect(await json("vacuum")).toEqual([0, { vacuumed: 0, pending: false }]);
    expect(await json("vacuum", "--older-than", "0s")).toEqual([0, { vacuumed: 1, pending: false }]);
    const { code, stderr } = await callIbid(cwd, ["restore", "lamp.txt"]);
    expect(code).toBe(1);
    expect(stderr).toContain("no deleted document");
    expect((await callIbid(cwd, ["vacuum", "--older-than", "soon"])).code).toBe(2);
    expect((await callIbid(cwd, ["vacuum", "--as-team", "a"])).code).toBe(1);
  });

  it("a purge that a reader holds up says pending, and the next command after the reader finishes it [L8 T15]", async () => {
    const reader = new DatabaseSync(join(cwd, ".ibid/ibid.sqlite"));
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM chunks").get();
    expect(await json("delete", "lamp.txt", "--purge")).toEqual([
      0,
      { deleted: [{ uri: "lamp.txt", scope: "deployment", chunks: 1, pending: true }] },
    ]);
    const [code, diagnosis] = await json("doctor", "--absent", "The silver lantern hangs");
    expect(code).toBe(1);
    expect(diagnosis).toMatchObject({ healthy: false });
    reader.close();
    const after = await callIbid(cwd, ["doctor", "--absent", "The silver lantern hangs"]);
    expect(after.stdout).toMatch(/^healthy/u);
    expect(after.stdout).toContain("absent  no document and no file has the text\n");
    expect(after.code).toBe(0);
  });

  it("the doctor calls no text absent that a document has, in the trash too [L8]", async () => {
    const look = (): ReturnType<typeof callIbid> => callIbid(cwd, ["doctor", "--absent", "The silver lantern hangs"]);
    const held = { code: 1, stdout: expect.stringContaining("held  a document has the text; it stands") as string };
    expect(await look()).toMatchObject(held);
    await callIbid(cwd, ["delete", "lamp.txt"]);
    expect(await look()).toMatchObject(held);
    expect(await json("doctor", "--absent", "The silver lantern hangs")).toMatchObject([1, { sought: ["held"] }]);
  });

  it("a purge takes what failed in the queue and never became a document [L8 T43]", async () => {
    const place = join(cwd, ".ibid");
    const kb = await openKnowledgeBase(place);
    const queue = await openIngestionQueue(kb, place, { retry: { attempts: 1 } });
    const bytes = new TextEncoder().encode("%PDF-1.7 zzyzxqvlw");
    const id = await queue.enqueueWhenRoom({ uri: "damaged.pdf", bytes });
    expect((await queue.done(id)).state).toBe("failed");
    await queue.close();
    await kb.close();
    const traces = ["--absent", "zzyzxqvlw", "--absent", "damaged.pdf"];
    expect((await callIbid(cwd, ["doctor", ...traces])).code).toBe(1);
    expect((await callIbid(cwd, ["delete", "damaged.pdf"])).code).toBe(1);
    expect((await callIbid(cwd, ["delete", "damaged.pdf", "--purge", "--as-user", "ada"])).code).toBe(1);
    const { code, stdout } = await callIbid(cwd, ["delete", "damaged.pdf", "--purge"]);
    expect([code, stdout]).toEqual([0, "forgot 1 job of damaged.pdf in the queue\n"]);
    expect((await callIbid(cwd, ["doctor", ...traces])).stdout).toMatch(/^healthy/u);
    expect((await callIbid(cwd, ["delete", "damaged.pdf", "--purge"])).code).toBe(1);
  });

  it("the doctor says what is wrong, and repairs it", async () => {
    const database = new DatabaseSync(join(cwd, ".ibid/ibid.sqlite"));
    database.exec("DELETE FROM pending; DELETE FROM files; DELETE FROM segments");
    database.close();
    const before = await callIbid(cwd, ["doctor"]);
    expect(before.code).toBe(1);
    expect(before.stdout).toContain("unindexed in deployment: Chunks are not in the index. (2)");
    expect(before.stdout).toContain("ibid doctor --fix");
    const fixed = await callIbid(cwd, ["doctor", "--fix"]);
    expect(fixed.stdout).toContain("Fixed.");
    expect(fixed.code).toBe(0);
    expect((await json("search", "lantern"))[1]).toMatchObject({
      hits: [{ text: "The silver lantern hangs in the hall." }],
    });
  });
});

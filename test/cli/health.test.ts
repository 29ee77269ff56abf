import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openKnowledgeBase } from "../../src/index.node.ts";
import { callIbid, runIbid, writeFiles } from "./run-ibid.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-health-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  await writeFiles(folder, { "a.txt": "The heron waits by the river.", "b.txt": "An otter swims in the river." });
  await callIbid(folder, ["ingest", "a.txt", "b.txt"]);
});

describe("ibid status --health", () => {
  it("sees what other processes did within the minute, and those that are still open [T54]", async () => {
    const open = await openKnowledgeBase(join(folder, ".ibid"));
    await open.search("river");
    await runIbid(folder, ["search", "tides of Saturn", "--mode", "lexical"]);
    const { code, stdout } = await callIbid(folder, ["status", "--health", "--json"]);
    await open.close();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      windowSeconds: 60,
      retrieval: { count: expect.any(Number), empty: 1 },
      flush: { count: 2, p95Ms: expect.any(Number) },
      queue: { depth: 0, rejected: 0 },
      ingestion: { indexed: 2, failed: 0 },
    });

    const shown = await callIbid(folder, ["status", "--health"]);
    expect(shown.stdout.replaceAll(/[\d.,]+ ms/gu, "N ms").split("\n")).toEqual([
      "window        the last 60 seconds, every process",
      "searches      2 searches: N ms on average, N ms at the 95th percentile",
      "              1 found evidence, 0 missed, 1 found nothing",
      "              nothing: no document has a word of the query, or a filter or the scopes leave none",
      "embeddings    none",
      "              0 % of the texts from the cache",
      "writes        2 writes: N ms on average, N ms at the 95th percentile",
      "queue         0 waiting, 0 refused",
      "ingestion     2 chunks indexed, 0 documents failed",
      "re-embedding  0 chunks done, 0 chunks failed",
      "",
    ]);
  });

  it("is for the operator [L3 T54]", async () => {
    const { code, stderr } = await callIbid(folder, ["status", "--health", "--as-user", "ada"]);
    expect(code).toBe(1);
    expect(stderr).toContain("Only the operator");
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openIngestionQueue } from "../../src/ingest/index.node.ts";
import { createHashingModel } from "../../src/models/index.node.ts";
import { documentsOf, linesHandler, readUntil, slowly, type Reading } from "../support/load-world.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-load-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("while others ingest and re-embed", () => {
  it("readers see whole document sets, of one version each [L6 L7 L8 T3]", async () => {
    const count = 40;
    const handlers = [linesHandler];
    const old = createHashingModel({ dimensions: 64 });
    const first = await openKnowledgeBase(folder, { reading: { handlers }, models: { embedding: old } });
    await first.ingest(documentsOf(count, 0));
    await first.close();

    const embeddingModel = slowly(createHashingModel({ dimensions: 128 }), 2);
    const kb = await openKnowledgeBase(folder, {
      reading: { handlers },
      models: { embedding: embeddingModel, formerEmbeddings: [old] },
    });
    const reading: Reading = { took: [], broken: [], versions: new Set() };
    let isOver = false;
    const readers = [0, 1, 2].map((start) => readUntil(kb, count, () => isOver, reading, start));
    await Promise.all([kb.ingest(documentsOf(count, 1)), kb.reembed({ batchSize: 16 })]);
    await kb.ingest(documentsOf(count, 2));
    isOver = true;
    await Promise.all(readers);
    expect(reading.broken).toEqual([]);
    expect(reading.versions.size).toBeGreaterThan(1);
    expect((await kb.doctor()).healthy).toBe(true);
    await kb.close();
  });
});

describe("a burst before a queue", () => {
  it("is bounded, is told what did not fit, and loses none [T42 L9]", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: null } });
    const queue = await openIngestionQueue(kb, undefined, { capacity: 100, pollMs: 5 });
    let most = 0;
    let refused = 0;
    const texts = Array.from({ length: 400 }, (_, i) => ({ uri: `${i}.txt`, text: `Number ${i}.` }));
    for (const text of texts) {
      if ((await queue.enqueue(text)) === false) {
        refused++;
        await queue.enqueueWhenRoom(text);
      }
      most = Math.max(most, (await queue.depth()).depth);
    }
    await queue.drained();
    expect(most).toBeLessThanOrEqual(100);
    expect(refused).toBeGreaterThan(0);
    expect(await queue.depth()).toMatchObject({ depth: 0, indexed: 400, failed: 0, rejected: refused, bytes: 0 });
    expect((await kb.status()).documents).toBe(400);
    await queue.close();
    await kb.close();
  });
});

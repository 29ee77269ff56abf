import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import { refreshAfter } from "ibid/ingest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const hour = 3_600_000;
const start = Date.parse("2001-02-03T04:05:06.000Z");

let folder: string;
let at: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-clock-"));
  at = start;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const places = [
  ["in a folder", () => join(folder, "kb")],
  ["in memory", () => undefined],
] as const;

describe.each(places)("a knowledge base %s with a clock of its own", (_, place) => {
  const using = async (use: (kb: KnowledgeBase) => Promise<void>): Promise<void> => {
    const kb = await openKnowledgeBase(place(), { operations: { now: () => at, events: { maxAgeMs: hour } } });
    try {
      await use(kb);
    } finally {
      await kb.close();
    }
  };
  const found = async (kb: KnowledgeBase) => {
    for await (const summary of kb.list()) return summary;
    return expect.fail("no document");
  };

  it("dates documents, looks and deletions by it", () =>
    using(async (kb) => {
      await kb.ingest({ uri: "heron.txt", text: "The heron waits." });
      expect(await found(kb)).toMatchObject({ ingestedAt: "2001-02-03T04:05:06.000Z" });

      const refresh = refreshAfter(2 * hour);
      const read = async (): Promise<number> => {
        let reads = 0;
        const bytes = (async function* () {
          reads++;
          yield new TextEncoder().encode("The heron waits.");
        })();
        await kb.ingest({ uri: "heron.txt", bytes }, { refresh });
        return reads;
      };
      at += hour;
      expect(await read()).toBe(0);
      at += 2 * hour;
      expect(await read()).toBe(1);
      expect(await found(kb)).toMatchObject({ checkedAt: "2001-02-03T07:05:06.000Z" });
      expect(await read()).toBe(0);

      await kb.delete("heron.txt");
      at += hour;
      expect((await kb.vacuum({ olderThanMs: 2 * hour })).chunks).toBe(0);
      at += 2 * hour;
      expect((await kb.vacuum({ olderThanMs: 2 * hour })).chunks).toBe(1);
    }));

  it("ages events and health by it", () =>
    using(async (kb) => {
      await kb.ingest({ uri: "heron.txt", text: "The heron waits." });
      await kb.search("heron");
      expect((await kb.health()).retrieval.count).toBe(1);
      at += 48 * hour;
      expect((await kb.health()).retrieval.count).toBe(0);
    }));
});

it("takes a function alone for a clock", async () => {
  await expect(openKnowledgeBase({ operations: { now: 5 as unknown as () => number } })).rejects.toThrow(
    "operations.now is 5; it must be a function.",
  );
});

import { expect, it } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { createIngestionQueue } from "../../../src/ingest/index.node.ts";

it("what waits in a queue, and what it refused, is part of the knowledge base's health [T42 T54]", async () => {
  await using kb = await openKnowledgeBase();
  // Nobody ingests here: what is queued stays.
  const queue = createIngestionQueue(kb, { capacity: 2, concurrency: 0 });
  for (const uri of ["a.txt", "b.txt", "c.txt"]) await queue.enqueue({ uri, text: `The text of ${uri}.` });
  await expect.poll(async () => (await kb.health()).queue).toEqual({ depth: 2, rejected: 1 });
  expect(await queue.cancel(queue.idOf("a.txt"))).toBe(true);
  await expect.poll(async () => (await kb.health()).queue).toEqual({ depth: 1, rejected: 1 });
  await queue.close();
});

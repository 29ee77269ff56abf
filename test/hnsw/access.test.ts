import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createHashingModel } from "../../src/models/index.node.ts";
import { anyWorld, mayRead, outcome, scopes, take, type World } from "../access/worlds.ts";
import { openLibrary } from "./plain-usearch.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-hnsw-access-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let opened = 0;

async function open(world: World): Promise<KnowledgeBase> {
  const hnsw = { startAt: 1, usearch: await openLibrary() };
  const embeddingModel = createHashingModel({ dimensions: 64 });
  return openKnowledgeBase(join(root, `kb-${opened++}`), { hnsw, embeddingModel, access: world.policy, events: false });
}

/** What the caller finds by a graph, and what they would find if there were nothing else. */
async function compare(world: World, as: (kb: KnowledgeBase) => KnowledgeBase): Promise<readonly [unknown, unknown]> {
  const [whole, oracle] = [await open(world), await open(world)];
  try {
    const readable = scopes.filter((scope) => mayRead(world, scope));
    for (const step of world.steps) await take(whole, step);
    for (const step of world.steps) if (readable.includes(step.scope)) await take(oracle, step);
    const look = (kb: KnowledgeBase, within: object) =>
      Promise.all(
        (["dense", "hybrid"] as const).flatMap((mode) =>
          [2, 8].map((topK) => outcome(() => kb.search(world.query, { mode, topK, explain: true, ...within }))),
        ),
      );
    // The operator asks first, everywhere: the graphs are there, and have been asked.
    await look(whole, {});
    return [await look(as(whole), {}), await look(oracle, { scopes: readable })];
  } finally {
    await whole.close();
    await oracle.close();
  }
}

it("a graph shows a caller nothing of what they may not read: hits, scores, order [T17 T26 L3]", async () => {
  await fc.assert(
    fc.asyncProperty(anyWorld, async (world) => {
      const [given, expected] = await compare(world, (kb) => kb.as(world.caller));
      expect(given).toEqual(expected);
    }),
    { numRuns: 6 },
  );
}, 120_000);

it("and one that did would be noticed [T26 L3]", async () => {
  const notices = fc.asyncProperty(anyWorld, async (world) => isDeepStrictEqual(...(await compare(world, (kb) => kb))));
  expect((await fc.check(notices, { seed: 20, numRuns: 20, endOnFailure: true })).failed).toBe(true);
}, 120_000);

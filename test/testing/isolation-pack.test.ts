import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { describe, expect, it } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { createIsolationPack } from "../../src/testing/isolation-pack.ts";

/** Runs the pack over knowledge bases whose callers get one verb of the operator. **Shape** the cases that fail. */
async function failuresOf(leak?: keyof KnowledgeBase): Promise<readonly string[]> {
  const create = async (): Promise<KnowledgeBase> => {
    const kb = await openKnowledgeBase({
      history: true,
      models: { embedding: createHashingModel({ dimensions: 32 }) },
    });
    if (leak === undefined) return kb;
    return { ...kb, as: (context, options) => ({ ...kb.as(context, options), [leak]: kb[leak] }) };
  };
  const failed: string[] = [];
  for (const { id, run } of createIsolationPack({ create })) await run().catch(() => failed.push(id));
  return failed;
}

describe("the isolation pack [T26]", () => {
  it("passes over ibid's own", async () => expect(await failuresOf()).toEqual([]));

  it.each([
    "search",
    "searchVector",
    "find",
    "retriever",
    "ask",
    "verify",
    "document",
    "media",
    "outline",
    "section",
    "expand",
    "list",
    "chunks",
    "info",
    "status",
    "collections",
    "versions",
    "deleted",
    "delete",
    "restore",
    "ingest",
    "reset",
    "vacuum",
  ] as const)("catches a leak through %s", async (verb) => expect(await failuresOf(verb)).not.toEqual([]));
});

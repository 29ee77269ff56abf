import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AccessPolicy } from "../../src/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ibid-own-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const subjects = ["harbour ship sailor anchor", "orchard apple pear blossom", "loom weaver thread cloth"];
const texts = Array.from({ length: 300 }, (_, i) => ({
  uri: `d${i}.txt`,
  text: `${subjects[i % 3]!} number ${i}, ${subjects[i % 3]!.split(" ")[i % 4]!}`,
}));

/** Ingests, searches with one word, and closes. */
async function visit(
  access: AccessPolicy,
  items: typeof texts,
): Promise<{ fitted?: boolean; models: number; hits: number }> {
  const kb = await openKnowledgeBase(join(folder, ".ibid"), { access });
  await kb.ingest(items, { settle: true });
  const hits = await kb.search("sailor", { explain: true, topK: 3 });
  const { embeddingVersions } = await kb.status();
  await kb.close();
  const fitted = hits[0]?.explain?.latent?.fitted;
  return { ...(fitted !== undefined && { fitted }), models: embeddingVersions.length, hits: hits.length };
}

describe("the store's own model", () => {
  it("is not fitted where callers may not read what it would be fitted on [L3]", async () => {
    expect(await visit({}, texts)).toEqual({ fitted: true, models: 1, hits: 3 });
    // Closed to callers, the deployment's chunks must not show in the scores of anything else.
    expect(await visit({ deployment: false }, [{ uri: "new.txt", text: "a sailor's knot" }])).toEqual({
      fitted: false,
      models: 1,
      hits: 3,
    });
    expect(await visit({ deployment: true }, [{ uri: "newer.txt", text: "a sailor's hat" }])).toEqual({
      fitted: true,
      models: 1,
      hits: 3,
    });
  });
});

import { expect, it } from "vitest";
import * as z from "zod";
import { openKnowledgeBase } from "../../src/index.node.ts";

it("a document under the uris of collections is refused by name, and the collection stays [L8]", async () => {
  const kb = await openKnowledgeBase();
  const things = kb.collection("things", {
    schema: z.object({ id: z.string(), text: z.string() }),
    key: "id",
    text: ["text"],
  });
  await things.upsert([{ id: "a", text: "anchor" }]);
  for (const uri of ["ibid:collections/things", "ibid:collection/things/a"]) {
    const { failures } = await kb.ingest({ uri, text: "another" });
    expect(failures).toMatchObject([{ uri, error: { code: "invalid-id" } }]);
  }
  expect(await things.get("a")).toEqual({ id: "a", text: "anchor" });
  expect((await things.search("anchor")).length).toBe(1);
  await kb.ingest({ uri: "ibid:elsewhere", text: "is a document's own" });
});

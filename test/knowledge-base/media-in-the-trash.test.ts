import { expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";

// A scope with nothing live in it is not listed among those to search.
it("a deleted picture comes back whole, though nothing else is in its scope; a purge removes its bytes [B3 L8]", async () => {
  const kb = await openKnowledgeBase();
  const bytes = new Uint8Array([137, 80, 78, 71]);
  const picture = { type: "image", content: bytes, metadata: { fileName: "plan.png" } } as const;
  const { failed } = await kb.ingest(picture, { scope: "user:ada" });
  expect(failed).toBe(0);
  const ada = kb.as({ userId: "ada" });
  await ada.delete("plan.png");
  expect(await ada.media("plan.png")).toBeUndefined();
  await ada.restore("plan.png", { scope: "user:ada" });
  expect((await ada.media("plan.png"))?.content).toEqual(bytes);
  await ada.delete("plan.png", { purge: true });
  expect(await ada.media("plan.png")).toBeUndefined();
  await kb.close();
});

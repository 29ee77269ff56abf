import { expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";
import type { Enhancer } from "ibid/readers";

/** The failure of a document under an enhancer that gives this. */
async function failureOf(given: unknown) {
  const kb = await openKnowledgeBase({ enhancers: [{ name: "dates", enhance: () => given } as Enhancer] });
  const { failures } = await kb.ingest({ uri: "a.md", text: "# A\n\nThe otter swims." });
  await kb.close();
  return failures[0]?.error;
}

it("an enhancer that gives another field than metadata and text is named, with the field and the form", async () => {
  for (const [given, field] of [
    [{ seen: true }, "seen"],
    [{ metadata: {}, tags: [] }, "tags"],
    ["soon", "string"],
  ] as const) {
    const error = await failureOf(given);
    expect(error?.code).toBe("invalid-response");
    expect(error?.message).toMatch(new RegExp(`^The enhancer dates gives "${field}" to Document `, "u"));
    expect(error?.hint).toContain("{ metadata }");
  }
});

it("an enhancer may give nothing, metadata, or fields without a value", async () => {
  for (const given of [undefined, {}, { metadata: { year: 2026 } }, { metadata: undefined, text: undefined }])
    expect(await failureOf(given)).toBeUndefined();
});

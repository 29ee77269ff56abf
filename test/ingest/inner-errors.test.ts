import { type IbidError, openKnowledgeBase } from "ibid";
import type { Source } from "ibid/ingest";
import { expect, it } from "vitest";
import { toFailure } from "../../src/ingest/queue/attempt-job.ts";
import { readSource } from "../../src/ingest/read-source.ts";
import { toFetchError } from "../../src/ingest/sources/web/fetch-errors.ts";

const secret = new Error("refused key sk-7Qf3 of ada@example.org");
const fail = (): never => {
  throw secret;
};
const source: Source = {
  folders: [],
  async *items() {
    yield { uri: "a.md", bytes: () => Promise.reject(secret) };
  },
};
const input = { uri: "a.md", text: "Herons wade.", mediaType: "text/markdown" };

/** The failure of one ingestion. */
async function ingest(
  options: NonNullable<Parameters<typeof openKnowledgeBase>[0]>,
  given: typeof input | Source,
): Promise<IbidError> {
  const kb = await openKnowledgeBase(options);
  const results = [];
  for await (const { error } of kb.ingest(given)) results.push(error);
  await kb.close();
  return results[0]!;
}

it.each<[string, () => IbidError | Promise<IbidError>]>([
  ["a chunker", () => ingest({ chunker: { fingerprint: "broken", chunk: fail } }, input)],
  ["a source", () => ingest({}, source)],
  ["a source that is only read", async () => (await readSource(source, [])).errors[0]!.error],
  ["a fetch without a code", () => toFetchError(secret, "https://example.org/a")],
])("%s that fails is named without its words, which are the cause", async (_, failing) => {
  const error = await failing();
  expect(`${error.message} ${error.hint}`).not.toContain("sk-7Qf3");
  expect(error.message).toMatch(/^(?:a\.md|https:\/\/example\.org\/a) could not be (?:ingested|read|fetched)/u);
  expect(error.hint).toContain("`cause`");
  expect(error.cause).toBe(secret);
});

it("a job that fails by another's error keeps none of its words", () => {
  const { code, message, hint } = toFailure(secret, "a.md");
  expect([code, message]).toEqual(["internal", "a.md could not be ingested: a part that the application gave failed."]);
  expect(hint).not.toContain("sk-7Qf3");
});

import { expect, it } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { type IbidError, openKnowledgeBase } from "../../src/index.ts";

const torn = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("torn"))));

/** A model that never answers, until it is stopped. */
const silent: ChatModel = {
  provider: "testing",
  model: "silent",
  chat: (_, { signal } = {}) => torn(signal),
  async *stream(_, { signal } = {}) {
    yield await torn(signal);
  },
};

const codeOf = (work: PromiseLike<unknown>): PromiseLike<string> =>
  work.then(
    () => "no error",
    ({ code }: IbidError) => code,
  );

it("a deadline is a timeout, and a stop is none, wherever it meets the work [L8]", async () => {
  const kb = await openKnowledgeBase({ models: { chat: silent } });
  await kb.ingest({ uri: "a.md", text: "The museum opens at nine." });
  const question = "When does the museum open?";
  for (const [end, code] of [
    [() => AbortSignal.timeout(1), "timeout"],
    [() => AbortSignal.any([AbortSignal.timeout(1), new AbortController().signal]), "timeout"],
    [() => AbortSignal.abort(), "aborted"],
  ] as const) {
    const over = end();
    if (!over.aborted) await new Promise((resolve) => over.addEventListener("abort", resolve));
    expect(await codeOf(kb.search(question, { signal: over }))).toBe(code);
    expect(await codeOf(kb.ask(question, { signal: over }))).toBe(code);
    expect(await codeOf(kb.verify(question, { signal: over }))).toBe(code);
    expect(await codeOf(kb.ingest({ uri: "b.md", text: "Words." }, { signal: over }))).toBe(code);
    // The model was asked already.
    expect(await codeOf(kb.ask(question, { signal: end() }))).toBe(code);
  }
  await kb.close();
});

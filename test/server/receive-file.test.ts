import { expect, it } from "vitest";
import type { LiveJob } from "../../src/server/jobs/job.ts";
import { createMemoryJobShelf } from "../../src/server/jobs/job-shelf.ts";
import { createReceiver } from "../../src/server/jobs/receive-file.ts";

it("takes one body of a file at a time, when several come for the same offset while one is under way", async () => {
  const shelf = createMemoryJobShelf();
  let job = { record: { id: "a", size: 6, state: "receiving" }, received: 0 } as LiveJob;
  let completed = 0;
  const receiver = createReceiver({
    shelf,
    silenceMs: 60_000,
    maxBytes: () => 6,
    now: () => job,
    arrived: (_, received) => (job = { ...job, received }),
    complete: async () => {
      completed++;
      job = { ...job, record: { ...job.record, state: "queued" } };
    },
  });
  const { signal } = new AbortController();
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  // A connection that gave two bytes, and hangs.
  const hanging = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes("ab")) });
  const first = receiver.receive("a", 0, hanging, signal).catch(String);
  await new Promise((resolve) => setImmediate(resolve));
  const others = ["cdef", "CDEF", "cdEF"].map((text) => receiver.receive("a", 2, bytes(text), signal).catch(String));
  await Promise.all([first, ...others]);
  expect(completed).toBe(1);
  expect(new TextDecoder().decode(await shelf.read("a"))).toMatch(/^ab(?:cdef|CDEF|cdEF)$/u);
});

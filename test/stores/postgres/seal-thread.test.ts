import { expect, it } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import { encodeTerms } from "../../../src/engine/segments/chunk-terms.ts";
import { createTermNumbers } from "../../../src/engine/segments/term-numbers.ts";
import { encodeVectors, toStoredVector } from "../../../src/engine/vectors/stored-vector.ts";
import { startThread, type Thread } from "../../../src/runtime/thread.ts";
import { type Arrived, createArrivalSealer } from "../../../src/stores/postgres/seal-arrivals.ts";
import { createSealThread } from "../../../src/stores/postgres/seal-thread.ts";
import { createRandom } from "../../../src/testing/random.ts";

const random = createRandom(5);
const names = ["given", "other"].map((model) => JSON.stringify(["test", model, 3, ""]));

/** Chunks whose documents are out of order. Their terms have odd lengths, so that vectors would begin anywhere. */
const chunks: readonly Arrived[] = Array.from({ length: 1100 }, (_, i) => {
  const terms = [...new Set(Array.from({ length: 1 + random.below(9) }, () => "x".repeat(1 + random.below(20))))];
  const vectors = names
    .slice(0, random.below(3))
    .map((name) => toStoredVector(name, [random.next(), random.next(), -random.next()]));
  return {
    key: 100 + i,
    id: `c${i}`,
    place: { uri: `${random.below(50)}.md`, start: random.below(3) },
    terms: encodeTerms({ terms, counts: terms.map(() => 1), names: terms.map((_term, at) => at % 2), language: "en" }),
    vectors: encodeVectors(vectors),
  };
});
const expected = createArrivalSealer()(chunks);

it("a thread makes a segment of the same bytes, and numbers no term here", async () => {
  const threads: Thread[] = [];
  const numbers = createTermNumbers();
  const thread = createSealThread((program) => {
    threads.push(startThread(program));
    return threads.at(-1)!;
  });
  // Its memory of terms changes nothing.
  for (let again = 0; again < 2; again++) expect(await thread.seal(chunks, numbers)()).toEqual(expected);
  expect([threads.length, numbers.count()]).toEqual([1, 0]);
  await threads[0]!.end();
  expect(await thread.seal(chunks, numbers)()).toEqual(expected);
  expect([threads.length, numbers.count()]).toEqual([2, 0]);
  await threads[1]!.end();
});

it("a few chunks start no thread", async () => {
  const numbers = createTermNumbers();
  const thread = createSealThread(() => {
    throw new Error("started");
  });
  const few = chunks.slice(0, 20);
  expect(await thread.seal(few, numbers)()).toEqual(createArrivalSealer()(few));
  expect(numbers.count()).toBeGreaterThan(0);
});

it.each(["unsupported-runtime", "internal"] as const)("a thread that ends by %s is done without", async (code) => {
  let started = 0;
  const thread = createSealThread(() => {
    started++;
    const error = new IbidError(code, "The thread ended.", { hint: "None." });
    return { isAlive: false, ended: Promise.resolve(error), call: () => Promise.reject(error), end: async () => {} };
  });
  for (let again = 0; again < 2; again++) expect(await thread.seal(chunks, createTermNumbers())()).toEqual(expected);
  expect(started).toBe(code === "internal" ? 2 : 1);
});

it("damage of a chunk is an error of the segment", async () => {
  const thread = createSealThread();
  const torn = [{ ...chunks[0]!, terms: chunks[0]!.terms.subarray(0, 6) }, ...chunks.slice(1)];
  await expect(thread.seal(torn, createTermNumbers())()).rejects.toMatchObject({ code: "store-corrupt" });
});

import { afterAll, describe, expect, it } from "vitest";
import { createWorkerReaders } from "../../src/readers/worker/worker-readers.ts";
import { createReaders } from "../../src/readers/create-readers.ts";
import { families } from "./families.ts";
import { judge } from "./judge.ts";
import { runsAll } from "../support/runs.ts";

/** A slice of what `npm run fuzz` tries. */
const filesEach = runsAll ? 80 : 30;
// Where files are read in earnest: libraries leave failing promises behind, which would end this process.
const worker = createWorkerReaders(createReaders(), {
  program: new URL("../../src/readers/worker/read-worker.ts", import.meta.url),
  readInWorker: true,
});
afterAll(() => worker.close());

describe("broken files of every kind", () => {
  let wereRead = 0;
  it.each(families)("$name: each is read to what fits, or refused by name [E15 L1 W17]", async (family) => {
    for (let index = 0; index < filesEach; index++) {
      const { outcome } = await judge(worker.readers, family.file(1, index)).catch((error: unknown) => {
        throw new Error(`npm run fuzz -- --family ${family.name} --seed 1 --only ${index}`, { cause: error });
      });
      if (outcome === "read") wereRead++;
    }
  });

  it("the same seed gives the same file, another another", () => {
    for (const family of families) {
      expect(family.file(7, 3)).toEqual(family.file(7, 3));
      expect(family.file(7, 3)).not.toEqual(family.file(8, 3));
    }
  });

  // A fuzz that is refused at the door tries nothing.
  afterAll(() => expect(wereRead).toBeGreaterThan(filesEach));
});

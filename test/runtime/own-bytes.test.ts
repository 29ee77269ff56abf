import { describe, expect, it } from "vitest";
import { letGo, markOwn } from "../../src/runtime/own-bytes.ts";
import { sendJob, takeResultPiece } from "../../src/readers/worker/worker-job.ts";
import { limitsOf } from "../../src/readers/read-limits.ts";
import { countTurns } from "../support/turns.ts";

const root = { id: "0", title: "a", level: 0, start: 0, end: 1, contentStart: 0, children: [] };

describe("bytes of our own", () => {
  it("are given back at once, and those of others never", () => {
    const [own, other] = [markOwn(new Uint8Array(8)), new Uint8Array(8)];
    letGo(own);
    letGo(other);
    expect([own.length, other.length]).toEqual([0, 8]);
  });

  it("are given back once a file is in the reading process, whose text is joined in a turn of its own", async () => {
    const send = async (bytes: Uint8Array): Promise<readonly [seen: number, text: string, left: number]> => {
      let seen = 0;
      const read = await sendJob(
        async (method, argument) => {
          if (method === "piece") seen += (argument as { bytes: Uint8Array }).bytes.length;
          if (method !== "read") return undefined;
          const { job } = argument as { job: number };
          for (const text of ["a", "b"]) takeResultPiece({ job, text });
          return { title: "a", text: "", root, sourceMap: { lines: "text" }, metadata: {} };
        },
        { reader: 0, hasOwn: false, input: { uri: "a", mediaType: "text/markdown", bytes, limits: limitsOf({}) } },
      );
      return [seen, read.text, bytes.length];
    };
    const size = 9 * 1024 * 1024;
    expect(await send(markOwn(new Uint8Array(size)))).toEqual([size, "ab", 0]);
    expect(await send(new Uint8Array(size))).toEqual([size, "ab", size]);
    expect(await countTurns(() => send(new Uint8Array(size)))).toBeGreaterThanOrEqual(2);
  });
});

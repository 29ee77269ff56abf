import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { openEntities } from "../../../src/knowledge-base/records/index.ts";
import { collect } from "../../../src/testing/assert.ts";

const child = fileURLToPath(new URL("crash-child.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ibid-entities-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets it work until it has said so many things, and kills it without warning. **Shape** what it had said by then. */
function workAndDie(path: string, things: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = spawn(process.execPath, [child, path], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    worker.stdout.on("data", (data: Buffer) => {
      said += data.toString();
      if (said.split("\n").length > things) worker.kill("SIGKILL");
    });
    worker.on("error", reject);
    worker.on("close", () => resolve(said.split("\n").slice(0, -1)));
  });
}

describe("a process that is killed while it relates entities", () => {
  it.each([5, 20])(
    "after %i things it has said, leaves what it said, the same from both ends [E35 L7 L8]",
    async (things) => {
      const path = join(folder, `${things}`);
      const said = await workAndDie(path, things);
      const made = said.filter((line) => line.startsWith("made")).map((line) => line.slice(5));
      const gone = new Set(said.filter((line) => line.startsWith("gone")).map((line) => line.slice(5)));
      expect(made.length).toBeGreaterThanOrEqual(4);

      const kb = await openKnowledgeBase(path, { create: false });
      const entities = openEntities(kb, "chain");
      const there = new Set((await collect(entities.list())).map(({ id }) => id));
      const from = new Set((await collect(entities.findRelated("0", "HAS"))).map(({ id }) => id));
      // What was begun when it died is done or not; of all else it is known.
      const last = `${made.length}`;
      for (const id of made) {
        const known = id !== last || gone.has(id) ? [!gone.has(id)] : [true, false];
        expect(known).toContain(there.has(id));
        expect({ id, isLedTo: from.has(id) }).toEqual({ id, isLedTo: there.has(id) });
      }
      for (const id of there)
        for (const [name, other] of [
          ["HAS", "0"],
          ["AFTER", `${Number(id) - 1}`],
        ] as const) {
          const out = (await collect(entities.findRelated(other, name, name === "HAS" ? "outgoing" : "incoming"))).map(
            (one) => one.id,
          );
          const back = await collect(entities.findRelated(id, name, name === "HAS" ? "incoming" : "outgoing"));
          expect(out.includes(id), `${name} of ${id}`).toBe(back.some((one) => one.id === other));
        }
      expect((await kb.doctor()).healthy).toBe(true);
      await kb.close();
    },
  );
});

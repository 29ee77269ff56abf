import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../../src/contracts/scope.ts";
import { createRandom } from "../../../src/testing/random.ts";
import { fewer } from "../../support/runs.ts";
import { collect, plainAnalyzer, read } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

const address = process.env["IBID_TEST_POSTGRES"];
const child = join(import.meta.dirname, "writing-child.ts");

// Several processes need a server: npm run test:engines.
describe.skipIf(!address)("writers that are killed", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it("lose nothing that was acknowledged, and leave no half of a document", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-killed-"));
    const random = createRandom(1);
    await (await database.open("killed", { analyzer: plainAnalyzer })).close();
    /** The latest round of each document that a writer was told to be safe. */
    const safe = new Map<string, number>();

    /** Two writers at once, each with a copy that it keeps from death to death. */
    async function live(name: string): Promise<void> {
      const writer = spawn(process.execPath, [child, address!, database.schemaOf("killed"), join(folder, name), name], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let printed = "";
      writer.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
      const ended = new Promise((resolve) => writer.once("close", resolve));
      await new Promise((resolve) => writer.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, random.next() * 400));
      writer.kill("SIGKILL");
      await ended;
      for (const line of printed.split("\n").slice(0, -1)) {
        const [scope, id, round] = line.split(" ");
        safe.set(`${scope} ${id}`, Number(round));
      }
    }

    for (let death = 0; death < fewer(2, 12); death++) {
      await Promise.all([live("a"), live("b")]);
      const store = await database.open("killed", { analyzer: plainAnalyzer, node: `after${death}` });
      const scopes: Scope[] = ["deployment", "team:a", "team:b"];
      const rounds = new Map<string, Set<string>>();
      const chunks = new Map<string, number>();
      for (const { scope, chunk } of await collect(store.chunks(read(...scopes)))) {
        const place = `${scope} ${chunk.documentId}`;
        const round = /round(\d+)/u.exec(chunk.text)![1]!;
        rounds.set(place, (rounds.get(place) ?? new Set()).add(round));
        chunks.set(place, (chunks.get(place) ?? 0) + 1);
      }
      for (const [place, count] of chunks) expect([place, count, rounds.get(place)?.size]).toEqual([place, 3, 1]);
      for (const [place, round] of safe)
        expect(Number([...(rounds.get(place) ?? [])][0])).toBeGreaterThanOrEqual(round);
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });
});

import { describe, expect, it } from "vitest";
import { fewer, runsAll } from "../support/runs.ts";
import { attackAnswers } from "./answers-attack.ts";
import { attackByArchives } from "./archives-attack.ts";
import { attackByCorruption } from "./corruption-attack.ts";
import { attackFetcher } from "./fetcher-attack.ts";
import { attackFullDisk } from "./full-disk-attack.ts";
import { attackByKills } from "./kill-attack.ts";
import { attackByOcr } from "./ocr-attack.ts";
import { attackOpenApi } from "./openapi-attack.ts";
import { attackPast } from "./past-attack.ts";
import { attackByRebinding, attackByTls } from "./rebinding-attack.ts";
import { attackS3 } from "./s3-attack.ts";
import { attackServices } from "./services-attack.ts";
import { attackByEngines, attackHistories, attackWorlds } from "./worlds-attack.ts";

describe("a slice of the attack", () => {
  // Worlds, histories and kills have tests of their own.
  it.each([
    ["services beside one another", attackServices, 0.01],
    ["the past", attackPast, 0.02],
    ["archives", attackByArchives, 0.02],
    ["engines that lie", attackByEngines, 0.01],
    ["a full disk", attackFullDisk, 0.06],
    ["forged addresses", attackFetcher, 0.05],
    ["names that change their address", attackByRebinding, 0.02],
    ["certificates", attackByTls, 0.05],
    ["hostile descriptions of a service", attackOpenApi, 0.01],
    ["a hostile bucket", attackS3, 0.01],
    ["a hostile recogniser", attackByOcr, 0.01],
    ["changed files", attackByCorruption, 0.004],
    ["hostile answers", attackAnswers, 0.002],
    ...(runsAll
      ? ([
          ["worlds", attackWorlds, 0.001],
          ["histories", attackHistories, 0.001],
          ["kills", attackByKills, 0.01],
        ] as const)
      : []),
  ] as const)("breaks no promise by %s [L3 L8]", async (_, run, size) => {
    for (const { promise, attempts, breaches, skipped } of await run(7, fewer(1, 10) * size)) {
      expect([promise, breaches]).toEqual([promise, []]);
      expect([promise, attempts > 0 || skipped !== undefined]).toEqual([promise, true]);
    }
  });

  it("counts a breach where a gate is broken", async () => {
    const [broken] = await attackWorlds(1, 0.001, { view: (_, operator) => ({ status: () => operator.status() }) });
    expect(broken!.breaches.length).toBeGreaterThan(0);
  });
});

import { raiseStorm } from "../crash/storm.ts";
import { scaled, type Tally } from "./tally.ts";

/** Processes that die while they write. */
export async function attackByKills(seed: number, size: number): Promise<readonly Tally[]> {
  const { kills, faults } = await raiseStorm({ kills: scaled(100, size), seed, length: size < 0.1 ? 12 : 40 });
  return [
    {
      promise: "Acknowledged data survive a kill, purged data do not",
      unit: "kills",
      attempts: kills,
      breaches: faults,
    },
  ];
}

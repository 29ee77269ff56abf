// Input of a task, and its answer.
import { setTimeout as wait } from "node:timers/promises";

export function readTold<Told>(): Told {
  return JSON.parse(process.argv[2] ?? "{}") as Told;
}

export function answer(result: object): void {
  process.stdout.write(JSON.stringify(result));
}

/** Bytes of memory, garbage collected. */
export async function measureMemory(): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await wait(40);
    least = Math.min(least, process.memoryUsage.rss());
  }
  return least;
}

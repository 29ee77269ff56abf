/**
 * Runs every proof over the `ibid` that stands beside this folder, and prints one line of JSON for each.
 *
 * `scripts/packed.ts` copies this folder into a project in which nothing but the packed package is installed.
 */
import { setTimeout } from "node:timers/promises";
import { behaviours } from "./behaviours.ts";
import { proofs } from "./proofs.ts";

/** A proof that takes longer hangs, also on a machine that does much else. */
const limitMs = 600_000;
/** Groups of proofs that run at once: many of them wait. */
const places = 8;

const groups = [...Object.values(proofs), behaviours];
await Promise.all(Array.from({ length: places }, runGroups));

async function runGroups(): Promise<void> {
  for (let group = groups.shift(); group !== undefined; group = groups.shift())
    for (const proof of group)
      if ((process.env["ONLY"] ?? proof.item).split(" ").includes(proof.item)) await run(proof);
}

async function run(proof: (typeof groups)[number][number]): Promise<void> {
  const { item, title } = proof;
  let failure: string | undefined;
  const started = performance.now();
  try {
    await Promise.race([
      proof.run(),
      setTimeout(limitMs, undefined, { ref: false }).then(() => {
        throw new Error(`It takes more than ${limitMs} ms.`);
      }),
    ]);
  } catch (error) {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  console.log(JSON.stringify({ item, title, failure, ms: Math.round(performance.now() - started) }));
}

// A proof that hung may leave something open.
process.exit();

/**
 * Runs every proof over the `ibid` that stands beside this folder, and prints one line of JSON for each.
 *
 * `scripts/packed.ts` copies this folder into a project in which nothing but the packed package is installed.
 */
import { setTimeout } from "node:timers/promises";
import { behaviours } from "./behaviours.ts";
import { proofs } from "./proofs.ts";

const limitMs = 120_000;

await Promise.all(
  [...Object.values(proofs), behaviours].map(async (group) => {
    for (const proof of group) {
      const { item, title } = proof;
      if (!(process.env["ONLY"] ?? item).split(" ").includes(item)) continue;
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
  }),
);
// A proof that hung may leave something open.
process.exit();

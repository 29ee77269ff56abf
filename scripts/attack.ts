// Attacks the promises of docs/security.md with generated cases, and counts attempts and breaches by promise. Some cases
// are worlds of documents that a caller may not read, and histories of documents that left their readers. Others are
// answers of a hostile model, forged addresses, names that change their address, and hostile servers. The rest are killed
// processes, a full disk, and changed files. The exit code is 1 on any breach.
//
//   npm run attack                              the size of a release
//   npm run attack -- --seed 7 --size 0.1       a tenth of the cases, others than with seed 1
//   npm run attack -- --only worlds,disk --show 20
import { parseArgs } from "node:util";
import { attacks } from "../test/attack/attack.ts";
import type { Tally } from "../test/attack/tally.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    size: { type: "string", default: "1" },
    only: { type: "string" },
    show: { type: "string", default: "5" },
  },
});
const [seed, size, most] = [values.seed, values.size, values.show].map(Number) as [number, number, number];
const names = values.only?.split(",") ?? attacks.map(({ name }) => name);
const unknown = names.filter((name) => !attacks.some((attack) => attack.name === name));
if (unknown.length > 0 || !(size > 0) || !Number.isInteger(seed)) {
  console.error(
    `Give --seed as a whole number, --size above 0, and --only of ${attacks.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}

const started = performance.now();
const tallies: Tally[] = [];
for (const attack of attacks.filter(({ name }) => names.includes(name))) {
  const began = performance.now();
  for (const tally of await attack.run(seed, size)) {
    tallies.push(tally);
    const ms = performance.now() - began;
    const { promise, unit, attempts, breaches, skipped } = tally;
    const tried = skipped === undefined ? `${attempts.toLocaleString("en")} ${unit}` : `not tried: ${skipped}`;
    console.log(
      `${breaches.length === 0 ? "holds " : "BROKEN"}  ${promise}: ${tried}, ${breaches.length} breaches (${Math.round(ms / 1000)} s)`,
    );
    for (const breach of breaches.slice(0, most)) console.log(`        ${breach.slice(0, 300)}`);
  }
}
const broken = tallies.filter(({ breaches }) => breaches.length > 0).length;
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`\n${tallies.length} promises, ${broken} broken, in ${seconds} s; seed ${seed}, size ${size}.`);
process.exitCode = broken > 0 ? 1 : 0;

// Bytes of ibid that a page loads: each program bundled, minified and gzipped, beside its budget
// (scripts/browser/budget.json).
//
//   npm run size                the sizes, and their parts
//   npm run size -- --update    the same, recorded as the budget
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { budgets, measureBundles } from "./browser/measure.ts";

const update = process.argv.includes("--update");
const sizes = await measureBundles();
console.log(
  `${"".padEnd(34)} ${"minified".padStart(9)} ${"gzip".padStart(7)} ${"later".padStart(7)} ${"budget".padStart(7)}`,
);
let heavy = false;
for (const { name, minified, gzip, later } of sizes) {
  const budget = budgets[name] ?? 0;
  heavy ||= gzip > budget;
  console.log(
    `${name.padEnd(34)} ${String(minified).padStart(9)} ${String(gzip).padStart(7)} ${String(later).padStart(7)} ${String(budget).padStart(7)}`,
  );
}
console.log('\nBytes. "later": gzipped, what is loaded only when it is needed.');
if (update) {
  // Rounded up, so that a comment's worth of code does not need a new budget.
  const next = Object.fromEntries(sizes.map(({ name, gzip }) => [name, Math.ceil(gzip / 500) * 500]));
  writeFileSync(join(import.meta.dirname, "browser", "budget.json"), `${JSON.stringify(next, null, 2)}\n`);
} else if (heavy) {
  console.log("Heavier than its budget. Make it lighter, or say why and run: npm run size -- --update");
  process.exitCode = 1;
}

// Plain English, counted: sentences that break a rule (scripts/prose/check-sentence.ts), by room and kind, beside the
// recorded counts.
//
//   npm run check:prose                            counts; fails when one has risen
//   npm run check:prose -- --update                records lower counts in scripts/prose-counts.json
//   npm run check:prose -- --list src/models       every such sentence under a path, with its line
//   npm run check:prose -- --list src --kind errors
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareCounts, countBreaches, lowerCounts, type ProseCounts } from "./prose/count-breaches.ts";
import { findBreaches } from "./prose/find-breaches.ts";

const { values } = parseArgs({
  options: { update: { type: "boolean" }, list: { type: "string" }, kind: { type: "string" } },
});
const root = join(import.meta.dirname, "..");
const file = join(import.meta.dirname, "prose-counts.json");
const breaches = findBreaches(root);

if (values.list !== undefined) {
  const prefix = values.list;
  for (const { path, line, kind, rules, sentence } of breaches) {
    if (!path.startsWith(prefix) || (values.kind !== undefined && values.kind !== kind)) continue;
    console.log(`${path}:${line} ${kind} (${rules.join(", ")}) ${sentence}`);
  }
} else {
  const recorded = JSON.parse(readFileSync(file, "utf8")) as ProseCounts;
  const counts = countBreaches(breaches);
  console.log(
    `${"".padEnd(22)}${["public", "comments", "errors", "markdown"].map((kind) => kind.padStart(10)).join("")}`,
  );
  for (const [room, { public: open = 0, comments = 0, errors = 0, markdown = 0 }] of Object.entries(counts)) {
    console.log(
      `${room.padEnd(22)}${[open, comments, errors, markdown].map((count) => String(count).padStart(10)).join("")}`,
    );
  }
  const risen = compareCounts(recorded, counts);
  for (const { room, kind, was, is } of risen) {
    console.error(
      `${room}: ${kind} rose from ${was} to ${is}. See them: npm run check:prose -- --list ${room} --kind ${kind}`,
    );
  }
  if (risen.length > 0) process.exitCode = 1;
  if (values.update) writeFileSync(file, `${JSON.stringify(lowerCounts(recorded, counts), null, 2)}\n`);
}

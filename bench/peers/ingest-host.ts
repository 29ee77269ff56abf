// The process of one ingester: it ingests on request, and reports the time.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Ingest } from "./ingester.ts";

console.log = console.error;
const [name = "", documents = "", scratch = ""] = process.argv.slice(2);
const { ingest } = (await import(`./ingesters/${name}.ts`)) as { ingest: Ingest };

for await (const _ of createInterface({ input: process.stdin })) {
  const into = mkdtempSync(join(scratch, `${name}-`));
  const cpu = process.cpuUsage();
  const started = performance.now();
  const chunks = await ingest(documents, into);
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  process.stdout.write(`${JSON.stringify({ ms, cpuMs: (user + system) / 1000, chunks })}\n`);
  rmSync(into, { recursive: true });
}

// Does the operations that are left, noting the beginning and the end of each, and dies without warning where it is told to: `phase|point|n` is the n-th time
// that it passes there; without one, it goes on until it is killed.
import { appendFileSync } from "node:fs";
import { openConnection } from "../../src/stores/sqlite/open-connection.ts";
import { withFailpoints } from "./failpoints.ts";
import { close, makeOperations, openWorkplace, perform, timeOf } from "./workload.ts";

const [path = "", journal = "", seed = "", length = "", from = "", failpoint = "", until = ""] = process.argv.slice(2);
const [wantedPhase = "", wantedPoint = "", nth = "1"] = failpoint.split("|");
let left = Number(nth);
let current = "open";

const connect = async () => withFailpoints(await openConnection(path, { busyTimeoutMs: 5000 }), () => current, pass);

function pass(phase: string, point: string): void {
  // Written before it is survived: what stands last is where the process was when it was killed.
  if (failpoint === "") appendFileSync(journal, `at ${phase}|${point}\n`);
  if (phase !== wantedPhase || point !== wantedPoint || --left > 0) return;
  appendFileSync(journal, `at ${phase}|${point}\n`);
  process.kill(process.pid, "SIGKILL");
}

const clock = { now: 0 };
const operations = makeOperations(Number(seed), Number(length));
clock.now = timeOf(Number(from));
const place = await openWorkplace(path, connect, clock);
process.send?.("ready");
for (let i = Number(from); i < Math.min(operations.length, Number(until)); i++) {
  const operation = operations[i]!;
  clock.now = timeOf(i);
  current = operation.kind;
  appendFileSync(journal, `begun ${i}\n`);
  await perform(place, operation);
  appendFileSync(journal, `done ${i}\n`);
}
current = "close";
await close(place);
process.disconnect?.();

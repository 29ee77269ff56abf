// Work that needs a new process each time: a script under tasks/ that takes its task as JSON and prints one JSON
// object.
import { spawn } from "node:child_process";
import { join } from "node:path";

/** **Errors** the script's output on stderr. */
export async function runTask<Result>(name: string, told: object): Promise<Result> {
  const script = join(import.meta.dirname, "tasks", `${name}.ts`);
  const printed = await run(["--expose-gc", "--max-old-space-size=12000", script, JSON.stringify(told)]);
  return JSON.parse(printed) as Result;
}

/** Runs Node and gives what it printed. */
export function run(args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LANCEDB_LOG: "error" },
  });
  let printed = "";
  let complaints = "";
  child.stdout.on("data", (data: Buffer) => (printed += data.toString()));
  child.stderr.on("data", (data: Buffer) => (complaints += data.toString()));
  child.on("error", reject);
  child.on("close", (code) =>
    code === 0 ? resolve(printed) : reject(new Error(`${args.join(" ")}: ${complaints.slice(-1500)}`)),
  );
  return promise;
}

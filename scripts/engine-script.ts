// Runs the script of an engine in `examples/engines` over the engine that was started, as a program of its own.
import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Arguments and variables that a script takes beside the address. A folder of an engine in this process holds a file of its own. */
const given: Readonly<
  Record<string, { readonly args?: readonly string[]; readonly file?: string; readonly env?: object }>
> = {
  sqlite: { file: "script.sqlite" },
  duckdb: { file: "script.duckdb" },
  kusto: { args: ["db"], env: { KUSTO_TOKEN: "token" } },
  "azure-search": { env: { AZURE_SEARCH_KEY: "admin" } },
  pinecone: { env: { PINECONE_API_KEY: "key" } },
};

/** Prints the lines of the script under the name of the engine. **Shape** whether it ended well. */
export async function runScript(name: string, address: string): Promise<boolean> {
  const { args = [], file, env } = given[name] ?? {};
  const script = join(root, "examples", "engines", `${name}.ts`);
  const place = file === undefined ? address : join(address, file);
  const child = spawn(process.execPath, ["--no-warnings", script, place, ...args], { env: { ...process.env, ...env } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (some: Buffer) => (said += some.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const lines = said.trim().split("\n");
  console.log([`node ${name}.ts: ${code === 0 ? "ended well" : `FAILED (${code})`}`, ...lines].join("\n  "));
  return code === 0;
}

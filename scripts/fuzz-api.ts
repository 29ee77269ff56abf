// Fuzzes the OpenAPI document of a running `ibid serve` with schemathesis (PyPI), over documents in four scopes. There is
// a run without a key, with a wrong one, and with each kind of key: nobody's, a reader's, a writer's, and two operators'.
// The last run is over a service without keys (`--write`). Two roles ask at a time. No answer may be a 5xx, of an undocumented status or content
// type, or of another shape than its schema. The exit code is 1 on any.
//
//   pip install schemathesis==4.32.5
//   npm run fuzz:api                            50 requests of each operation
//   npm run fuzz:api -- --examples 500 --seed 7
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { buildPage } from "./build-page.ts";

const { values } = parseArgs({
  options: {
    examples: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    schemathesis: { type: "string", default: process.env["IBID_SCHEMATHESIS"] ?? "schemathesis" },
  },
});
const program = values.schemathesis;
if (spawnSync(program, ["--version"]).status !== 0) {
  console.error(`${program} does not run. Install it (pip install schemathesis), or name it with --schemathesis.`);
  process.exit(2);
}

const keys = [
  { name: "anyone", key: "anyone-anyone-anyone-key" },
  { name: "reader", key: "reader-reader-reader-key", userId: "ada", teamId: "acme" },
  { name: "writer", key: "writer-writer-writer-key", userId: "bob", teamId: "umbrella", write: true },
  { name: "watching operator", key: "watcher-watcher-watcher", operator: true },
  { name: "operator", key: "operator-operator-operator", operator: true, write: true },
];
const roles = [{ name: "no key", key: undefined }, { name: "wrong key", key: "wrong-wrong-wrong-wrong" }, ...keys];

await buildPage(join(import.meta.dirname, "..", "src", "server", "page", "built"));
const folder = mkdtempSync(join(tmpdir(), "ibid-fuzz-api-"));
const place = join(folder, ".ibid");
let failed = 0;
try {
  const kb = await openKnowledgeBase(place);
  for (const scope of ["deployment", "team:acme", "team:umbrella", "user:ada"] as const)
    await kb.ingest({ uri: "keys.md", text: `# Keys\n\nKeys of ${scope} rotate every 90 days.` }, { scope });
  await kb.close();
  writeFileSync(join(folder, "keys.json"), JSON.stringify({ keys }));
  // A piece of an upload is bytes, under a name that schemathesis does not know.
  const alias = 'schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")';
  writeFileSync(join(folder, "hooks.py"), `import schemathesis\n\n${alias}\n`);
  const broken: string[] = [];
  const run = async (
    how: readonly string[],
    each: readonly { readonly name: string; readonly key: string | undefined }[],
  ) => {
    const service = await serve(how);
    const waiting = [...each];
    const fuzzNext = async (): Promise<void> => {
      for (let role = waiting.shift(); role !== undefined; role = waiting.shift()) {
        const { code, output } = await fuzz(service.url, role.key);
        console.log(`\n== ${role.name} ==\n${output}`);
        if (code !== 0) broken.push(role.name);
      }
    };
    try {
      await Promise.all([fuzzNext(), fuzzNext()]);
    } finally {
      service.stop();
    }
  };
  await run(["--keys", join(folder, "keys.json")], roles);
  await run(["--write"], [{ name: "a service without keys", key: undefined }]);
  console.log(`\n${roles.length + 1} roles; ${broken.length === 0 ? "none" : broken.join(", ")} failed.`);
  failed = broken.length;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

/** Starts the real command, and waits for the address that it prints. A request that a limit refuses tests nothing else, so the limits are high. */
async function serve(how: readonly string[]): Promise<{ readonly url: string; stop(): void }> {
  const args = ["src/cli/bin.ts", "serve", "--kb", place, "--port", "0", ...how];
  const env = {
    ...process.env,
    IBID_SERVE_LIMITS_REQUESTS_PER_MINUTE: "1000000",
    IBID_SERVE_LIMITS_STRANGERS_PER_MINUTE: "1000000",
  };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    const read = (text: string): void => {
      said += text;
      const found = /http:\/\/[\w.:[\]]+\/?/u.exec(said);
      if (found !== null) resolve(found[0].replace(/\/$/u, ""));
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.on("exit", () => reject(new Error(`ibid serve ended: ${said}`)));
  });
  return { url, stop: () => child.kill() };
}

/** **Shape** the exit code of schemathesis, and all that it printed. */
function fuzz(url: string, key: string | undefined): Promise<{ readonly code: number; readonly output: string }> {
  const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
  const args = ["run", `${url}/openapi.json`, "--checks", checks, "--max-examples", values.examples];
  const how = [
    "--phases",
    "examples,coverage,fuzzing",
    "--seed",
    values.seed,
    "--request-timeout",
    "60",
    "--generation-database",
    "none",
    ...(key === undefined ? [] : ["--header", `Authorization: Bearer ${key}`]),
  ];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: "hooks" };
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, ...how], { cwd: folder, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

// Holds the OpenAPI document of a running service to two tools of others. Redocly's recommended rules find no error. A TypeScript client that
// openapi-typescript generates has the types of hits, answers and citations. It compiles, and asks the service. Needs the registry.
//
//   npm run check:openapi
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "../src/index.node.ts";
import { startService } from "../src/server/index.node.ts";
import { npm } from "./packed.ts";

const packages = ["@redocly/cli@2.77.0", "openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];

const client = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

type Hit = components["schemas"]["Hit"];
type Answer = components["schemas"]["Answer"];
type Citation = components["schemas"]["Citation"];

const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createClient<paths, "application/json">({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

const { data: found } = await client.POST("/search", { body: { query: "key", topK: 3 } });
const hit: Hit | undefined = found?.hits[0];
const { data, error } = await client.POST("/ask", { body: { question: "How long is a key valid?" } });
if (data === undefined) throw new Error(error?.error.message);
const answer: Answer = data;
const citation: Citation | undefined = answer.citations[0];
const { data: document } = await client.GET("/document", {
  params: { query: { uri: citation!.uri, start: citation!.start, end: citation!.end } },
});
if (hit?.source.uri !== "keys.md" || document?.text !== citation?.quote) throw new Error("The citation leads elsewhere.");
// @ts-expect-error -- the types know the fields of a hit
void hit?.nothing;
console.log(document?.text);
`;

const folder = mkdtempSync(join(tmpdir(), "ibid-openapi-"));
const kb = await openKnowledgeBase();
await kb.ingest({ uri: "keys.md", text: "# Keys\n\nA key is valid for ninety days." });
const keys = [{ name: "ops", key: "ops-ops-ops-ops-ops", operator: true, write: true }];
const service = await startService(kb, { port: 0, keys });
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  npm(folder, "install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages);
  const file = join(folder, "openapi.json");
  writeFileSync(file, await (await fetch(new URL("openapi.json", service.url))).text());

  const linted = run(folder, "redocly", "lint", file, "--extends=recommended", "--format=json");
  const { totals, problems } = JSON.parse(linted.slice(linted.indexOf("{"))) as {
    readonly totals: { readonly errors: number; readonly warnings: number };
    readonly problems: readonly { readonly ruleId: string; readonly severity: string; readonly message: string }[];
  };
  for (const { severity, ruleId, message } of problems) console.log(`  ${severity} ${ruleId}: ${message}`);
  console.log(`redocly, recommended rules: ${totals.errors} errors, ${totals.warnings} warnings.`);
  if (totals.errors > 0) process.exitCode = 1;

  run(folder, "openapi-typescript", file, "-o", join(folder, "api.d.ts"));
  writeFileSync(join(folder, "client.ts"), client);
  const options = [
    "--strict",
    "--rewriteRelativeImportExtensions",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "node",
    "--typeRoots",
  ];
  run(folder, "tsc", ...options, join(import.meta.dirname, "../node_modules/@types"), "client.ts");
  const said = await runOn(folder, join(folder, "client.js"), service.url.replace(/\/$/u, ""), keys[0]!.key);
  console.log(`A generated client compiles, and quotes: ${said.trim()}`);
} finally {
  await service.stop();
  await kb.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a program of the folder. Its output is read also where it ends with an error, which the caller reads from it. */
function run(cwd: string, program: string, ...args: readonly string[]): string {
  const path = join(cwd, "node_modules", ".bin", program);
  try {
    return execFileSync(path, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    if (program === "redocly" && stdout.includes("{")) return stdout;
    throw new Error(`${program} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
/** The same without blocking this process, whose service is asked. */
async function runOn(cwd: string, ...args: readonly string[]): Promise<string> {
  const { promisify } = await import("node:util");
  const { execFile } = await import("node:child_process");
  return (await promisify(execFile)(process.execPath, args, { cwd })).stdout;
}

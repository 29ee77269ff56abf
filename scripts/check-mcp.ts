// Holds the MCP server of the packed package to two clients of others: the official inspector's command line, and Python's official client. The second one is
// another implementation of the protocol. Both ask it on standard input and output and over HTTP, with the handshake of before 2026 and without it. A person
// signs in at a real OpenID provider. Needs the registries of npm and of Python.
//
//   npm run check:mcp
//   npm run check:mcp -- --keep    leaves the folder
import { execFile, type ChildProcess, spawn } from "node:child_process";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import Provider from "oidc-provider";
import { npm, packAndInstall } from "./packed.ts";
import { freePort } from "./start-postgres.ts";

const inspectorPackage = "@modelcontextprotocol/inspector@2.12.0";
const pythonPackage = "mcp==2.3.0";
const documents = 1200;
const query = "Which stone lies in drawer 0007?";
const key = "reader-reader-reader-key";

/** Findings of `mcp/ask.py`. */
interface Findings {
  readonly protocol: string;
  readonly server: { readonly name: string; readonly version: string };
  readonly tools: readonly (readonly [name: string, hasOutputSchema: boolean])[];
  readonly pages: readonly number[];
  readonly titles: readonly string[];
  readonly sizes: readonly number[];
  readonly read: readonly [told: number, found: number];
  readonly template: string;
  readonly completed: readonly [scopes: readonly string[], uris: readonly string[]];
  readonly found: readonly {
    readonly url: string;
    readonly line: number;
    readonly start: number;
    readonly end: number;
  }[];
  readonly opened: { readonly text: string };
  readonly answer: { readonly text: string; readonly citations: readonly { readonly quote: string }[] };
  readonly hidden: { readonly results: readonly unknown[] };
  readonly prompts: readonly string[];
  readonly prompt: string;
  readonly unknown: readonly [code: number, message: string] | null;
}

const work = mkdtempSync(join(tmpdir(), "ibid-mcp-"));
const project = join(work, "project");
const bin = join(project, "node_modules", "ibid", "dist", "cli", "bin.js");
const env = {
  ...process.env,
  MCP_CATALOG_PATH: join(work, "catalog.json"),
  PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
};
const run = async (program: string, ...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd: project, env, maxBuffer: 2 ** 26 })).stdout;
const ibid = (...args: readonly string[]): Promise<string> => run(process.execPath, bin, ...args);

/** Each protocol of a client: with the handshake of before 2026, and without. */
const eras = [
  ["with a handshake", "legacy"],
  ["without one", "auto"],
] as const;

const stops: (() => unknown)[] = [];
try {
  await prepare();
  const stdio = [process.execPath, bin, "mcp"];
  const inspected = (...args: readonly string[]) => inspect([...args, "--", ...stdio]);
  await check("the inspector, on standard input and output", () => checkInspector(inspected));
  for (const [name, mode] of eras)
    await check(`Python's client, on standard input and output, ${name}`, async () =>
      judge(await askPython({ command: stdio, cwd: project, mode })),
    );

  const issuer = await startProvider();
  const url = await startService(issuer);
  const overHttp = (...args: readonly string[]) =>
    inspect([...args, "--server-url", `${url}mcp`, "--transport", "http", "--header", `authorization: Bearer ${key}`]);
  await check("the inspector, over HTTP with a key", () => checkInspector(overHttp));
  for (const [name, mode] of eras)
    await check(`Python's client, over HTTP with a key, ${name}`, async () => {
      const findings = await askPython({ url: `${url}mcp`, key, mode });
      return `${judge(findings)}, ${await checkOverHttp(findings)}`;
    });
  await check("metadata of the protected resource", () => checkMetadata(url, issuer));
  await check("Python's client signs a person in at an OpenID provider", async () =>
    judge(await askPython({ url: `${url}mcp`, person: "ada", mode: "auto" })),
  );
} finally {
  for (const stop of stops.toReversed()) await stop();
  if (!process.argv.includes("--keep")) rmSync(work, { recursive: true, force: true });
  else console.log(`Kept ${work}`);
}

async function check(name: string, work: () => Promise<string>): Promise<void> {
  try {
    console.log(`✓ ${name}: ${await work()}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`✗ ${name}: ${error instanceof Error ? error.message.slice(0, 3000) : String(error)}`);
  }
}

/** Installs everything, and writes documents of one title, as reports of a series have. */
async function prepare(): Promise<void> {
  packAndInstall(work, project);
  npm(project, "install", "--no-audit", "--no-fund", "--ignore-scripts", inspectorPackage, "jose@6.2.17");
  await run("python3", "-m", "venv", join(work, "python"));
  await run(join(work, "python", "bin", "pip"), "install", "-q", pythonPackage);
  mkdirSync(join(project, "shelf"));
  for (let n = 0; n < documents; n++) {
    const number = String(n).padStart(4, "0");
    writeFileSync(
      join(project, "shelf", `doc-${number}.md`),
      `# Minerals\n\nThe stone amethyst ${number} lies in drawer ${number}.\n`,
    );
  }
  await ibid("ingest", "shelf", "--quiet");
  writeFileSync(join(project, "hidden.md"), "# Minerals\n\nThe hidden stone lies in drawer 0007.\n");
  await ibid("ingest", "hidden.md", "--scope", "team:hidden", "--quiet");
}

/** **Source** https://github.com/modelcontextprotocol/inspector, the command line. */
async function inspect(args: readonly string[]): Promise<Record<string, never>> {
  const launcher = join(project, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build");
  const printed = await run(
    process.execPath,
    join(launcher, "index.js"),
    "--cli",
    "--stored-auth-only",
    "--format",
    "json",
    ...args,
  );
  return (JSON.parse(printed) as { readonly result: Record<string, never> }).result;
}

async function checkInspector(ask: (...args: readonly string[]) => Promise<Record<string, never>>): Promise<string> {
  // The inspector ends with 6 where a schema keeps models of some vendor from calling the tool.
  const { tools } = (await ask("--method", "tools/list", "--strict")) as unknown as {
    readonly tools: readonly { readonly name: string; readonly outputSchema?: object }[];
  };
  assert.deepEqual(
    tools.filter((tool) => tool.outputSchema === undefined).map(({ name }) => name),
    [],
  );
  const { resources } = (await ask("--method", "resources/list")) as unknown as {
    readonly resources: readonly { readonly uri: string; readonly title: string }[];
  };
  assert.ok(resources.length >= documents, `${resources.length} resources`);
  assert.equal(new Set(resources.map(({ title }) => title)).size, resources.length);
  const { resourceTemplates } = (await ask("--method", "resources/templates/list")) as unknown as {
    readonly resourceTemplates: readonly { readonly uriTemplate: string }[];
  };
  assert.equal(resourceTemplates[0]?.uriTemplate, "ibid://documents/{scope}/{uri}");
  const read = await ask(
    "--method",
    "resources/read",
    "--uri",
    resources.find(({ uri }) => uri.includes("doc-0007"))!.uri,
  );
  assert.match(JSON.stringify(read), /drawer 0007/u);
  await assert.rejects(ask("--method", "resources/read", "--uri", "ibid://documents/deployment/nothing"), /not found/u);
  const { prompts } = (await ask("--method", "prompts/list")) as unknown as {
    readonly prompts: readonly { readonly name: string }[];
  };
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ["ask-with-citations", "verify-answer"],
  );
  const prompt = await ask(
    "--method",
    "prompts/get",
    "--prompt-name",
    "ask-with-citations",
    "--prompt-args",
    "question=why",
  );
  assert.match(JSON.stringify(prompt), /Question: why/u);
  const found = await ask("--method", "tools/call", "--tool-name", "search", "--tool-arg", `query=${query}`);
  assert.match(JSON.stringify(found), /doc-0007\.md/u);
  return `${tools.length} tools with output schemas, ${resources.length} resources with different titles, ${prompts.length} prompts`;
}

async function askPython(how: object): Promise<Findings> {
  const client = join(import.meta.dirname, "mcp", "ask.py");
  return JSON.parse(
    await run(join(work, "python", "bin", "python"), client, JSON.stringify({ ...how, query })),
  ) as Findings;
}

function judge(findings: Findings): string {
  const { protocol, server, tools, pages, titles, sizes, read, completed, found, opened, answer } = findings;
  assert.equal(server.name, "ibid");
  assert.deepEqual(
    tools.filter(([, hasOutputSchema]) => !hasOutputSchema),
    [],
  );
  for (const name of ["search", "fetch", "ask", "verify", "list_documents", "list_facets"])
    assert.ok(
      tools.some(([known]) => known === name),
      `no tool ${name}`,
    );
  assert.ok(pages.length > documents / 100 && pages.every((length) => length > 0), `pages of ${pages.join(", ")}`);
  assert.ok(titles.length >= documents, `${titles.length} resources`);
  assert.equal(new Set(titles).size, titles.length);
  assert.ok(sizes.every((size) => size > 0));
  assert.equal(read[0], read[1], "a resource has another size than the list tells");
  assert.equal(findings.template, "ibid://documents/{scope}/{uri}");
  assert.ok(completed[0].includes("deployment"), `scopes complete to ${completed[0].join(", ")}`);
  assert.equal(completed[1].length, 10, `uris complete to ${completed[1].join(", ")}`);
  assert.match(found[0]!.url, /doc-0007/u);
  assert.ok(found[0]!.line > 0 && found[0]!.end > found[0]!.start);
  assert.match(opened.text, /amethyst 0007 lies in drawer 0007/u);
  assert.match(answer.text, /amethyst 0007/u);
  assert.ok(answer.citations.length > 0);
  assert.deepEqual(findings.prompts, ["ask-with-citations", "verify-answer"]);
  assert.match(findings.prompt, /drawer 0007/u);
  // **Source** Model Context Protocol, resources: the error of a resource that is not there, -32002 before 2026-07-28.
  assert.ok(
    [-32_602, -32_002].includes(findings.unknown?.[0] ?? 0),
    `an unknown resource is ${String(findings.unknown)}`,
  );
  return `${protocol}, ${tools.length} tools, ${titles.length} resources in ${pages.length} pages`;
}

/** A reader finds nothing in a scope of others, and the address of a result opens the page. */
async function checkOverHttp({ found, hidden }: Findings): Promise<string> {
  assert.deepEqual(hidden.results, []);
  const { url } = found[0]!;
  assert.match(url, /^http:/u);
  const page = await fetch(url);
  assert.equal(page.status, 200, `${url} gives ${page.status}`);
  assert.match(page.headers.get("content-type") ?? "", /text\/html/u);
  return "the address of a result opens the page";
}

/** **Source** RFC 9728. */
async function checkMetadata(url: string, issuer: string): Promise<string> {
  const refused = await fetch(`${url}mcp`, { method: "POST", body: "{}" });
  assert.equal(refused.status, 401);
  const [, named = ""] = /resource_metadata="([^"]+)"/u.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
  const metadata = (await (await fetch(named)).json()) as Readonly<Record<string, unknown>>;
  assert.equal(metadata["resource"], `${url}mcp`);
  assert.deepEqual(metadata["authorization_servers"], [issuer]);
  return named;
}

/** `ibid serve` with a key and with the tokens of the provider. **Shape** its address. */
async function startService(issuer: string): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const tokens = { issuer, audience: `${url}mcp` };
  writeFileSync(join(project, "keys.json"), JSON.stringify({ keys: [{ name: "reader", key, userId: "ada" }] }));
  writeFileSync(join(project, "ibid.config.json"), JSON.stringify({ serve: { port, keys: "keys.json", tokens } }));
  const service: ChildProcess = spawn(process.execPath, [bin, "serve"], { cwd: project, env, stdio: "ignore" });
  stops.push(() => service.kill());
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    const response = await fetch(`${url}readyz`).catch(() => undefined);
    if (response?.ok === true) return url;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the service was not ready after 30 seconds");
}

/** An OpenID provider on loopback, at which clients register themselves. */
async function startProvider(): Promise<string> {
  const server = createServer((request, response) => void provider.callback()(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [],
    cookies: { keys: ["a-key-of-the-cookies"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    clientDefaults: { token_endpoint_auth_method: "none" },
    features: {
      registration: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_context, _client, oneOf) => oneOf ?? [],
        getResourceServerInfo: (_context, resource) => ({
          scope: "openid",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return issuer;
}

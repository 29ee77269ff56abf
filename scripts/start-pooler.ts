// Starts PgBouncer before a Postgres server, pooling by transaction, where the machine has it.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asNobody, freePort } from "./start-postgres.ts";

export interface Pooler {
  readonly address: string;
  stop(): void;
}

/** **Shape** `undefined` where there is no PgBouncer: `apt-get install pgbouncer`, or its path in `IBID_PGBOUNCER`. */
export async function startPooler(address: string): Promise<Pooler | undefined> {
  const program = process.env["IBID_PGBOUNCER"] ?? "pgbouncer";
  if (spawnSync(program, ["--version"], { env: process.env }).status !== 0) return undefined;
  const server = new URL(address);
  const folder = mkdtempSync(join(tmpdir(), "ibid-pooler-"));
  const file = join(folder, "pooler.ini");
  const port = await freePort();
  const { hostname, username, password } = server;
  writeFileSync(
    file,
    `[databases]
postgres = host=${hostname} port=${server.port} dbname=postgres user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`,
  );
  chmodSync(folder, 0o755);
  const child = spawn(program, ["-q", file], { ...asNobody, stdio: "ignore" });
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 100) throw new Error("PgBouncer does not answer.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  server.port = String(port);
  return {
    address: server.href,
    stop() {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

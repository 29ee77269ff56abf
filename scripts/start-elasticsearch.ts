// Starts Elasticsearch for tests, out of Maven, with a Java of the machine. The data goes with the server.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asNobody, freePort } from "./start-postgres.ts";

const version = "8.15.0";

/** @param cache a folder for downloads. **Errors** where Maven or Java are missing, or the server does not answer. */
export async function startElasticsearch(
  cache: string,
): Promise<{ readonly address: string; readonly folder: string; stop(): void }> {
  const home = process.env["JAVA_HOME"] ?? findJava();
  const unpacked = join(cache, `elasticsearch-${version}`);
  if (!existsSync(unpacked)) {
    const artifact = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${version}:zip`;
    const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
    mkdirSync(cache, { recursive: true });
    execFileSync("mvn", ["-q", "-B", copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`], {
      cwd: cache,
      stdio: "ignore",
    });
    execFileSync("unzip", ["-oq", join(cache, `elasticsearch-${version}.zip`), "-d", cache]);
  }
  // The server runs as `nobody`, who may not enter every checkout.
  const folder = mkdtempSync(join(tmpdir(), "ibid-elasticsearch-"));
  chmodSync(folder, 0o755);
  cpSync(unpacked, folder, { recursive: true });
  const port = await freePort();
  const settings = {
    "http.port": port,
    "network.host": "127.0.0.1",
    "discovery.type": "single-node",
    "xpack.security.enabled": false,
    "cluster.routing.allocation.disk.threshold_enabled": false,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${value}\n`);
  appendFileSync(join(folder, "config", "elasticsearch.yml"), `\n${lines.join("")}`);
  if (asNobody.uid !== undefined) execFileSync("chown", ["-R", `${asNobody.uid}:${asNobody.gid}`, folder]);
  const child = spawn(join(folder, "bin", "elasticsearch"), {
    ...asNobody,
    cwd: folder,
    stdio: "ignore",
    env: { ...process.env, HOME: folder, ES_JAVA_HOME: home, ES_JAVA_OPTS: "-Xms1g -Xmx1g" },
  });
  const stop = (): void => {
    child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(`${address}/_cluster/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { address, folder: join(folder, "data"), stop };
    if (tries > 600 || child.exitCode !== null) {
      stop();
      throw new Error("Elasticsearch does not answer");
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** The Java that is called `java`: Elasticsearch starts no other by itself. */
function findJava(): string {
  const { stderr } = spawnSync("java", ["-XshowSettings:properties", "-version"], { encoding: "utf8" });
  const home = /java\.home = (.*)/u.exec(stderr ?? "")?.[1];
  if (home === undefined) throw new Error("there is no Java");
  return home.trim();
}

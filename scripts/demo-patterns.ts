// The three ways to deploy, each with processes of its own on loopback: embedded, stateless services over a managed database, ingestion and search apart.
// Each must give the same hits, and so must the services that stay when one is killed. The database is started for it.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Answer, Works } from "./patterns/node.ts";
import { installEngines, startPostgres } from "./start-postgres.ts";

const root = join(import.meta.dirname, "..");
const questions = [
  "how is a hidden document kept from moving a score",
  "why does ibid not use FTS5",
  "rows are the truth",
  "what happens to a purged text",
  "loom that weaves cloth",
];

interface Node {
  call<Name extends keyof Works>(name: Name, given: Works[Name]): Promise<unknown>;
  kill(): Promise<void>;
}

const children = new Set<ChildProcess>();

function ended(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once("close", resolve));
}

function startNode(cwd: string): Node {
  const child = fork(join(import.meta.dirname, "patterns/node.ts"), { cwd });
  children.add(child);
  const gone = ended(child);
  let count = 0;
  const waiting = new Map<number, (answer: Answer) => void>();
  child.on("message", (answer: Answer) => waiting.get(answer.id)?.(answer));
  return {
    async call(name, given) {
      const id = count++;
      const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      child.send({ id, do: name, given });
      const said = await Promise.race([answer, gone.then((): Answer => ({ id, error: "The process ended." }))]);
      if ("error" in said) throw new Error(`${name}: ${said.error}`);
      return said.result;
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

interface Service {
  search(question: string): Promise<unknown>;
  kill(): Promise<void>;
}

async function startService(cwd: string, env: Readonly<Record<string, string>>): Promise<Service> {
  const child = spawn(process.execPath, [join(root, "src/cli/bin.ts"), "serve", "--port", "0"], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.add(child);
  const gone = ended(child);
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/u.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    void gone.then(() => reject(new Error(`The service ended: ${said}`)));
  });
  return {
    async search(question) {
      const response = await fetch(`${url}/search`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: question, topK: 5 }),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      const { hits } = (await response.json()) as { hits: { source: { uri: string }; score: number }[] };
      return hits.map(({ source, score }) => [source.uri, score]);
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** Hits by words, which are those of the embedded base, and by meanings, which are those of every node of one base. */
interface Found {
  readonly words: readonly unknown[];
  readonly meanings: readonly unknown[];
}

function same(name: string, found: unknown, expected: unknown): void {
  const isSame = isDeepStrictEqual(found, expected);
  console.log(`${isSame ? "same hits and scores" : "OTHER HITS"}: ${name}`);
  if (!isSame) {
    console.log(JSON.stringify(found), "\n", JSON.stringify(expected));
    process.exitCode = 1;
  }
}

installEngines();
const server = await startPostgres();
if (server === undefined) throw new Error("There are no binaries of Postgres for this machine.");
const folder = mkdtempSync(join(tmpdir(), "ibid-patterns-"));
const pages = join(folder, "docs");
mkdirSync(pages);
cpSync(join(root, "docs"), pages, { recursive: true });
const files = readdirSync(join(pages, "decisions")).toSorted();
const halves = [0, 1].map((half) => files.filter((_, i) => i % 2 === half).map((file) => join("docs/decisions", file)));
const close = (nodes: readonly Node[]): Promise<unknown> => Promise.all(nodes.map((node) => node.call("close", {})));

try {
  console.log(`${files.length} documents, records and entities; ${questions.length} questions.`);

  // One process, one folder.
  const embedded = startNode(folder);
  await embedded.call("open", { location: join(folder, ".ibid") });
  for (const half of [0, 1] as const) {
    await embedded.call("ingest", { paths: halves[half]! });
    await embedded.call("records", { half });
  }
  await embedded.call("settle", {});
  const expected = (await embedded.call("ask", { questions })) as Found;
  console.log(`embedded: ${expected.words.length} answers by words, ${expected.meanings.length} by meanings.`);

  // Two processes ingest, three search; each has a copy of its own.
  const address = `${server.address}?schema=apart`;
  const place = (name: string): string => join(folder, "copies", name);
  const writers = ["w0", "w1"].map(() => startNode(folder));
  for (const [i, writer] of writers.entries())
    await writer.call("open", { location: address, options: { replica: { replicas: place(`w${i}`) } } });
  const readers: Node[] = [];
  for (const [i, follow] of (["listen", "poll", undefined] as const).entries()) {
    const reader = startNode(folder);
    await reader.call("open", { location: address, options: { replica: { replicas: place(`r${i}`), follow } } });
    readers.push(reader);
  }
  // Both at once, while one reader searches on and is killed.
  const killing = new AbortController();
  const searching = (async () => {
    while (!killing.signal.aborted) await readers[2]!.call("ask", { questions: questions.slice(0, 1) });
  })().catch(() => {});
  await Promise.all(
    writers.map(async (writer, i) => {
      for (let from = 0; from < halves[i]!.length; from += 10)
        await writer.call("ingest", { paths: halves[i]!.slice(from, from + 10) });
      await writer.call("records", { half: i as 0 | 1 });
    }),
  );
  killing.abort();
  await readers[2]!.kill();
  await searching;
  for (const writer of writers) await writer.call("settle", {});
  const again = startNode(folder);
  await again.call("open", { location: address, options: { replica: { replicas: place("r2") } } });
  const fresh = startNode(folder);
  await fresh.call("open", { location: address, options: { replica: { replicas: place("new") } } });
  // The store's own model is fitted on chunks in the order in which they came, and two writers have another order than one.
  const { meanings } = (await writers[0]!.call("ask", { questions })) as Found;
  for (const [name, node] of [
    ["the first writer", writers[0]!],
    ["the other writer", writers[1]!],
    ["a reader that listens", readers[0]!],
    ["a reader that polls", readers[1]!],
    ["the killed reader, started again on its copy", again],
    ["a new reader", fresh],
  ] as const)
    same(`ingestion and search apart, ${name}`, await node.call("ask", { questions }), {
      words: expected.words,
      meanings,
    });
  await close([embedded, ...writers, readers[0]!, readers[1]!, again, fresh]);

  // Services without a state of their own, over the same database.
  const env = (name: string): Record<string, string> => ({ IBID_KB: address, IBID_REPLICAS: place(name) });
  const services = await Promise.all(["s0", "s1", "s2"].map((name) => startService(folder, env(name))));
  const askAll = (service: Service): Promise<unknown> =>
    Promise.all(questions.map((question) => service.search(question)));
  const first = await askAll(services[0]!);
  same("stateless services, the second", await askAll(services[1]!), first);
  await services[2]!.kill();
  same("stateless services, the first while the third is killed", await askAll(services[0]!), first);
  rmSync(place("s2"), { recursive: true, force: true });
  const another = await startService(folder, env("s2"));
  same("stateless services, one in place of the third, without its copy", await askAll(another), first);
} finally {
  for (const child of children) child.kill("SIGKILL");
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}

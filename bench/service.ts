/**
 * The service under load: throughput by `--workers`, delay of the event loop under an upload, memory after many requests.
 *
 *     npm run bench:service [-- --documents 2000 --seconds 8 --requests 20000 --only workers,upload,memory,heap]
 *
 * Every service is a process of its own, over a knowledge base that is made beforehand. The load comes from this process, so that it takes processor time too.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request as startRequest } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";

const { values: given } = parseArgs({
  options: {
    documents: { type: "string", default: "3000" },
    seconds: { type: "string", default: "8" },
    requests: { type: "string", default: "20000" },
    only: { type: "string", default: "workers,upload,memory,heap" },
  },
});
const documents = Number(given.documents);
const seconds = Number(given.seconds);
const only = new Set(given.only.split(","));
const program = new URL("../src/cli/bin.ts", import.meta.url).pathname;

/** Words by rank, so that some are frequent and most are rare, as in a language. */
let seed = 20;
const random = (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
};
const word = (): string => `w${Math.floor(20_000 ** random()).toString(36)}`;
const sentence = (): string => `${Array.from({ length: 14 }, word).join(" ")}.`;
const text = (paragraphs: number): string =>
  Array.from({ length: paragraphs }, () => Array.from({ length: 6 }, sentence).join(" ")).join("\n\n");
const questions = Array.from({ length: 500 }, () => Array.from({ length: 6 }, word).join(" "));

const folder = mkdtempSync(join(tmpdir(), "bench-service-"));
const kb = await openKnowledgeBase(join(folder, ".ibid"));
const inputs = Array.from({ length: documents }, (_, at) => ({
  uri: `d${at}.md`,
  text: `# ${sentence()}\n\n${text(5)}`,
}));
await kb.ingest(inputs, { settle: true });
const { chunks } = await kb.status();
await kb.close();
console.log(`${documents} documents, ${chunks} chunks, ${availableParallelism()} processors`);

interface Serving {
  readonly url: string;
  readonly pid: number;
  send(path: string, body?: unknown, method?: string): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<void>;
}

async function serve(args: readonly string[], flags: readonly string[] = []): Promise<Serving> {
  const child = spawn(process.execPath, [...flags, program, "serve", "--port", "0", "--write", "--json", ...args], {
    cwd: folder,
    env: { ...process.env, IBID_SERVE_LIMITS_REQUESTS_PER_MINUTE: "10000000" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { listening: url } = JSON.parse(line) as { readonly listening: string };
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const send: Serving["send"] = (path, body, method = body === undefined ? "GET" : "POST") =>
    new Promise((resolve, reject) => {
      const isBytes = body instanceof Uint8Array;
      const headers = body === undefined ? {} : { "content-type": isBytes ? "text/plain" : "application/json" };
      const request = startRequest(new URL(path, url), { method, agent, headers }, (response) => {
        let got = "";
        response.setEncoding("utf8").on("data", (part: string) => (got += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text: got }));
        response.on("error", reject);
      });
      request.on("error", reject);
      request.end(body === undefined ? undefined : isBytes ? body : JSON.stringify(body));
    });
  while ((await send("readyz")).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    url,
    pid: child.pid!,
    send,
    async stop() {
      child.kill("SIGTERM");
      agent.destroy();
      await once(child, "exit");
    },
  };
}

let asked = 0;
const search = async (serving: Serving): Promise<void> => {
  const { status } = await serving.send("search", { query: questions[asked++ % questions.length], topK: 10 });
  if (status !== 200) throw new Error(`status ${status}`);
};

/** Processor time of a process and of those that it started. **Units** milliseconds; `NaN` where the system has no `/proc`. */
function processorTimes(pid: number): { readonly own: number; readonly started: number } {
  try {
    const timeOf = (id: string): number => {
      const fields = readFileSync(`/proc/${id}/stat`, "utf8")
        .replace(/^.*\) /su, "")
        .split(" ");
      // Linux counts hundredths of a second.
      return (Number(fields[11]) + Number(fields[12])) * 10;
    };
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return { own: timeOf(String(pid)), started: children.map(timeOf).reduce((a, b) => a + b, 0) };
  } catch {
    return { own: Number.NaN, started: Number.NaN };
  }
}

/** Searches a second, and the processor time of one in each kind of process, in milliseconds. */
interface Throughput {
  readonly rate: number;
  readonly service: number;
  readonly workers: number;
  readonly load: number;
}

/** Searches with so many at once. */
async function throughput(serving: Serving, atOnce: number): Promise<Throughput> {
  const run = async (until: number): Promise<number> => {
    let done = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (performance.now() < until) {
          await search(serving);
          done += 1;
        }
      }),
    );
    return done;
  };
  await run(performance.now() + 2000);
  const before = processorTimes(serving.pid);
  const load = process.cpuUsage();
  const started = performance.now();
  const done = await run(started + seconds * 1000);
  const rate = (done * 1000) / (performance.now() - started);
  const after = processorTimes(serving.pid);
  const { user, system } = process.cpuUsage(load);
  return {
    rate,
    service: (after.own - before.own) / done,
    workers: (after.started - before.started) / done,
    load: (user + system) / 1000 / done,
  };
}

const metric = async (serving: Serving, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, "mu").exec((await serving.send("metrics")).text)?.[1]);

try {
  if (only.has("workers")) {
    const found = new Map<number, Throughput[]>();
    // Rounds in turn, so that other work on the machine strikes all alike.
    for (let round = 0; round < 3; round++) {
      for (const workers of [0, 1, 2]) {
        const serving = await serve(["--workers", String(workers)]);
        found.set(workers, [...(found.get(workers) ?? []), await throughput(serving, 16)]);
        await serving.stop();
      }
    }
    const median = (workers: number, of: (one: Throughput) => number): number =>
      found
        .get(workers)!
        .map(of)
        .toSorted((a, b) => a - b)[1]!;
    const rateOf = (workers: number): number => median(workers, ({ rate }) => rate);
    for (const workers of [0, 1, 2]) {
      const times = (["service", "workers", "load"] as const).map(
        (kind) => `${kind} ${median(workers, (one) => one[kind]).toFixed(2)}`,
      );
      console.log(
        `search, ${workers} workers: ${rateOf(workers).toFixed(1)}/s; processor time of one in ms: ${times.join(", ")}`,
      );
    }
    console.log(
      `2 workers over 1: ${(rateOf(2) / rateOf(1)).toFixed(2)}; over none: ${(rateOf(2) / rateOf(0)).toFixed(2)} (bar 1.5)`,
    );
  }

  if (only.has("upload")) {
    for (const workers of ["0", "2"]) {
      const serving = await serve(["--workers", workers]);
      await serving.send("metrics");
      const large = new TextEncoder().encode(text(8000));
      const upload = serving.send("document?uri=large.txt", large, "PUT");
      const times: number[] = [];
      const state = { isOver: false };
      void upload.finally(() => (state.isOver = true));
      while (!state.isOver) {
        const started = performance.now();
        await serving.send("livez");
        times.push(performance.now() - started);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const { status } = await upload;
      times.sort((a, b) => a - b);
      const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0;
      const delay = await metric(
        serving,
        'nodejs_eventloop_delay_seconds{quantile="0.99"}'.replaceAll(/[{}]/gu, "\\$&"),
      );
      console.log(
        `upload of ${(large.length / 1e6).toFixed(1)} MB, --workers ${workers}: status ${status}; /livez p99 ${p99.toFixed(0)} ms of ${times.length}; event loop p99 ${(delay * 1000).toFixed(0)} ms`,
      );
      await serving.stop();
    }
  }

  if (only.has("heap")) {
    const serving = await serve([], ["--expose-gc", "--import", new URL("heap-probe.ts", import.meta.url).href]);
    const heapOf = async (): Promise<number> => {
      process.kill(serving.pid, "SIGUSR2");
      await new Promise((resolve) => setTimeout(resolve, 500));
      return metric(serving, "nodejs_heap_used_bytes");
    };
    // Each question once: the words of a collection are decoded when they are first asked for, and kept.
    for (const _ of questions) await search(serving);
    const before = await heapOf();
    for (let i = 0; i < 1000; i += 10) await Promise.all(Array.from({ length: 10 }, () => search(serving)));
    const after = await heapOf();
    console.log(
      `heap after ${questions.length} requests ${(before / 1e6).toFixed(1)} MB, after 1,000 more ${(after / 1e6).toFixed(1)} MB: ${((after - before) / 1e6).toFixed(2)} MB (bar 2)`,
    );
    await serving.stop();
  }

  if (only.has("memory")) {
    // An hour at five requests a second and more, as fast as they go.
    const serving = await serve([]);
    const total = Number(given.requests);
    const resident = () => metric(serving, "process_resident_memory_bytes");
    const marks: number[] = [];
    for (let tenth = 0; tenth < 10; tenth++) {
      for (let i = 0; i < total / 10; i += 16) await Promise.all(Array.from({ length: 16 }, () => search(serving)));
      marks.push(Math.round((await resident()) / 1e6));
    }
    console.log(`resident memory by tenths of ${total} requests, MB: ${marks.join(", ")}`);
    await serving.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

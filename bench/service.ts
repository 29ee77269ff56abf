/**
 * The service under load: throughput by `--workers`, delay of the event loop under an upload, memory after many requests.
 *
 *     npm run bench:service [-- --documents 2000,8000 --searches 400 --rounds 7 --requests 20000 --only workers,heap,memory,upload]
 *
 * Every service is a process of its own, of the built program as people run it, over a knowledge base that is made beforehand. Throughput is measured over each size of it, the rest over the first.
 * The load comes from this process, so that it takes processor time too. Searches go over sockets of their own, without a client of HTTP.
 * A ratio of two services is the median over rounds. Each round asks both, one after the other, since the speed of a shared machine changes within minutes.
 */
import { fork, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request as startRequest } from "node:http";
import { connect } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { createRandom } from "../src/testing/random.ts";

const { values: given } = parseArgs({
  options: {
    documents: { type: "string", default: "3000,9000" },
    searches: { type: "string", default: "400" },
    rounds: { type: "string", default: "7" },
    requests: { type: "string", default: "20000" },
    only: { type: "string", default: "workers,heap,memory,upload" },
  },
});
const sizes = given.documents.split(",").map(Number);
const searches = Number(given.searches);
const rounds = Number(given.rounds);
/**
 * Searches that warm up one process: compiled code and caches are then equally far, however slow the machine is.
 *
 * **Source** V8 optimizes a function at its 3,000th call (`--invocation-count-for-turbofan`), and a search calls many functions once. Its helpers take .58 ms of each
 * search in the second and third thousand, .42 in the next five, and .36 then. Two workers pay for that; one process has a second processor for it.
 */
const warmUp = 4000;
const only = new Set(given.only.split(","));
/** Compiling TypeScript at its start leaves a process with a large heap, which costs each of its requests later. */
const program = new URL("../dist/cli/bin.js", import.meta.url).pathname;

/** Words by rank, so that some are frequent and most are rare, as in a language. No sequence of words is made twice. */
const random = createRandom(20);
const word = (): string => `w${Math.floor(20_000 ** random.next()).toString(36)}`;
const sentence = (): string => `${Array.from({ length: 14 }, word).join(" ")}.`;
const text = (paragraphs: number): string =>
  Array.from({ length: paragraphs }, () => Array.from({ length: 6 }, sentence).join(" ")).join("\n\n");
const questions = Array.from({ length: 500 }, () => Array.from({ length: 6 }, word).join(" "));

const root = mkdtempSync(join(tmpdir(), "bench-service-"));

/** A folder with a knowledge base of so many documents. */
async function makeBase(documents: number): Promise<string> {
  const folder = join(root, String(documents));
  const kb = await openKnowledgeBase(join(folder, ".ibid"));
  const inputs = Array.from({ length: documents }, (_, at) => ({
    uri: `d${at}.md`,
    text: `# ${sentence()}\n\n${text(5)}`,
  }));
  const began = process.cpuUsage();
  const started = performance.now();
  await kb.ingest(inputs, { settle: true });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(began);
  const { chunks } = await kb.status();
  await kb.close();
  console.log(
    `${documents} documents, ${chunks} chunks, ${availableParallelism()} processors; ingested in ${seconds.toFixed(0)} s, ${((user + system) / 1e6).toFixed(0)} s of processor time`,
  );
  return folder;
}

interface Serving {
  readonly url: string;
  readonly pid: number;
  send(path: string, body?: unknown, method?: string): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<void>;
}

async function serve(folder: string, args: readonly string[], flags: readonly string[] = []): Promise<Serving> {
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

/**
 * One connection that stays open. **Shape** each call sends a search, and resolves when its whole response is there. **Errors** for another status than 200.
 *
 * **Cost** bytes are counted where they arrive, in one buffer; the first of a response are read as far as its length. Nothing else is parsed, so that the load takes little of the two processors.
 */
function openSearcher(url: string, accepted: string): { search(): Promise<void>; close(): void } {
  const { hostname, port } = new URL(url);
  let expected = 0;
  let waiting = Promise.withResolvers<void>();
  const read = (size: number, buffer: Uint8Array): boolean => {
    if (expected === 0) {
      const begun = Buffer.from(buffer.buffer, buffer.byteOffset, size);
      const end = begun.indexOf("\r\n\r\n");
      const head = begun.toString("latin1", 0, end);
      const length = Number(/^content-length: (\d+)/imu.exec(head)?.[1]);
      if (end === -1 || !head.startsWith("HTTP/1.1 200") || !(length > 0)) {
        waiting.reject(new Error(head));
        return true;
      }
      expected = end + 4 + length;
    }
    expected -= size;
    received += size;
    if (expected === 0) waiting.resolve();
    return true;
  };
  const onread = { buffer: new Uint8Array(65_536), callback: read };
  const socket = connect({ port: Number(port), host: hostname, onread }).setNoDelay(true);
  socket.on("error", (error) => waiting.reject(error));
  const requests = questions.map((query) => {
    const body = JSON.stringify({ query, topK: 10 });
    return Buffer.from(
      `POST /search HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n${accepted}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  return {
    search() {
      waiting = Promise.withResolvers<void>();
      socket.write(requests[asked++ % questions.length]!);
      return waiting.promise;
    },
    close: () => void socket.destroy(),
  };
}

/** Bytes of responses to searchers. */
let received = 0;

const gzip = "accept-encoding: gzip, deflate\r\n";
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
  /** Size of one response. */
  readonly bytes: number;
}

/** Searches over so many connections at once. */
async function searchAll(serving: Serving, count: number, atOnce: number, accepted = ""): Promise<void> {
  const clients = Array.from({ length: atOnce }, () => openSearcher(serving.url, accepted));
  let left = count;
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) await client.search();
    }),
  );
  for (const client of clients) client.close();
}

async function throughput(serving: Serving, atOnce: number, accepted = ""): Promise<Throughput> {
  const before = processorTimes(serving.pid);
  const bytes = received;
  const load = process.cpuUsage();
  const started = performance.now();
  await searchAll(serving, searches, atOnce, accepted);
  const ms = performance.now() - started;
  const after = processorTimes(serving.pid);
  const { user, system } = process.cpuUsage(load);
  return {
    rate: (searches * 1000) / ms,
    service: (after.own - before.own) / searches,
    workers: (after.started - before.started) / searches,
    load: (user + system) / 1000 / searches,
    bytes: (received - bytes) / searches,
  };
}

/**
 * Searches a second on two processors that do nothing else, by the processor time of one search. Each process has one processor at most, and all of them have two.
 * On a machine that other work shares, the measured rate says less.
 */
function quietRate({ service, workers, load }: Throughput, count: number): number {
  return 1000 / Math.max(service, workers / Math.max(1, count), load, (service + workers + load) / 2);
}

/**
 * Searches a second of one process and of two beside each other, without HTTP, channels and a generator of load. It is the most that two workers can give here.
 * **Shape** medians of the rounds, and of the ratio within one. The processor time of a search is of its thread and of V8's helpers. **Units** milliseconds.
 */
async function searchAlone(folder: string): Promise<{
  readonly one: number;
  readonly two: number;
  readonly ratio: number;
  readonly thread: number;
  readonly helpers: number;
}> {
  const program = new URL("searches-alone.ts", import.meta.url).pathname;
  const processes = [0, 1].map(() => fork(program, [JSON.stringify([join(folder, ".ibid"), ...questions])]));
  await Promise.all(processes.map((each) => once(each, "message")));
  const times: [thread: number, helpers: number][] = [];
  const search = async (of: typeof processes, count: number): Promise<number> => {
    const started = performance.now();
    await Promise.all(
      of.map(async (each) => {
        each.send(count);
        const [time] = (await once(each, "message")) as [(typeof times)[number]];
        times.push(time);
      }),
    );
    return (count * of.length * 1000) / (performance.now() - started);
  };
  await search(processes, warmUp);
  times.length = 0;
  const rates: [number, number][] = [];
  for (let round = 0; round < rounds; round++)
    rates.push([await search(processes.slice(0, 1), searches), await search(processes, searches / 2)]);
  for (const each of processes) {
    each.kill();
    await once(each, "exit");
  }
  return {
    one: middle(rates.map(([one]) => one)),
    two: middle(rates.map(([, two]) => two)),
    ratio: middle(rates.map(([a, b]) => b / a)),
    thread: middle(times.map(([thread]) => thread)),
    helpers: middle(times.map(([, helpers]) => helpers)),
  };
}

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const metric = async (serving: Serving, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, "mu").exec((await serving.send("metrics")).text)?.[1]);

try {
  const bases: string[] = [];
  for (const documents of sizes) {
    const base = await makeBase(documents);
    bases.push(base);
    if (!only.has("workers")) break;
    const found = new Map<number, Throughput[]>();
    const services = new Map<number, Serving>();
    for (const workers of [0, 1, 2]) {
      const serving = await serve(base, ["--workers", String(workers)]);
      services.set(workers, serving);
      await searchAll(serving, warmUp * Math.max(1, workers), 16);
    }
    // Rounds in turn, so that other work on the machine strikes all alike. A service that is not asked takes no processor time.
    // Then with compression, as browsers, `fetch` and most clients ask for it.
    const packed = new Map<number, Throughput[]>();
    for (const [into, accepted] of [[found], [packed, gzip]] as const) {
      for (let round = 0; round < rounds; round++) {
        for (const [workers, serving] of services)
          into.set(workers, [...(into.get(workers) ?? []), await throughput(serving, 16, accepted)]);
      }
    }
    for (const serving of services.values()) await serving.stop();
    const median = (workers: number, of: (one: Throughput) => number, all = found): number =>
      middle(all.get(workers)!.map(of));
    const rate = (one: Throughput): number => one.rate;
    const quietOf = (workers: number): number => median(workers, (one) => quietRate(one, workers));
    for (const workers of [0, 1, 2]) {
      const times = (["service", "workers", "load"] as const).map(
        (kind) => `${kind} ${median(workers, (one) => one[kind]).toFixed(2)}`,
      );
      console.log(
        `search, ${workers} workers: ${median(workers, rate).toFixed(1)}/s; processor time of one in ms: ${times.join(", ")}; by it ${quietOf(workers).toFixed(0)}/s on two quiet processors`,
      );
    }
    const over = (of: (one: Throughput, workers: number) => number, other: number, all = found): string =>
      middle(all.get(2)!.map((two, round) => of(two, 2) / of(all.get(other)![round]!, other))).toFixed(2);
    for (const workers of [0, 2]) {
      const [service, own] = [
        median(workers, (one) => one.service, packed),
        median(workers, (one) => one.workers, packed),
      ];
      const [bytes, plain] = [median(workers, (one) => one.bytes, packed), median(workers, (one) => one.bytes)];
      console.log(
        `search with gzip, ${workers} workers: ${median(workers, rate, packed).toFixed(1)}/s; processor time of one in ms: service ${service.toFixed(2)}, workers ${own.toFixed(2)}; ${bytes.toFixed(0)} bytes, without gzip ${plain.toFixed(0)}`,
      );
    }
    console.log(`2 workers over none, with gzip: ${over(rate, 0, packed)}`);
    const { one, two, ratio, thread, helpers } = await searchAlone(base);
    console.log(
      `search without a service: one process ${one.toFixed(1)}/s, two ${two.toFixed(1)}/s, ${ratio.toFixed(2)} times; 2 workers give ${((median(2, rate) / two) * 100).toFixed(0)} % of that; processor time of one in ms: thread ${thread.toFixed(2)}, helpers of V8 ${helpers.toFixed(2)}`,
    );
    console.log(
      `2 workers over none: ${over(rate, 0)} (bar 1.5), by processor time ${over(quietRate, 0)}; over 1: ${over(rate, 1)}, by processor time ${over(quietRate, 1)}`,
    );
  }
  const folder = bases[0]!;

  // Memory before the uploads: a service that starts after them makes the fit that they leave.
  if (only.has("heap")) {
    const serving = await serve(
      folder,
      [],
      ["--expose-gc", "--import", new URL("heap-probe.ts", import.meta.url).href],
    );
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
    const serving = await serve(folder, []);
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

  if (only.has("upload")) {
    for (const workers of ["0", "2"]) {
      const serving = await serve(folder, ["--workers", workers]);
      // The second upload replaces the first: the old document is compared, and its chunks go.
      for (const what of ["a new document", "another text of it"]) {
        await serving.send("metrics");
        const large = new TextEncoder().encode(text(8000));
        const upload = serving.send(`document?uri=large-${workers}.txt`, large, "PUT");
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
        const delay = await metric(serving, "nodejs_eventloop_delay_p99_seconds");
        console.log(
          `upload of ${(large.length / 1e6).toFixed(1)} MB, ${what}, --workers ${workers}: status ${status}; /livez p99 ${p99.toFixed(0)} ms of ${times.length}; event loop p99 ${(delay * 1000).toFixed(0)} ms`,
        );
      }
      await serving.stop();
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}

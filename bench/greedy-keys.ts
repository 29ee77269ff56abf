// Greedy keys against another: the p95 of one key's searches over HTTP, at rest and under attacks. In the first attack, each
// of several keys sends 16 slow bodies, and 16 questions to a silent model. In the second, one key uploads 28 MB and a PDF
// that takes a minute to read. At the same time it searches a large scope for a pattern.
//   npx node bench/greedy-keys.ts [documents, default 2000] [searches a round, default 400] [--long-works] [--memory]
// The knowledge base is a folder, or in memory with --memory. With --long-works, only the second attack.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { startService } from "../src/server/index.node.ts";
import { makePdf } from "../test/readers/make-pdf.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { memory: { type: "boolean" }, "long-works": { type: "boolean" } },
});
const [first = "", second = "400", third] = positionals;
const numbers = [1, 2, 8, 20];
const greedyKeys = Array.from({ length: Math.max(...numbers) }, (_, n) => `greedy-greedy-greedy-${n}`);
const otherKey = "other-other-other-other";
const words = "otter heron river key rotate harbour lantern copper valley signal engine margin ledger winter".split(
  " ",
);

/** A sentence that only depends on its number. */
function sentence(n: number): string {
  const chosen = Array.from({ length: 14 }, (_, i) => words[(n * 7 + i * i * 3 + (n >> 3) * i) % words.length]!);
  return `Report ${n}: ${chosen.join(" ")}.`;
}

async function serve(documents: number, folder: string | undefined): Promise<void> {
  const forever = (): Promise<never> => new Promise(() => {});
  const stream = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: forever }) });
  const kb = await openKnowledgeBase(folder, {
    models: { chat: { provider: "bench", model: "silent", chat: forever, stream } },
    operations: { events: false },
  });
  await kb.ingest(
    Array.from({ length: documents }, (_, n) => ({
      uri: `${n}.txt`,
      text: Array.from({ length: 40 }, (_unused, line) => sentence(n * 40 + line)).join("\n"),
    })),
    { settle: true },
  );
  const limits = { requestsPerMinute: 1_000_000 };
  const entries = [
    ...greedyKeys.map((key, n) => ({ name: `greedy ${n}`, key, userId: `greedy${n}`, write: true })),
    { name: "other", key: otherKey },
  ];
  const { url } = await startService(kb, { port: 0, keys: entries, limits });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let cpu = process.threadCpuUsage();
  // Each message asks for the figures since the last one.
  process.on("message", () => {
    const { user, system } = process.threadCpuUsage(cpu);
    process.send!({ p99: delay.percentile(99) / 1e6, max: delay.max / 1e6, threadMs: (user + system) / 1000 });
    delay.reset();
    cpu = process.threadCpuUsage();
  });
  process.send!(url);
}

/** Delays of the service's event loop, and processor time of its main thread. **Units** milliseconds. */
interface LoopFigures {
  readonly p99: number;
  readonly max: number;
  readonly threadMs: number;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0;

function post(url: string, path: string, key: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

interface Searched {
  readonly took: readonly number[];
  readonly refused: number;
}

/** Times of searches, one after another. A refused one counts as the time until it was refused. */
async function search(url: string, count: number): Promise<Searched> {
  const took: number[] = [];
  let refused = 0;
  for (let n = 0; n < count && refused < 3; n++) {
    const started = performance.now();
    const response = await post(url, "search", otherKey, {
      query: `${words[n % 14]} ${words[(n * 5 + 3) % 14]} ${n}`,
    });
    await response.arrayBuffer();
    if (response.status !== 200) refused += 1;
    took.push(performance.now() - started);
  }
  return { took, refused };
}

/** Sends a body a byte at a time, again and again. The pauses grow with the number of keys, so that this process keeps up. */
async function trickle(url: string, key: string, pauseMs: number, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(url);
  while (!signal.aborted) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {}).resume();
    await once(socket, "connect");
    socket.write(
      `POST /search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
    );
    while (!signal.aborted && !socket.destroyed) {
      socket.write(" ");
      await new Promise((resolve) => void setTimeout(resolve, pauseMs));
    }
    socket.destroy();
  }
}

async function again(signal: AbortSignal, pauseMs: number, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => {});
    await new Promise((resolve) => void setTimeout(resolve, pauseMs));
  }
}

/** A file of 2,000 pages with columns and numbers, about a minute's work for the reader. Its words differ by round. */
function longPdf(round: number): Uint8Array {
  return makePdf(
    Array.from({ length: 2000 }, (_, page) =>
      Array.from({ length: 60 }, (_unused, line) => ({
        text: `${round} ${sentence(page * 60 + line)}`.slice(0, 80),
        x: 50,
        y: 780 - 12 * line,
      })),
    ),
  );
}

async function measure(documents: number, searches: number, folder: string | undefined): Promise<void> {
  const child = fork(new URL(import.meta.url).pathname, ["serve", String(documents), ...(folder ? [folder] : [])]);
  const [url] = (await once(child, "message")) as [string];
  await search(url, 100);
  const figures = async (): Promise<LoopFigures> => {
    child.send("figures");
    return ((await once(child, "message")) as [LoopFigures])[0];
  };
  const show = async (what: string, { took, refused }: Searched, rest: Searched): Promise<void> => {
    const { p99, max, threadMs } = await figures();
    const [p50, p95] = [quantile(took, 0.5), quantile(took, 0.95)];
    const ratio = p95 / quantile(rest.took, 0.95);
    const failed = refused > 0 ? `, ${refused} refused` : "";
    console.log(
      `${what.padEnd(42)} p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms (${ratio.toFixed(2)} of rest), at most ${Math.max(...took).toFixed(0)} ms${failed}; event loop p99 ${p99.toFixed(0)} ms, at most ${max.toFixed(0)} ms; main thread ${(threadMs / took.length).toFixed(2)} ms of processor a search`,
    );
    if (ratio > 3 || refused > 0) process.exitCode = 1;
  };
  const upload = "The heron waits at the river while the otter swims by.\n".repeat(540_000).slice(0, 28 * 2 ** 20);
  for (let round = 1; round <= 3; round++) {
    await figures();
    const rest = await search(url, searches);
    await show(`at rest, round ${round}`, rest, rest);

    for (const number of values["long-works"] === true ? [] : numbers) {
      const over = new AbortController();
      const attack = greedyKeys.slice(0, number).flatMap((key) => {
        const ask = (): Promise<unknown> => post(url, "ask", key, { question: "Which key?" }, over.signal);
        return Array.from({ length: 16 }, () => [
          trickle(url, key, 20 * number, over.signal),
          again(over.signal, 1000 * number, ask),
        ]).flat();
      });
      await new Promise((resolve) => void setTimeout(resolve, 5000));
      await figures();
      await show(`bodies and a silent model, ${number} keys`, await search(url, searches), rest);
      over.abort();
      await Promise.all(attack);
    }

    const work = new AbortController();
    const key = greedyKeys[0]!;
    const pattern = { query: "(otter|heron).*(valley|copper).*zebra", mode: "regex" };
    const put = (uri: string, type: string, body: string | Uint8Array): Promise<unknown> =>
      fetch(`${url}document?uri=${uri}&scope=user:greedy0`, {
        method: "PUT",
        headers: { authorization: `Bearer ${key}`, "content-type": type },
        body,
        signal: work.signal,
      }).then(
        async (response) => console.log(`  ${uri}: ${response.status} ${(await response.text()).slice(0, 100)}`),
        () => {},
      );
    const pdf = longPdf(round);
    const long = [
      put("large.txt", "text/plain", `${round} ${upload}`),
      put("long.pdf", "application/pdf", pdf),
      again(work.signal, 50, async () => {
        const { status } = await post(url, "search", key, pattern, work.signal);
        // A pattern that is refused is no attack.
        if (status === 400) process.exitCode = 1;
      }),
    ];
    await new Promise((resolve) => void setTimeout(resolve, 500));
    await figures();
    await show("28 MB, a long PDF and patterns, 1 key", await search(url, searches), rest);
    work.abort();
    await Promise.all(long);
  }
  child.kill();
  await once(child, "exit");
}

if (first === "serve") await serve(Number(second), third);
else {
  const folder = values.memory === true ? undefined : mkdtempSync(join(tmpdir(), "ibid-greedy-keys-"));
  await measure(Number(first || 2000), Number(second), folder);
  if (folder !== undefined) rmSync(folder, { recursive: true });
}

// One key against the others: the p95 of another key's searches, at rest and under two attacks by the first key. The
// first attack is 16 bodies, a byte at a time, and 16 questions to a silent model. The second is 28 MB and patterns.
//   npx node bench/one-key.ts [documents, default 2000] [searches a round, default 400]
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { openKnowledgeBase } from "../src/index.node.ts";
import { startService } from "../src/server/index.node.ts";

const keys = { greedy: "greedy-greedy-greedy", other: "other-other-other-other" };
const words = "otter heron river key rotate harbour lantern copper valley signal engine margin ledger winter".split(
  " ",
);

/** A sentence that only depends on its number. */
function sentence(n: number): string {
  const chosen = Array.from({ length: 14 }, (_, i) => words[(n * 7 + i * i * 3 + (n >> 3) * i) % words.length]!);
  return `Report ${n}: ${chosen.join(" ")}.`;
}

async function serve(documents: number): Promise<void> {
  const forever = (): Promise<never> => new Promise(() => {});
  const stream = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: forever }) });
  const kb = await openKnowledgeBase({
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
    { name: "greedy", key: keys.greedy, userId: "greedy", write: true },
    { name: "other", key: keys.other },
  ];
  const { url } = await startService(kb, { port: 0, keys: entries, limits });
  process.send!(url);
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

/** Times of searches, one after another. */
async function search(url: string, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const started = performance.now();
    const response = await post(url, "search", keys.other, {
      query: `${words[n % 14]} ${words[(n * 5 + 3) % 14]} ${n}`,
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The search got ${response.status}.`);
    took.push(performance.now() - started);
  }
  return took;
}

/** Sends a body a byte at a time, again and again. */
async function trickle(url: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(url);
  while (!signal.aborted) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {}).resume();
    await once(socket, "connect");
    socket.write(
      `POST /search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.greedy}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
    );
    while (!signal.aborted && !socket.destroyed) {
      socket.write(" ");
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
    socket.destroy();
  }
}

async function again(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => {});
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}

async function measure(documents: number, searches: number): Promise<void> {
  const child = fork(new URL(import.meta.url).pathname, ["serve", String(documents)]);
  const [url] = (await once(child, "message")) as [string];
  await search(url, 100);
  const show = (what: string, took: readonly number[], rest: readonly number[]): void => {
    const [p50, p95, ratio] = [quantile(took, 0.5), quantile(took, 0.95), quantile(took, 0.95) / quantile(rest, 0.95)];
    console.log(
      `${what.padEnd(32)} p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms (${ratio.toFixed(2)} of rest), at most ${Math.max(...took).toFixed(0)} ms`,
    );
    if (ratio > 3) process.exitCode = 1;
  };
  const upload = "The heron waits at the river while the otter swims by.\n".repeat(540_000).slice(0, 28 * 2 ** 20);
  for (let round = 1; round <= 3; round++) {
    const rest = await search(url, searches);
    show(`at rest, round ${round}`, rest, rest);

    const over = new AbortController();
    const ask = (): Promise<unknown> => post(url, "ask", keys.greedy, { question: "Which key?" }, over.signal);
    const attack = Array.from({ length: 16 }, () => [trickle(url, over.signal), again(over.signal, ask)]).flat();
    await new Promise((resolve) => void setTimeout(resolve, 1000));
    show("bodies and a silent model", await search(url, searches), rest);
    over.abort();
    await Promise.all(attack);

    const work = new AbortController();
    const pattern = { query: "(otter|heron).*(valley|copper).*zebra", mode: "pattern" };
    const headers = { authorization: `Bearer ${keys.greedy}`, "content-type": "text/plain" };
    const put = (): Promise<unknown> =>
      fetch(`${url}document?uri=large.txt&scope=user:greedy`, {
        method: "PUT",
        headers,
        body: `${round} ${upload}`,
        signal: work.signal,
      });
    const long = [
      put().catch(() => {}),
      again(work.signal, () => post(url, "search", keys.greedy, pattern, work.signal)),
    ];
    show("28 MB and patterns", await search(url, searches), rest);
    work.abort();
    await Promise.all(long);
  }
  child.kill();
}

const [first = "", second = "400"] = process.argv.slice(2);
if (first === "serve") await serve(Number(second));
else await measure(Number(first || 2000), Number(second));

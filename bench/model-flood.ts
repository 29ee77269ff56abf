// A model server that never ends its answer, in each shape of test/support/flood-server.ts. The program prints the rise
// of the client's resident memory, and the bytes that were sent. It ends with 1 where the rise is 50 MB or more.
//   npx node bench/model-flood.ts [megabytes, default 200]
import { fork } from "node:child_process";
import { once } from "node:events";
import { openKnowledgeBase } from "../src/index.node.ts";
import { resolveChatModel, resolveEmbeddingModel } from "../src/models/index.node.ts";
import { floods, startFlood } from "../test/support/flood-server.ts";

type Shape = keyof typeof floods;
const [first = "200", shape = ""] = process.argv.slice(2);
const megabytes = 2 ** 20;

if (first === "serve") {
  let total = 0;
  const flood = await startFlood(shape as Shape, () => total);
  process.send!(flood.url);
  process.on("message", (what) => {
    if (what === "short") total = 200_000;
    if (what === "long") total = Number(process.argv[4]) * megabytes;
    process.send!(flood.sent());
  });
} else if (shape === "") {
  // Each shape has a process of its own, since memory is given back late.
  for (const each of Object.keys(floods)) {
    const [code] = (await once(fork(new URL(import.meta.url).pathname, [first, each]), "exit")) as [number];
    if (code !== 0) process.exitCode = 1;
  }
} else {
  const server = fork(new URL(import.meta.url).pathname, ["serve", shape, first]);
  const [url] = (await once(server, "message")) as [string];
  const name = `openai-compatible/m@${url}`;
  const chat = await resolveChatModel(name, { env: {} });
  const kb = await openKnowledgeBase({ models: { chat } });
  // A service at work: its memory holds what any search needs.
  await kb.ingest(
    Array.from({ length: 500 }, (_, n) => ({
      uri: `${n}.txt`,
      text: `A key of harbour ${n} is valid for ninety days.`,
    })),
    { settle: true },
  );
  for (let n = 0; n < 500; n++) await kb.search(`key harbour ${n}`);
  const embedding = await resolveEmbeddingModel(name, { env: {} });
  const ask = async (): Promise<unknown> => {
    if (shape === "one vector") return embedding.embed(["text"], { purpose: "query" } as never);
    if (shape === "one text") return chat.chat({ role: "user", content: "Question?" });
    return kb.ask("How long is a key valid?");
  };
  // Twenty answers of 200 kB, which break off: their code is loaded, and the heap is as large as ordinary work makes it.
  server.send("short");
  await once(server, "message");
  for (let n = 0; n < 20; n++) await ask().catch(() => {});
  server.send("long");
  await once(server, "message");
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 2);
  const started = performance.now();
  const error = await ask().then(
    () => "no error",
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  );
  const ms = performance.now() - started;
  clearInterval(watch);
  peak = Math.max(peak, process.memoryUsage().rss);
  server.send("sent");
  const [sent] = (await once(server, "message")) as [number];
  const rise = (peak - before) / 1e6;
  console.log(
    `${shape.padEnd(10)} rise ${rise.toFixed(1).padStart(5)} MB, sent ${(sent / 1e6).toFixed(0).padStart(3)} MB, ${ms.toFixed(0)} ms: ${error}`,
  );
  server.kill();
  await kb.close();
  if (rise >= 50 || error === "no error") process.exitCode = 1;
}

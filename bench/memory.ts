/**
 * Recall among 10,000 notes: time, whether the note that holds comes first, and whether any that holds no longer comes at all.
 *
 * The notes are generated: statements about parts of services, half of them replaced once or twice, and chatter between them. With `--data` also
 * conversations of people: each last question looks for its own conversation among the messages of all.
 *
 *     npx node bench/memory.ts [--notes 10000] [--hybrid] [--data <folder with reference.jsonl>]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { createMemory, importSessions, type SessionMessage } from "../src/integrations/memory/index.ts";

const { values } = parseArgs({
  options: { notes: { type: "string", default: "10000" }, data: { type: "string" }, hybrid: { type: "boolean" } },
});
const mode = values.hybrid === true ? "hybrid" : "lexical";
const most = Number(values.notes);
const folder = mkdtempSync(join(tmpdir(), "ibid-bench-"));

let state = 1;
const random = (below: number): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % below;
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
const syllables = "ba co di fu ga he ji ko lu mi no pa qui ro su ta ve wo xi yu za".split(" ");
const word = (): string => Array.from({ length: 3 }, () => pick(syllables)).join("");
const services = Array.from({ length: 200 }, word);
const parts =
  "port,owner,timeout,region,log level,deploy day,retry limit,queue,database,contact,budget,language,license,release train,alert channel,cache size,base image,test runner,backup hour,traffic share".split(
    ",",
  );
const stale = new Set<string>();
const asked: { question: string; current: string }[] = [];

const start = Date.parse("2026-01-01T00:00:00Z");
const inputs: { uri: string; text: string; title: string; metadata: Record<string, string> }[] = [];
let minute = 0;
const add = (subject: string, text: string, key: string | undefined): void => {
  const at = new Date(start + 60_000 * minute++).toISOString();
  const uri = `note:${subject}/n${inputs.length}`;
  const metadata = { validFrom: at, noteRecordedAt: at, noteBy: "bench", ...(key !== undefined && { noteKey: key }) };
  inputs.push({ uri, text, title: key ?? "", metadata });
};
for (const service of services) {
  for (const part of parts) {
    if (inputs.length >= most) break;
    const key = random(2) === 0 ? `${service}-${part.replaceAll(" ", "-")}` : undefined;
    const subject = key === undefined ? `note-s${inputs.length}` : `key-${key}`;
    const versions = 1 + random(3);
    let text = "";
    for (let i = 0; i < versions; i++) {
      if (text !== "") stale.add(text);
      text = `The ${part} of ${service} is ${word()}${random(900)}.`;
      add(subject, text, key);
    }
    asked.push({ question: `What is the ${part} of ${service} now?`, current: text });
    add(
      `note-c${inputs.length}`,
      `Met about ${word()} and the ${pick(parts)} of ${pick(services)}; ${word()} will look at it.`,
      undefined,
    );
  }
}
const kb = await openKnowledgeBase(join(folder, "kb"));
await kb.ingest(inputs.slice(0, most), { origin: "note", settle: true });
const memory = createMemory(kb);
const kept = new Set(inputs.slice(0, most).map(({ text }) => text));
const askable = asked.filter(({ current }) => kept.has(current));
const questions = Array.from({ length: 500 }, () => pick(askable));
let [first, five, replaced] = [0, 0, 0];
const times: number[] = [];
/** Milliseconds of the processor since then, for each of some calls. */
const processorSince = (before: NodeJS.CpuUsage, calls: number): string => {
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 / calls).toFixed(1);
};
for (const { question } of questions.slice(0, 50)) await memory.recall(question, { mode });
const beforeRecall = process.cpuUsage();
for (const { question, current } of questions) {
  const began = performance.now();
  const { notes } = await memory.recall(question, { mode });
  times.push(performance.now() - began);
  const texts = notes.map(({ text }) => text);
  if (texts[0] === current) first++;
  if (texts.slice(0, 5).includes(current)) five++;
  if (texts.some((text) => stale.has(text))) replaced++;
}
const recalling = processorSince(beforeRecall, questions.length);
times.sort((a, b) => a - b);
const share = (count: number, all: number): string => `${((100 * count) / all).toFixed(1)} %`;
console.log(`${Math.min(most, inputs.length)} notes, ${questions.length} questions`);
console.log(
  `recall: p50 ${times[times.length >> 1]!.toFixed(2)} ms, p95 ${times[Math.floor(times.length * 0.95)]!.toFixed(2)} ms, processor ${recalling} ms`,
);
console.log(
  `the note that holds: first ${share(first, questions.length)}, among five ${share(five, questions.length)}`,
);
console.log(`recalls with a note that holds no longer: ${replaced}`);
const writes: number[] = [];
const beforeWrites = process.cpuUsage();
for (let i = 0; i < 50; i++) {
  const began = performance.now();
  await memory.remember(`The ${pick(parts)} of ${pick(services)} is ${word()}${random(900)}.`);
  writes.push(performance.now() - began);
}
const writing = processorSince(beforeWrites, writes.length);
writes.sort((a, b) => a - b);
console.log(`remember, subject by rule: p50 ${writes[25]!.toFixed(1)} ms, processor ${writing} ms`);
await kb.close();

if (values.data !== undefined) {
  const rows = readFileSync(join(values.data, "reference.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { conversation_id: string; input: { speaker: string; text: string }[] })
    .filter(({ input }) => input.length >= 3);
  const base = await openKnowledgeBase(join(folder, "talks"));
  for (const { conversation_id: session, input } of rows) {
    const messages = input.slice(0, -1).map(({ speaker, text }, i): SessionMessage => ({
      client: "codex",
      session,
      id: String(i),
      role: speaker === "user" ? "user" : "assistant",
      at: new Date(start + 1000 * i).toISOString(),
      text,
      files: [],
      tools: [],
      line: i + 1,
    }));
    await importSessions(base, { file: "bench", messages, problems: [] });
  }
  const talks = createMemory(base);
  let [one, top] = [0, 0];
  for (const { conversation_id: session, input } of rows) {
    const { notes } = await talks.recall(input.at(-1)!.text, { topK: 5, tokens: 20_000, mode });
    if (notes[0]?.note.session === session) one++;
    if (notes.some(({ note }) => note.session === session)) top++;
  }
  console.log(
    `${rows.length} conversations, the last question alone finds its own: first ${share(one, rows.length)}, among five ${share(top, rows.length)}`,
  );
  await base.close();
}
rmSync(folder, { recursive: true, force: true });

// How the time of an answer grows with its length, for answers of 200 kB and of 1 MB in six shapes.
import type { ChatModel, ChatResult } from "../../src/contracts/chat.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import type { Figure } from "./report.ts";

const teams = ["north", "south", "east", "west"];
const sentences = Array.from(
  { length: 40 },
  (_, at) => `Signing key number ${at} of the vault lives ${30 + at} days and is rotated by team ${teams[at % 4]}.`,
);
const said = (at: number): string => sentences[at % sentences.length]!;

/** The text of an answer, piece by piece. */
const shapes: Readonly<Record<string, (at: number) => string>> = {
  prose: (at) => said(at).replace(/\.$/u, " [1]. "),
  paragraphs: (at) => said(at).replace(/\.$/u, " [1].\n\n"),
  quotations: (at) => `It says “${said(at)}” [1].\n`,
  "unknown numbers": (at) => `Key ${at} lives ${at * 7} days [1]. `,
  "rows of a table": (at) => `| key ${at} | ${at} days [1] |\n`,
  "sentences of Chinese": (at) => `密钥${at}的有效期为九十天[1]。`,
};

const shorter = 200_000;
const longer = 1_000_000;

/**
 * Milliseconds of processor time to verify an answer and to write it, and how they grow. Five times the length may take at most six times as long.
 *
 * Other work on the machine does not count, so a figure holds on a busy one too.
 */
export async function measureLongAnswers(): Promise<readonly Figure[]> {
  let written = "";
  const toResult = (content: string): ChatResult => ({ message: { role: "assistant", content }, finishReason: "stop" });
  const model: ChatModel = {
    provider: "scripted",
    model: "scripted",
    chat: async () => toResult(written),
    async *stream() {
      for (let at = 0; at < written.length; at += 20) yield { type: "text", delta: written.slice(at, at + 20) };
      yield { type: "finish", result: toResult(written) };
    },
  };
  await using kb = await openKnowledgeBase({ models: { chat: model, limits: { characters: 2 * longer } } });
  await kb.ingest({ uri: "keys.md", mediaType: "text/markdown", text: `# Keys\n\n${sentences.join("\n\n")}` });
  const ways: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
    verified: (text) => kb.verify(`${text}\n\n[1]: keys.md\n`),
    written: (text) => {
      written = text;
      return kb.ask("How long does signing key number 3 live?", { judge: null });
    },
  };
  const figures: Figure[] = [];
  for (const [way, run] of Object.entries(ways)) {
    for (const [shape, piece] of Object.entries(shapes)) {
      const set = `an answer of ${shape}, ${way}`;
      await run(repeat(piece, 20_000));
      const short = await time(() => run(repeat(piece, shorter)));
      const long = await time(() => run(repeat(piece, longer)));
      figures.push({ name: "milliseconds", set, size: longer, value: long });
      figures.push({ name: "times as long as a fifth of it", set, size: longer, value: long / short, atMost: 6 });
    }
  }
  return figures;
}

function repeat(piece: (at: number) => string, length: number): string {
  const pieces: string[] = [];
  for (let at = 0, size = 0; size < length; at++) {
    const next = piece(at);
    pieces.push(next);
    size += next.length;
  }
  return pieces.join("");
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

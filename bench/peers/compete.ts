// One table's worth of work: every contestant indexes the same passages, then all answer the same queries in turns.
import { join } from "node:path";
import { type Bar, type Bench, count as group, milliseconds, ratio, type Table } from "./bench.ts";
import { batchSize } from "./data.ts";
import { quantile, takeTurns, timing, type Timing, type Turns } from "./measure.ts";
import { openPlayer, type Player } from "./play.ts";
import type { IndexReply } from "./protocol.ts";

export interface Contest {
  readonly contestants: readonly string[];
  readonly count: number;
  readonly texts: boolean;
  readonly dimensions: number;
  readonly topK: number;
  readonly turns: Turns;
  /** How often each indexes anew; the median counts. Default 1. */
  readonly indexings?: number;
}

export interface Entry {
  readonly name: string;
  readonly count: number;
  readonly indexMs: number;
  /** Processor time of all threads. */
  readonly indexCpuMs: number;
  /** Bytes resident when all was indexed and searched, minus those before. */
  readonly memory: number;
  readonly memoryBefore: number;
  readonly disk: number;
  /** Milliseconds from its folder to its first answer; null from who cannot. */
  readonly reopenMs: number | null;
  readonly query: Timing;
  /** Processor time of a query, of all threads: the mean. */
  readonly queryCpuMs: number;
  /** By number of the query. */
  readonly ids: ReadonlyMap<number, readonly string[]>;
}

/** **Shape** one entry per contestant that could take part; the others' reasons are logged. */
export async function compete(bench: Bench, contest: Contest): Promise<Entry[]> {
  const playing: { readonly player: Player; readonly indexed: IndexReply; readonly ms: number }[] = [];
  const { count, dimensions, topK, indexings = 1 } = contest;
  try {
    for (const contestant of contest.contestants.filter((name) => canPlay(bench, name))) {
      const times: number[] = [];
      for (let i = 0; i < indexings; i++) {
        try {
          const player = await openPlayer({
            contestant,
            folder: join(bench.scratch, contestant.replace(":", "-")),
            passages: contest.texts ? bench.data.passages : null,
            vectors: dimensions === 0 ? null : bench.data.vectors,
            dimensions,
            count,
            batchSize,
            topK,
            queryTexts: bench.data.queryTexts,
            queryVectors: dimensions === 0 ? null : bench.data.queryVectors,
          });
          const indexed = await player.index();
          times.push(indexed.ms);
          if (i + 1 < indexings) await player.close();
          else playing.push({ player, indexed, ms: quantile(times, 0.5) });
        } catch (error) {
          bench.log(`${contestant} cannot take part: ${error instanceof Error ? error.message : String(error)}`);
          break;
        }
      }
      const indexed = playing.at(-1);
      if (indexed?.player.name === contestant)
        bench.log(
          `${group(count)} ${contestant}: indexed in ${milliseconds(indexed.ms)} ms, processor ${milliseconds(indexed.indexed.cpuMs)} ms`,
        );
    }
    const answers = await takeTurns(
      playing.map(({ player }) => player),
      contest.turns,
    );
    const memory = new Map<Player, number>();
    const reopened = new Map<Player, number | null>();
    for (const { player } of playing) {
      memory.set(player, await player.memory());
      reopened.set(player, await player.reopen());
    }
    return playing.map(({ player, indexed, ms }) => {
      const own = answers.get(player)!;
      const query = timing(own.ms);
      bench.log(
        `${group(count)} ${player.name}: p50 ${milliseconds(query.p50)} ms, p95 ${milliseconds(query.p95)} ms, processor ${milliseconds(own.cpuMs / own.ms.length)} ms`,
      );
      return {
        name: player.name,
        count,
        indexMs: ms,
        indexCpuMs: indexed.cpuMs,
        memory: memory.get(player)! - indexed.before,
        memoryBefore: indexed.before,
        disk: player.disk(),
        reopenMs: reopened.get(player) ?? null,
        query,
        queryCpuMs: own.cpuMs / own.ms.length,
        ids: own.ids,
      };
    });
  } finally {
    for (const { player } of playing) await player.close();
  }
}

function canPlay({ numpy, faiss }: Bench, name: string): boolean {
  if (!name.startsWith("python:")) return true;
  return name === "python:numpy" ? numpy : faiss;
}

export function find(entries: readonly Entry[], name: string): Entry | undefined {
  return entries.find((entry) => entry.name === name);
}

export function toFigures(entries: readonly Entry[], quality: ReadonlyMap<Entry, number>): unknown {
  return entries.map(({ ids, ...entry }) => ({
    ...entry,
    quality: quality.get(entries.find((e) => e.name === entry.name)!),
  }));
}

export function toTable(
  title: string,
  entries: readonly Entry[],
  quality: { readonly name: string; readonly of: ReadonlyMap<Entry, number> },
  labels: Readonly<Record<string, string>>,
): Table {
  return {
    title,
    columns: [
      "",
      "index ms",
      "processor",
      "p50 ms",
      "p95 ms",
      "processor",
      quality.name,
      "memory B/chunk",
      "disk B/chunk",
    ],
    rows: entries
      .toSorted((a, b) => a.query.p50 - b.query.p50)
      .map((entry) => [
        labels[entry.name] ?? entry.name,
        milliseconds(entry.indexMs),
        milliseconds(entry.indexCpuMs),
        milliseconds(entry.query.p50),
        milliseconds(entry.query.p95),
        milliseconds(entry.queryCpuMs),
        quality.of.has(entry) ? quality.of.get(entry)!.toFixed(4) : "–",
        group(Math.round(entry.memory / entry.count)),
        entry.disk < 8192 ? "–" : group(Math.round(entry.disk / entry.count)),
      ]),
  };
}

/** Compared measures of an entry, each with its processor time. */
const measures = {
  p50: [({ query }: Entry) => query.p50, ({ queryCpuMs }: Entry) => queryCpuMs],
  p95: [({ query }: Entry) => query.p95, undefined],
  indexing: [({ indexMs }: Entry) => indexMs, ({ indexCpuMs }: Entry) => indexCpuMs],
} as const;

/** Met when they take at least `times` as long as we do; the ratio of processor times, which a busy machine moves less, stands beside. */
export function fasterBar(
  what: string,
  times: number,
  measure: keyof typeof measures,
  theirs: Entry | undefined,
  ours: Entry | undefined,
): Bar[] {
  if (theirs === undefined || ours === undefined) return [];
  const [wall, processor] = measures[measure];
  const beside = processor === undefined ? "" : ` (processor ${ratio(processor(theirs), processor(ours))})`;
  return [
    {
      what,
      wanted: `${times} ×`,
      measured: `${ratio(wall(theirs), wall(ours))}${beside}`,
      met: wall(theirs) >= times * wall(ours),
    },
  ];
}

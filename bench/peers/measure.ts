// Turns and quantiles.
import type { Player } from "./play.ts";

export interface Timing {
  readonly p50: number;
  readonly p95: number;
  readonly samples: number;
}

/** Answers of a contestant: its times, and the ids that it found for each query. */
export interface Answers {
  readonly ms: number[];
  cpuMs: number;
  readonly ids: Map<number, readonly string[]>;
}

export interface Turns {
  readonly rounds: number;
  /** Queries of a turn. */
  readonly count: number;
  /** After which a slow contestant's turn ends, with one answer at least. */
  readonly budgetMs: number;
}

/** So many queries, or so long, are not counted: a process that serves has answered more, and its code is compiled. */
export const warmUp = { count: 500, budgetMs: 5000 };

/** A B C A B C …, after a longer turn for each that is not counted. */
export async function takeTurns(players: readonly Player[], turns: Turns): Promise<Map<Player, Answers>> {
  const answers = new Map<Player, Answers>(players.map((player) => [player, { ms: [], cpuMs: 0, ids: new Map() }]));
  const slow = new Set<Player>();
  for (const player of players) {
    const { ms } = await player.query(0, warmUp.count, warmUp.budgetMs);
    if (ms[0]! > 2 * turns.budgetMs) slow.add(player);
  }
  for (let round = 0; round < turns.rounds; round++) {
    for (const player of players) {
      // A contestant that takes seconds for one answer gives fewer of them.
      if (slow.has(player) && round % 3 > 0) continue;
      const from = round * turns.count;
      const { ms, cpuMs, ids } = await player.query(from, turns.count, turns.budgetMs);
      const own = answers.get(player)!;
      own.ms.push(...ms);
      own.cpuMs += cpuMs;
      ids.forEach((found, i) => own.ids.set(from + i, found));
    }
  }
  return answers;
}

/** **Source** nearest rank. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

export function timing(ms: readonly number[]): Timing {
  return { p50: quantile(ms, 0.5), p95: quantile(ms, 0.95), samples: ms.length };
}

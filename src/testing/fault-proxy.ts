import { checkKind } from "./check-subject.ts";
import type { Engine, EngineCandidate, EngineEntry, EngineIndex } from "../contracts/engine.ts";
import { IbidError } from "../contracts/errors.ts";
import { createRandom } from "./random.ts";

/**
 * Faults of a {@link createFaultProxy}. Each number is a share of calls, from 0 to 1.
 *
 * @experimental
 */
export interface EngineFaults {
  /** Writes and deletes that are acknowledged and not done. */
  readonly lost?: number | undefined;
  /** Writes that are done twice. */
  readonly repeated?: number | undefined;
  /** Writes and deletes that are done after the next one. */
  readonly reordered?: number | undefined;
  /** Writes of which only the first half is done. */
  readonly cut?: number | undefined;
  /** Calls that fail. */
  readonly failing?: number | undefined;
  /** Calls until a write is listed and proposed. */
  readonly lateCalls?: number | undefined;
  /** Candidates that are proposed twice, and in another order. */
  readonly shuffled?: boolean | undefined;
  /** Conditions are not evaluated: entries of every scope are proposed. */
  readonly ignoresConditions?: boolean | undefined;
  /** References that no chunk has, and broken ones, among the candidates. */
  readonly leaks?: readonly string[] | undefined;
  /** Number of the call before which the process is killed: it and all later calls throw, and nothing of them is done. */
  readonly killBefore?: number | undefined;
}

/**
 * An engine with faults between it and its caller. `faults` may be changed while it runs.
 *
 * @experimental
 */
export interface FaultProxy extends Engine {
  faults: EngineFaults;
  /** Calls so far. */
  readonly calls: number;
}

/**
 * Puts faults between an engine and its caller: for tests that nothing is seen that may not be, and that all is found again afterwards.
 *
 * @experimental
 */
export function createFaultProxy(engine: Engine, faults: EngineFaults = {}, seed = 1): FaultProxy {
  checkKind("createFaultProxy", "engine", engine, "object");
  checkKind("createFaultProxy", "seed", seed, "number");
  const random = createRandom(seed);
  const chance = (share = 0): boolean => share > 0 && random.next() < share;
  const waiting: { readonly at: number; readonly run: () => Promise<void> }[] = [];
  let held: (() => Promise<void>) | undefined;
  let calls = 0;

  async function begin(): Promise<void> {
    calls++;
    const { killBefore, failing } = proxy.faults;
    if (killBefore !== undefined && calls >= killBefore) throw failed("the process was killed");
    for (const late of waiting.splice(0)) {
      if (late.at <= calls) await late.run();
      else waiting.push(late);
    }
    if (chance(failing)) throw failed("the connection broke");
  }

  const failed = (reason: string): IbidError =>
    new IbidError("store-failed", `${engine.name} failed: ${reason}.`, { details: { store: engine.name } });

  async function write(run: () => Promise<void>): Promise<void> {
    const { lost, reordered, lateCalls = 0 } = proxy.faults;
    if (chance(lost)) return;
    if (lateCalls > 0) {
      waiting.push({ at: calls + lateCalls, run });
      return;
    }
    const before = held;
    held = undefined;
    if (before === undefined && chance(reordered)) {
      held = run;
      return;
    }
    await run();
    await before?.();
  }

  function around(index: EngineIndex): EngineIndex {
    return {
      async put(entries) {
        await begin();
        const { cut, repeated } = proxy.faults;
        const some: readonly EngineEntry[] = chance(cut) ? entries.slice(0, entries.length >> 1) : entries;
        await write(() => index.put(some));
        if (chance(repeated)) await index.put(some);
      },
      async delete(keys) {
        await begin();
        await write(() => index.delete(keys));
      },
      async count(tag) {
        await begin();
        return index.count(tag);
      },
      async list(tag, from) {
        await begin();
        return index.list(tag, from);
      },
      async read(keys) {
        await begin();
        return index.read?.(keys) ?? [];
      },
      ...(index.readVectors && {
        async readVectors(keys) {
          await begin();
          return index.readVectors!(keys);
        },
      }),
      async nearest({ condition, ...request }) {
        await begin();
        const { ignoresConditions, shuffled, leaks } = proxy.faults;
        let found: readonly EngineCandidate[] = await index.nearest({
          ...request,
          condition: ignoresConditions === true ? undefined : condition,
        });
        if (leaks !== undefined) found = [...leaks.map((ref) => ({ ref, score: 1 })), ...found].slice(0, request.limit);
        return shuffled === true ? [...found.slice(0, 3), ...found].reverse().slice(-request.limit) : found;
      },
    };
  }

  const proxy: FaultProxy = {
    ...engine,
    faults,
    get calls() {
      return calls;
    },
    async open(spec) {
      await begin();
      return around(await engine.open(spec));
    },
    async indexes(beginning) {
      await begin();
      return engine.indexes(beginning);
    },
    async drop(name) {
      await begin();
      return engine.drop(name);
    },
  };
  return proxy;
}

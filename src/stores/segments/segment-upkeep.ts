import type { SettleOptions, Trash, Upkeep } from "../../contracts/store.ts";
import { untilAborted } from "../../runtime/abort.ts";
import { sendErrand, worthAThread } from "./errands.ts";
import { isAnyLacking, readFitState } from "./fit-due.ts";
import { forgetDeparture, hasDeparture } from "./fit-members.ts";
import { listDeleted } from "./list-rows.ts";
import type { Purge } from "./purge.ts";
import type { SegmentCore } from "./segment-core.ts";

/** The trash of a segment store, without `restore`, which is a write. */
export function segmentTrash(core: SegmentCore, purge: Purge): Omit<Trash, "restore"> {
  const { look, view, options } = core;
  return {
    deleted: (scopes) => listDeleted(look, scopes),

    scopes: () => look((rows) => rows.scopes().map(({ scope }) => scope)),

    async vacuum({ olderThanMs, scope: only }) {
      const { vacuumChunks } = await import("./delete-chunks.ts");
      const at = options.now();
      const until = at - olderThanMs;
      const held = await look((rows) => rows.scopes().map(({ scope }) => scope));
      const scopes = only === undefined ? held : held.filter((scope) => scope === only);
      let gone = 0;
      for (const scope of scopes) {
        const size = await look((rows) => view.segments(rows, [scope]).reduce((sum, held) => sum + held.size, 0));
        const thread = size < worthAThread ? undefined : core.directory.thread;
        const given = { scope, until, now: at };
        gone += await sendErrand(thread, "vacuum", given, () => vacuumChunks(core, given));
      }
      await purge.finish(scopes);
      return gone;
    },
  };
}

/** Upkeep of a segment store. `kept` ends when indexes that searches made on their way are saved. */
export function segmentUpkeep(core: SegmentCore, purge: Purge, kept: () => Promise<void>): Upkeep {
  const { directory, look, write, view, latent, tidyFrom, options } = core;

  async function fitWhenDue(settling: SettleOptions = {}): Promise<void> {
    if (latent === undefined) return;
    const { live, isDue, isRestored } = await look((rows) => {
      const { due, live } = readFitState(rows, view, latent);
      return {
        live,
        isDue: due !== undefined || isAnyLacking(rows, view, latent),
        isRestored: due === undefined && hasDeparture(rows),
      };
    });
    if (isRestored) {
      await write((rows) => {
        if (readFitState(rows, view, latent).due === undefined) forgetDeparture(rows);
      });
    }
    if (!isDue) return;
    const here = async (): Promise<void> => {
      const { refit } = await import("./refit.ts");
      await refit({ look, write }, view, latent, settling);
    };
    await sendErrand(live < worthAThread ? undefined : directory.thread, "fit", undefined, here, settling);
  }

  async function nameSegments(signal: AbortSignal | undefined): Promise<void> {
    const isAble = await look((rows) => rows.names !== undefined);
    if (!isAble) return;
    const { keepNames } = await import("./keep-names.ts");
    for (const { scope } of await look((rows) => rows.scopes()))
      await keepNames(core, scope, options.policy.sealAt, signal);
  }

  return {
    async settle(settling = {}) {
      directory.reserve?.keep();
      await kept();
      // A stop does not wait for a thread: what it does there leaves nothing half done.
      const unlessStopped = (work: Promise<void> | undefined): Promise<void> =>
        untilAborted(work ?? Promise.resolve(), settling.signal, "The settling");
      for (const { scope } of await look((rows) => rows.scopes()))
        await unlessStopped(tidyFrom(scope, options.policy.settleAt));
      await nameSegments(settling.signal);
      await unlessStopped(fitWhenDue(settling));
      await purge.resume();
      await unlessStopped(directory.compact?.());
    },

    scrub: () => purge.resume(),

    ...(directory.idsInFiles && { idsInFiles: (ids: readonly string[]) => directory.idsInFiles!(ids) }),

    async examine(examination = {}) {
      const { examineStore } = await import("./examine.ts");
      const { analyzer } = options;
      const parts = { directory, analyzer, latent, look, write, scrub: () => purge.resume(), settle: fitWhenDue };
      return examineStore(parts, examination);
    },
  };
}

import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Upkeep } from "../../contracts/store.ts";
import { isDiskFull } from "./disk-full.ts";
import { sendErrand, worthAThread } from "./errands.ts";
import { fittedOn } from "./latent-leg.ts";
import type { SegmentCore } from "./segment-core.ts";
import type { DirectoryReader, DirectoryWriter } from "./segment-directory.ts";

/**
 * The setting that makes a purge resumable. Its value is the stamp of the newest transaction that removed rows.
 *
 * A purge is in one of three states:
 *
 * 1. *begun*: the transaction that removes the rows also writes this setting. No search finds the chunks from here on.
 * 2. *rewritten*: postings of the affected scopes and terms of the fit are written anew without the removed chunks.
 * 3. *done*: the directory has overwritten the bytes, and the setting is struck out, unless another purge began meanwhile.
 *
 * A crash, or a reader that holds an old state of the files, leaves the setting in place; any process resumes from state 1.
 */
export const purgeSetting = "purge owed since";

/**
 * Stands from a purge in the fit's scope until its words have left the fit, once for all nodes. A purge elsewhere, or one that is resumed after that, leaves
 * the fit as it is: another moment would find that other words have gone.
 */
const wordsSetting = "the fit has words of a purge";

/** Writes, in the transaction that removes rows of a scope, or of all, that the rest follows. **Shape** whether an earlier purge is unfinished. */
export function beginPurge(rows: DirectoryWriter, scope: Scope = fittedOn): boolean {
  const before = rows.setting(purgeSetting);
  rows.setSetting(purgeSetting, String(rows.stamp() + 1));
  if (scope === fittedOn && rows.fits().length > 0) rows.setSetting(wordsSetting, "yes");
  return before !== undefined;
}

export function isPurgeUnfinished(rows: DirectoryReader): boolean {
  return rows.setting(purgeSetting) !== undefined;
}

/** Drives purges from *begun* to *done*. */
export interface Purge {
  /** Finishes a purge of these scopes. **Shape** false while a reader holds an old state of the files, and on a full disk. */
  finish(scopes: readonly Scope[]): Promise<boolean>;
  /** Finishes every purge that any process began. **Shape** as `finish`; true when there is none. */
  resume(): Promise<boolean>;
  /** Whether this process left a purge unfinished. */
  isUnfinished(): boolean;
}

/** Takes what was purged out of segments and out of the fit: the step from *begun* to *rewritten*. */
export async function rewritePurged(
  { look, write, view, latent }: SegmentCore,
  scopes: readonly Scope[],
): Promise<void> {
  const { rewriteHollow } = await import("./maintain-segments.ts");
  for (const scope of scopes) await write((rows) => rewriteHollow(rows, view, scope));
  if (latent === undefined || !(await look((rows) => rows.setting(wordsSetting) !== undefined))) return;
  const { forgetTerms } = await import("./refit.ts");
  await write((rows) => {
    if (rows.setting(wordsSetting) === undefined) return;
    forgetTerms(rows, view, latent);
    rows.deleteSetting(wordsSetting);
  });
}

export function createPurge(core: SegmentCore): Purge {
  const { directory, look, write, view } = core;
  let unfinished = false;

  async function rewrite(scopes: readonly Scope[]): Promise<void> {
    const chunks = await look((rows) => view.segments(rows, scopes).reduce((sum, { size }) => sum + size, 0));
    const thread = chunks < worthAThread ? undefined : directory.thread;
    await sendErrand(thread, "rewrite", scopes, () => rewritePurged(core, scopes));
  }

  async function finish(scopes: readonly Scope[]): Promise<boolean> {
    unfinished = true;
    const since = await look((rows) => rows.setting(purgeSetting));
    try {
      await rewrite(scopes);
      if (!(await directory.scrub())) return false;
    } catch (error) {
      // The rows are gone, and no search finds them. The rest waits for room on the disk.
      if (isDiskFull(error)) return false;
      throw error;
    }
    if (since !== undefined) {
      await write((rows) => {
        if (rows.setting(purgeSetting) === since) rows.deleteSetting(purgeSetting);
      });
    }
    unfinished = false;
    directory.reserve?.keep();
    return true;
  }

  return {
    finish,
    async resume() {
      const scopes = await look((rows) =>
        isPurgeUnfinished(rows) ? rows.scopes().map(({ scope }) => scope) : undefined,
      );
      return scopes === undefined || finish(scopes);
    },
    isUnfinished: () => unfinished,
  };
}

/** Resumes the purges of a process that was killed. Where the files cannot be written now, the next opening does. */
export async function resumePurges({ upkeep }: { readonly upkeep: Pick<Upkeep, "scrub"> }): Promise<void> {
  try {
    await upkeep.scrub();
  } catch (error) {
    if (!IbidError.isInstance(error, "store-busy") && !IbidError.isInstance(error, "store-failed")) throw error;
  }
}

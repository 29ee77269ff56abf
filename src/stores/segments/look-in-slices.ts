import { throwIfAborted } from "../../runtime/abort.ts";
import type { Within } from "../../contracts/leg.ts";
import type { ScopeView } from "./index-view.ts";
import type { SegmentCore } from "./segment-core.ts";
import { mostBeginnings } from "./word-indexes.ts";
import type { DirectoryReader } from "./segment-directory.ts";

/** Longest run of steps in one transaction. **Units** milliseconds. */
const longestSlice = 5;

/**
 * A look in slices of some milliseconds, each in a transaction of its own: `look` gives everybody a turn between them. After a commit to one of the scopes it
 * begins anew. So it does when the view has forgotten what a failed commit showed it. The result is of one moment; after a few commits it is found in one go.
 *
 * **Shape** `begin` gives the steps. A step that yields `"turn"` ends its slice.
 */
export async function lookInSlices<Result>(
  { look, view }: Pick<SegmentCore, "look" | "view">,
  { scopes, signal }: Pick<Within, "scopes" | "signal">,
  begin: (rows: DirectoryReader) => Generator<"turn" | undefined, Result>,
): Promise<Result> {
  let steps: Generator<"turn" | undefined, Result> | undefined;
  /** The end of the steps. A directory may do a work again that ended, where another of the same transaction lacked something. */
  let ended: { readonly result: Result } | undefined;
  let seen: readonly { readonly held: ScopeView | undefined; readonly stamp: number | undefined }[] = [];
  try {
    for (let begun = 0; ;) {
      const slice = await look((rows) => {
        throwIfAborted(signal, "The search");
        const now = scopes.map((scope) => {
          const held = view.scope(rows, scope);
          return { held, stamp: held?.row.stamp };
        });
        if (
          steps === undefined ||
          now.some(({ held, stamp }, i) => held !== seen[i]?.held || stamp !== seen[i]?.stamp)
        ) {
          leave();
          seen = now;
          steps = begin(rows);
          ended = undefined;
          begun++;
        }
        const isWhole = rows.unsliced === true;
        const until = isWhole || begun > mostBeginnings ? Infinity : performance.now() + longestSlice;
        for (;;) {
          if (ended !== undefined) return ended;
          const step = nextOf(steps);
          if (step.done === true) return (ended = { result: step.value });
          if ((step.value === "turn" && !isWhole) || performance.now() > until) return undefined;
        }
      });
      if (slice !== undefined) return slice.result;
    }
  } finally {
    leave();
  }

  /** Steps that do not come to their end give back what they hold. */
  function leave(): void {
    steps?.return(undefined as never);
  }

  /** A directory may do a work again that failed, once it has read what was missing. Steps that failed cannot go on. */
  function nextOf(of: Generator<"turn" | undefined, Result>): IteratorResult<"turn" | undefined, Result> {
    try {
      return of.next();
    } catch (error) {
      steps = undefined;
      throw error;
    }
  }
}

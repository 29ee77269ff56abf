import { assertSystem } from "../../access/gate.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeStore } from "../../contracts/knowledge-store.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { copyPlain } from "./copy-data.ts";
import type { Guard } from "./guard.ts";
import type { RawKnowledgeStore } from "../segments/raw-store.ts";

/** **Units** characters. Shorter ones stand in any file by chance. */
const shortestProbe = 8;

/** What a store can do about what was deleted and whether all is well, behind the same checks as everything else; nothing where it cannot. */
export function guardKeeping(
  raw: RawKnowledgeStore,
  guard: Guard,
): Pick<KnowledgeStore, "deleted" | "scrub" | "examine"> {
  const deleted = raw.doDeleted?.bind(raw);
  const scrub = raw.doScrub?.bind(raw);
  const examine = raw.doExamine?.bind(raw);
  return {
    ...(deleted && {
      async *deleted(scopes) {
        for await (const summary of deleted(guard.read(scopes))) {
          guard.open();
          yield copyPlain(summary);
        }
      },
    }),
    ...(scrub && {
      async scrub(authority) {
        assertSystem(authority);
        guard.open();
        return scrub();
      },
    }),
    ...(examine && {
      async examine(authority, options = {}) {
        assertSystem(authority);
        guard.open();
        checkOptions("examine", options, ["fix", "absent"]);
        if (options.absent?.some((text) => text.length < shortestProbe) === true) {
          throw new IbidError("invalid-argument", `A text to look for has fewer than ${shortestProbe} characters.`, {
            hint: "Shorter ones stand in any file by chance: give more of it.",
          });
        }
        return copyPlain(await examine({ ...options }));
      },
    }),
  } satisfies Pick<KnowledgeStore, "deleted" | "scrub" | "examine">;
}

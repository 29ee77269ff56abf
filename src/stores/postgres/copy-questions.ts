import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import { compareCommits, createAskCommits, type Comparison, type HeldScopes } from "./compare-commits.ts";
import type { createHold } from "./create-hold.ts";
import { type Instant, present } from "./instant.ts";
import { otherPast } from "./other-past.ts";
import type { Placement } from "./placement.ts";
import type { Postgres } from "./postgres-client.ts";
import {
  distanceText,
  type Page,
  pageSize,
  pageText,
  probeText,
  readPage,
  sayStamps,
  type Standing,
} from "./read-page.ts";
import type { ReplicaStamp, ReplicaStamps } from "./replica-stamps.ts";

/** A page that is on its way, and the moment since which it holds. */
export interface AskedPage {
  readonly asked: Instant;
  readonly found: Promise<Page>;
}

/** Questions of a copy to its base. Each is one trip. */
export interface CopyQuestions {
  /** How some scopes stand. Most questions end here, and a commit to another scope is left to the next question about it. */
  compare(scopes: readonly Scope[]): Promise<Comparison>;
  /** Whether the base has commits that the copy lacks. **Errors** `store-failed` for a copy of another past: the base cannot say what it lacks. */
  isLacking(have: readonly ReplicaStamp[]): Promise<boolean>;
  /** Asks for what a copy with these stamps lacks. */
  page(have: readonly ReplicaStamp[], chunks?: number): AskedPage;
  /** The error of a catch-up that took so long. **Units** milliseconds. */
  tooLate(afterMs: number): Promise<IbidError>;
}

export interface CopyQuestionsOptions {
  readonly db: Postgres;
  readonly schema: string;
  readonly mark: string;
  readonly placement: Placement;
  readonly stamps: ReplicaStamps;
  readonly lock: ReturnType<typeof createHold>;
}

export function createCopyQuestions(options: CopyQuestionsOptions): CopyQuestions {
  const { db, schema, mark, placement, stamps, lock } = options;
  const [page, probe] = [pageText(schema), probeText(schema)];
  const askCommits = createAskCommits(db, schema);
  const placed = JSON.stringify(placement.patterns);
  return {
    async compare(scopes) {
      const named = (): HeldScopes => stamps.named(scopes);
      // Without a turn where nothing is written, so that the question is sent before its search computes.
      const held = lock.isHeld ? await lock.read(async () => named()) : named();
      const rows = await askCommits(scopes, held);
      const comparison = compareCommits(rows, held, mark);
      if (comparison === "same") return comparison;
      // Another process may have brought to the file what the kept stamps lack. The answer is about the keys that were asked for.
      stamps.forget();
      const now = await lock.read(async () => named());
      const isAnswered = scopes.every((name) => now.get(name)?.key === held.get(name)?.key);
      return isAnswered ? compareCommits(rows, now, mark) : "unclear";
    },
    async isLacking(have) {
      const values = [sayStamps(have), placed, mark];
      const found = await db.query<{ readonly standing: Standing }>("asking for the newest state", probe, values);
      for (const standing of ["other", "ahead"] as const)
        if (found.some((one) => one.standing === standing)) throw otherPast(db, standing);
      return found.length > 0;
    },
    page(have, chunks = pageSize.chunks) {
      const values = [sayStamps(have), chunks, pageSize.scopes, placed, pageSize.others];
      const asked = present();
      const found = db.query<Parameters<typeof readPage>[0][number]>("catching up", page, values).then(readPage);
      // A page that was asked for ahead may not be waited for.
      found.catch(() => {});
      return { asked, found };
    },
    async tooLate(afterMs) {
      const have = sayStamps(await lock.read(async () => stamps.all()));
      const [found] = await db.query<{ commits: string }>("counting commits", distanceText(schema), [have, placed]);
      const commits = Number(found?.commits ?? 0);
      return new IbidError("store-busy", `The copy of ${db.name} is ${commits} commits behind after ${afterMs} ms.`, {
        hint: "Try again: it goes on from where it is. Raise busyTimeoutMs where other machines write much.",
        details: { commits },
      });
    },
  };
}

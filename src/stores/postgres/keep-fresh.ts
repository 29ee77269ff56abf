import type { CompleteParts } from "../segments/segment-store.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Moment, Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import { anyAge, takeAsked } from "../compose/asked-state.ts";
import { isAskedAhead, proveLater } from "../compose/moment-ahead.ts";
import type { Placement } from "./placement.ts";

/** Age of the note that says by which vectors a scope is searched. Both vectors are there long before and after it changes. **Units** milliseconds. */
const noteAge = 1_000;

/** The state that a store reads. */
export interface Freshened {
  /** How long ago the scopes, or all of them, were surely in their newest state. **Units** milliseconds. */
  age(scopes: readonly Scope[] | undefined): number;
  /** Brings them to the newest state that was there when this was called. */
  refresh(scopes: readonly Scope[] | undefined): Promise<void>;
  /** Whether a write proves by itself that the scope's state was the newest, so that nothing is asked before it. */
  readonly provesWrites?: boolean;
  /** Forgets which writer made a commit, once nobody can still wait for its answer. */
  prune?(): Promise<void>;
  /** Number of the state that is here: another one once anything in it has changed. `undefined` while it is written. Absent: no search begins before its answer. */
  peek?(): number | undefined;
  /** Whether something was removed for good elsewhere since this was asked last, so that this node's files must lose it too. */
  takePurge?(): boolean;
}

/** How old a state may be that a node answers from. **Units** milliseconds. */
export interface Freshness {
  readonly atMostMs: number;
  /** No answer comes from an older state, whatever a call allows. */
  readonly leaseMs: number;
}

/**
 * Brings the state up to date before each verb. Legs and `readChunks` follow the moment that a search has begun with.
 *
 * **Shape** reads may be of a state that is `atMostMs` old, and never of one that is older than the lease. Writes never are, by asking or by their own proof. A receipt that the state lacks
 * makes it ask. **Errors** `unsupported` for a scope that the node does not hold.
 */
export function keepFresh(
  parts: CompleteParts,
  state: Freshened,
  placement: Placement,
  { atMostMs, leaseMs }: Freshness,
): CompleteParts {
  const { documents, trash, versions, upkeep } = parts;
  let purging: Promise<unknown> = Promise.resolve();

  async function fresh(age: number, scopes?: readonly Scope[]): Promise<void> {
    if (state.age(scopes) >= Math.min(age, leaseMs)) await state.refresh(scopes);
    // Words that were purged elsewhere leave this node's files too.
    if (state.takePurge?.() === true) purging = purging.then(() => upkeep.scrub()).catch(() => {});
  }
  type Scoped = Scope | readonly Scope[];
  /** A verb over scopes that the node holds, on a state of at most that age. */
  const over =
    <First extends Scoped, Rest extends readonly unknown[], Result>(
      verb: (first: First, ...rest: Rest) => Promise<Result>,
      age: number,
    ) =>
    async (first: First, ...rest: Rest): Promise<Result> => {
      const scopes = [first].flat();
      placement.check(scopes);
      await fresh(age, scopes);
      return verb(first, ...rest);
    };
  /** How old a state may be that a call reads. Scopes that were listed for it are as fresh as their list. */
  const ageFor = (scopes: Scoped): number => (typeof scopes === "object" && takeAsked(scopes) ? anyAge : atMostMs);
  const write = <First extends Scoped, Rest extends readonly unknown[], Result>(
    verb: (first: First, ...rest: Rest) => Promise<Result>,
  ): ((first: First, ...rest: Rest) => Promise<Result>) => over(verb, 0);
  const read =
    <First extends Scoped, Rest extends readonly unknown[], Result>(
      verb: (first: First, ...rest: Rest) => Promise<Result>,
    ): ((first: First, ...rest: Rest) => Promise<Result>) =>
    (first, ...rest) =>
      over(verb, ageFor(first))(first, ...rest);
  const list = <First extends Scoped, Rest extends readonly unknown[], Item>(
    verb: (first: First, ...rest: Rest) => AsyncIterable<Item>,
  ) =>
    async function* (first: First, ...rest: Rest): AsyncGenerator<Item> {
      const scopes = [first].flat();
      placement.check(scopes);
      await fresh(ageFor(first), scopes);
      yield* verb(first, ...rest);
    };

  /** Whether the last question brought something: more may come, and a search on this state would be done again. */
  let isMoving = false;

  /**
   * The moment that is here, while the database is asked whether it is the newest. A search of it computes meanwhile.
   *
   * **Shape** `undefined` where nothing has to be asked, and where the state is likely to be old or is being written.
   */
  async function momentAhead(scopes: readonly Scope[], age: number): Promise<Moment | undefined> {
    const old = state.age(scopes);
    // A scope that was never asked for is not here.
    const at = old < Math.min(age, leaseMs) || old === Infinity ? undefined : state.peek?.();
    if (at === undefined) return undefined;
    let isHere = false;
    const asking = fresh(age, scopes).finally(() => {
      isHere = state.peek?.() === at;
      isMoving = !isHere;
    });
    if (isMoving) {
      await asking;
      return documents.moment(scopes);
    }
    asking.catch(() => {});
    // A driver sends the question in a turn of its own.
    await nextTurn();
    const moment = await documents.moment(scopes);
    const prove = async (): Promise<Moment> => {
      await asking;
      return isHere ? moment : documents.moment(scopes);
    };
    return proveLater(moment, prove());
  }

  /** Whether the state has the commits that receipts name. */
  async function hasCommits(receipts: readonly Receipt[]): Promise<boolean> {
    const { stamps } = await documents.moment(receipts.map(({ scope }) => scope));
    return receipts.every(({ scope, stamp, life }) => {
      const held = stamps.get(scope);
      return held !== undefined && held.life === life && held.stamp >= stamp;
    });
  }

  return {
    ...parts,
    documents: {
      ...documents,
      // It always writes, and a write is refused and done again where the scope has moved on.
      replace: over((...call) => documents.replace(...call), state.provesWrites === true ? leaseMs : 0),
      delete: write((...call) => documents.delete(...call)),
      touch: write((...call) => documents.touch(...call)),
      held: write((...call) => documents.held(...call)),
      find: read((...call) => documents.find(...call)),
      document: read((...call) => documents.document(...call)),
      structure: read((...call) => documents.structure!(...call)),
      readText: read((...call) => documents.readText!(...call)),
      documents: list((...call) => documents.documents(...call)),
      folders: read((...call) => documents.folders!(...call)),
      chunks: list((...call) => documents.chunks(...call)),
      chunkCounts: read((...call) => documents.chunkCounts(...call)),
      async scopes(age = atMostMs) {
        await fresh(age);
        return documents.scopes();
      },
      status: read((...call) => documents.status(...call)),
      async moment(scopes, after = [], age = atMostMs) {
        placement.check(scopes);
        const early = after.length === 0 && isAskedAhead(scopes) ? await momentAhead(scopes, age) : undefined;
        if (early !== undefined) return early;
        await fresh(age, scopes);
        if (after.length > 0 && !(await hasCommits(after))) await fresh(0, scopes);
        return documents.moment(scopes, after);
      },
      async close() {
        await purging;
        await documents.close();
      },
    },
    trash: {
      deleted: list((...call) => trash.deleted(...call)),
      async scopes() {
        await fresh(atMostMs);
        return trash.scopes!();
      },
      restore: write((...call) => trash.restore(...call)),
      async vacuum(...call) {
        await fresh(0);
        const gone = await trash.vacuum(...call);
        await state.prune?.();
        return gone;
      },
    },
    versions: {
      versions: over((...call) => versions.versions(...call), Math.max(noteAge, atMostMs)),
      lacking: list((...call) => versions.lacking(...call)),
      addVectors: write((...call) => versions.addVectors(...call)),
      changeVersion: write((...call) => versions.changeVersion(...call)),
    },
    upkeep: {
      async settle(...call) {
        await fresh(0);
        return upkeep.settle(...call);
      },
      scrub: () => upkeep.scrub(),
      ...(upkeep.idsInFiles && { idsInFiles: (ids: readonly string[]) => upkeep.idsInFiles!(ids) }),
      async examine(...call) {
        await fresh(0);
        return upkeep.examine(...call);
      },
    },
  };
}

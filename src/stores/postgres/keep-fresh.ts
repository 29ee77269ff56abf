import type { CompleteParts } from "../segments/segment-store.ts";
import type { Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Placement } from "./placement.ts";
import type { ReplicaDirectory } from "./replica-directory.ts";

/** Age of the note that says by which vectors a scope is searched. Both vectors are there long before and after it changes. **Units** milliseconds. */
const noteAge = 1_000;

/** How old a state may be that a node answers from. **Units** milliseconds. */
export interface Freshness {
  readonly atMostMs: number;
  /** No answer comes from an older state, whatever a call allows. */
  readonly leaseMs: number;
}

/**
 * Brings the copy up to date before each verb. Legs and `readChunks` follow the moment that a search has begun with.
 *
 * **Shape** reads may be of a state that is `atMostMs` old, and never of one that is older than the lease; writes never are. A receipt that the copy lacks
 * makes it ask. **Errors** `unsupported` for a scope that the node does not hold.
 */
export function keepFresh(
  parts: CompleteParts,
  directory: ReplicaDirectory,
  placement: Placement,
  { atMostMs, leaseMs }: Freshness,
): CompleteParts {
  const { documents, trash, versions, upkeep } = parts;
  let purging: Promise<unknown> = Promise.resolve();

  async function fresh(age: number): Promise<void> {
    if (directory.age() >= Math.min(age, leaseMs)) await directory.refresh();
    // Words that were purged elsewhere leave this node's files too.
    if (directory.takePurge()) purging = purging.then(() => upkeep.scrub()).catch(() => {});
  }
  type Scoped = Scope | readonly Scope[];
  /** A verb over scopes that the node holds, on a state of at most that age. */
  const over =
    <First extends Scoped, Rest extends readonly unknown[], Result>(
      verb: (first: First, ...rest: Rest) => Promise<Result>,
      age: number,
    ) =>
    async (first: First, ...rest: Rest): Promise<Result> => {
      placement.check([first].flat());
      await fresh(age);
      return verb(first, ...rest);
    };
  const write = <First extends Scoped, Rest extends readonly unknown[], Result>(
    verb: (first: First, ...rest: Rest) => Promise<Result>,
  ): ((first: First, ...rest: Rest) => Promise<Result>) => over(verb, 0);
  const read = <First extends Scoped, Rest extends readonly unknown[], Result>(
    verb: (first: First, ...rest: Rest) => Promise<Result>,
    age = atMostMs,
  ): ((first: First, ...rest: Rest) => Promise<Result>) => over(verb, age);
  const list = <First extends Scoped, Rest extends readonly unknown[], Item>(
    verb: (first: First, ...rest: Rest) => AsyncIterable<Item>,
  ) =>
    async function* (first: First, ...rest: Rest): AsyncGenerator<Item> {
      placement.check([first].flat());
      await fresh(atMostMs);
      yield* verb(first, ...rest);
    };

  /** Whether the copy has the commits that receipts name. */
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
      replace: write((...call) => documents.replace(...call)),
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
      async scopes() {
        await fresh(atMostMs);
        return documents.scopes();
      },
      status: read((...call) => documents.status(...call)),
      async moment(scopes, after = [], age = atMostMs) {
        placement.check(scopes);
        await fresh(age);
        if (after.length > 0 && !(await hasCommits(after))) await fresh(0);
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
        await directory.prune();
        return gone;
      },
    },
    versions: {
      versions: read((...call) => versions.versions(...call), Math.max(noteAge, atMostMs)),
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

import type { CompleteParts } from "../segments/segment-store.ts";
import type { ReplicaDirectory } from "./replica-directory.ts";

/** Age of the note that says by which vectors a scope is searched. Both vectors are there long before and after it changes. **Units** milliseconds. */
const noteAge = 1_000;

/**
 * Brings the copy up to date before each verb. Legs and `readChunks` follow the moment that a search has begun with.
 *
 * **Shape** reads may be of a state that is `atMostMs` old; writes, and reads after a receipt, never are.
 */
export function keepFresh(parts: CompleteParts, directory: ReplicaDirectory, atMostMs: number): CompleteParts {
  const { documents, trash, versions, upkeep } = parts;
  let purging: Promise<unknown> = Promise.resolve();

  async function fresh(age: number): Promise<void> {
    if (performance.now() - directory.freshAt() >= age) await directory.refresh();
    // Words that were purged elsewhere leave this node's files too.
    if (directory.takePurge()) purging = purging.then(() => upkeep.scrub()).catch(() => {});
  }
  const write = <Result>(verb: () => Promise<Result>): Promise<Result> => fresh(0).then(verb);
  const read = <Result>(verb: () => Promise<Result>, age = atMostMs): Promise<Result> => fresh(age).then(verb);
  async function* list<Item>(verb: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    await fresh(atMostMs);
    yield* verb();
  }

  return {
    ...parts,
    documents: {
      ...documents,
      replace: (...call) => write(() => documents.replace(...call)),
      delete: (...call) => write(() => documents.delete(...call)),
      touch: (...call) => write(() => documents.touch(...call)),
      held: (...call) => write(() => documents.held(...call)),
      find: (...call) => read(() => documents.find(...call)),
      document: (...call) => read(() => documents.document(...call)),
      structure: (...call) => read(() => documents.structure!(...call)),
      readText: (...call) => read(() => documents.readText!(...call)),
      documents: (...call) => list(() => documents.documents(...call)),
      chunks: (...call) => list(() => documents.chunks(...call)),
      chunkCounts: (...call) => read(() => documents.chunkCounts(...call)),
      scopes: () => read(() => documents.scopes()),
      status: (...call) => read(() => documents.status(...call)),
      moment: (scopes, after = []) => (after.length > 0 ? write : read)(() => documents.moment(scopes, after)),
      async close() {
        await purging;
        await documents.close();
      },
    },
    trash: {
      deleted: (...call) => list(() => trash.deleted(...call)),
      scopes: () => read(() => trash.scopes!()),
      restore: (...call) => write(() => trash.restore(...call)),
      vacuum: (...call) => write(() => trash.vacuum(...call)).then(async (gone) => directory.prune().then(() => gone)),
    },
    versions: {
      versions: (...call) => read(() => versions.versions(...call), Math.max(noteAge, atMostMs)),
      lacking: (...call) => list(() => versions.lacking(...call)),
      addVectors: (...call) => write(() => versions.addVectors(...call)),
      changeVersion: (...call) => write(() => versions.changeVersion(...call)),
    },
    upkeep: {
      settle: (...call) => write(() => upkeep.settle(...call)),
      scrub: () => upkeep.scrub(),
      examine: (...call) => write(() => upkeep.examine(...call)),
    },
  };
}

import type { Store } from "../../contracts/store.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { resumePurges } from "../segments/purge.ts";
import { overEngine } from "../engines/over-engine.ts";
import { composeStore } from "../compose/compose-store.ts";
import { createSegmentStore, prepareDirectory } from "../segments/segment-store.ts";
import { openSnapshotDirectory } from "./snapshot-directory.ts";
import { decideSnapshots, type SnapshotOptions } from "./snapshot-options.ts";
import { decideStoreOptions, type StoreOptions, storeOptionNames } from "../segments/store-options.ts";

/**
 * As for every store, and where this one is kept.
 *
 * @experimental
 */
export interface SnapshotStoreOptions extends StoreOptions {
  readonly snapshots: SnapshotOptions;
}

/**
 * A store in memory with snapshots in a blob store, for any JavaScript runtime: the same engine as the durable ones.
 *
 * **Shape** `durability: "snapshot"`: a change is saved five seconds after it was made, and when the store is closed; a purge and a reset at once. An existing snapshot
 * is loaded before the store opens. One process may write; others read the snapshot at their opening.
 * **Errors** `store-corrupt` for a snapshot that cannot be read, which is left as it is; errors of the blob store; `invalid-argument` for an unknown option. Writes
 * and closing with unsaved changes throw `store-failed` with `details.reason` `"overtaken"` when another process saved one meanwhile. Closing also fails when the
 * blob store does; unsaved changes are then lost.
 * **Cost** everything is held in memory; meant for some 50,000 chunks. A snapshot writes changed stretches of 1,024 rows.
 * **Source** ToolUp's in-memory store with blob persistence.
 *
 * @experimental
 */
export async function openSnapshotStore(options: SnapshotStoreOptions): Promise<Store> {
  checkGiven("openSnapshotStore", "options", options, "object", { snapshots: "object" });
  checkOptions("openSnapshotStore", options, { ...storeOptionNames, snapshots: true });
  const decided = decideStoreOptions(options);
  const directory = await openSnapshotDirectory(decideSnapshots(options.snapshots));
  const secret = await prepareDirectory(directory, decided);
  const parts = createSegmentStore(directory, { ...decided, secret, embeddings: ["dense", "sparse", "hybrid"] });
  await resumePurges(parts);
  return composeStore(await overEngine(parts, options), { name: "The snapshot store" });
}

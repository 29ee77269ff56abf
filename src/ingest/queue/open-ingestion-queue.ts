import { dirname, resolve } from "node:path";
import { openSqliteJobStore } from "../../stores/sqlite/sqlite-job-store.ts";
import type { IngestionQueue } from "../../contracts/ingestion-queue.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { createIngestionQueue } from "./ingestion-queue.ts";
import type { IngestionQueueOptions } from "./queue-options.ts";
import { checkLocation, storeFiles } from "../../stores/sqlite/knowledge-base-folder.ts";
import { isPostgresAddress } from "../../stores/postgres/postgres-address.ts";
import { checkGiven } from "../../runtime/check-options.ts";
import { toUri } from "../to-uri.ts";

/**
 * Opens a queue for a knowledge base at `location`. Its jobs are in the same file, and outlive the process. Without a location, and for a database, they are in
 * memory.
 *
 * **Shape** any number of processes may have one over the same knowledge base. **Errors** as `openSqliteJobStore` and `createIngestionQueue`.
 *
 * @experimental
 */
export async function openIngestionQueue(
  kb: KnowledgeBase,
  location?: string,
  options: Omit<IngestionQueueOptions, "jobs" | "resolveUri"> = {},
): Promise<IngestionQueue> {
  checkGiven("openIngestionQueue", "options", options, "object");
  if (location === undefined || isPostgresAddress(location)) return createIngestionQueue(kb, options);
  const folder = resolve(checkLocation(location));
  const jobs = await openSqliteJobStore(storeFiles(folder)[0] ?? "");
  try {
    return createIngestionQueue(kb, { ...options, jobs, resolveUri: toUri(dirname(folder)) });
  } catch (error) {
    await jobs.close();
    throw error;
  }
}

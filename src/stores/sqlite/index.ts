/** `ibid/stores/sqlite`. */
export { type Backup, type BackupFile, backUpFolder, restoreFolder, verifyBackup } from "./backup.ts";
export { openSqliteStore } from "../open-sqlite-store.ts";
export { createSqliteEngine, type SqliteEngineOptions } from "./sqlite-engine.ts";
export { openSqliteEventStore, type SqliteEventStoreOptions } from "./sqlite-event-store.ts";
export { openSqliteJobStore, type SqliteJobStoreOptions } from "./sqlite-job-store.ts";

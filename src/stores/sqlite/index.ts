/** `ibid/stores/sqlite`. */
export { openSqliteStore } from "../open-sqlite-store.ts";
export { openSqliteEventStore, type SqliteEventStoreOptions } from "./sqlite-event-store.ts";
export { openSqliteJobStore, type SqliteJobStoreOptions } from "./sqlite-job-store.ts";

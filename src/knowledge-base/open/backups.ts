/** Backups of a knowledge base in a folder. */
export { type Backup, backUpFolder, restoreFolder, verifyBackup } from "../../stores/sqlite/backup.ts";

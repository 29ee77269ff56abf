// Opens a store in a file, and dies without warning at the n-th moment that matters to an upgrade: before or after a commit, before or after the file takes its name.
// Says which moments it passed. With a third word, the disk has so many free blocks of 4 KiB; the error is said then.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { plainAnalyzer } from "../build.ts";

const [path = "", until = "", blocks] = process.argv.slice(2);
let left = Number(until);

function pass(moment: string): void {
  fs.writeSync(1, `${moment.replaceAll(/\s+/gu, " ").slice(0, 50)}\n`);
  if (--left === 0) process.kill(process.pid, "SIGKILL");
}

const exec = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "exec")!.value as DatabaseSync["exec"];
DatabaseSync.prototype.exec = function (sql) {
  const isMoment = /COMMIT|user_version/u.test(sql);
  if (isMoment) pass(`before ${sql}`);
  exec.call(this, sql);
  if (isMoment) pass(`after ${sql}`);
};
const rename = fs.renameSync;
fs.renameSync = (from, to) => {
  pass("before the name");
  rename(from, to);
  pass("after the name");
};
if (blocks !== undefined) fs.statfsSync = (() => ({ bavail: Number(blocks), bsize: 4096 })) as never;
syncBuiltinESMExports();

const { openSqliteStore } = await import("../../../src/stores/sqlite/sqlite-store.ts");
try {
  await (await openSqliteStore(path, { analyzer: plainAnalyzer })).close();
  fs.writeSync(1, "done\n");
} catch (error) {
  fs.writeSync(1, `${JSON.stringify(error)}\n`);
}

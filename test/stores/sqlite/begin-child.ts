import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";

/** Opens files as it is told, each at the given time to the millisecond, so that another process does so in the same moment. */
process.on("message", ({ path, at }: { readonly path: string; readonly at: number }) => {
  while (Date.now() < at) continue;
  openSqliteStore(path)
    .then((store) => store.close())
    .then(() => process.send!("open"))
    .catch((error: unknown) => process.send!(String(error)));
});
process.send!("ready");

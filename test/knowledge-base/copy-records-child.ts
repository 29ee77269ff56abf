// Copies records from one SQLite file to another, and is killed before one of its writes: <knowledge base> <from> <to> <number of the write>
import type { Engine } from "../../src/contracts/engine.ts";
import { migrateRecords } from "../../src/knowledge-base/open/migrate.ts";
import { createSqliteEngine } from "../../src/stores/sqlite/sqlite-engine.ts";

const [kb, from, to, killBefore] = process.argv.slice(2) as [string, string, string, string];
const engine = createSqliteEngine({ file: to });
let writes = 0;
const killed: Engine = {
  ...engine,
  async open(spec) {
    const index = await engine.open(spec);
    return {
      ...index,
      async put(entries) {
        if (++writes === Number(killBefore)) process.kill(process.pid, "SIGKILL");
        await index.put(entries);
      },
    };
  },
};
await migrateRecords(kb, { from: createSqliteEngine({ file: from }), to: killed }, undefined);

// Records in SQLite, in this process:
//   node sqlite.ts products.sqlite
import { createSqliteEngine } from "ibid/stores/sqlite";
import { keepRecords } from "./keep-records.ts";

const file = process.argv[2] ?? ":memory:";
await keepRecords(createSqliteEngine({ file }));

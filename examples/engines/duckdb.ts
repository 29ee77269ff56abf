// Records in DuckDB, in this process:
//   node duckdb.ts products.duckdb
import { createDuckDbEngine } from "ibid/stores/duckdb";
import { keepRecords } from "./keep-records.ts";

const database = process.argv[2] ?? ":memory:";
await keepRecords(createDuckDbEngine({ database }));

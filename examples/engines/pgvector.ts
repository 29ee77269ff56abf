// Records in Postgres with pgvector:
//   node pgvector.ts postgres://app@127.0.0.1/vectors
import { createPgvectorEngine } from "ibid/stores/pgvector";
import { keepRecords } from "./keep-records.ts";

const database = process.argv[2] ?? "postgres://127.0.0.1/postgres";
await keepRecords(createPgvectorEngine({ database }));

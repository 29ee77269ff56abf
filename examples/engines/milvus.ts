// Records in Milvus:
//   node milvus.ts http://127.0.0.1:19530
import { createMilvusEngine } from "ibid/stores/milvus";
import { keepRecords } from "./keep-records.ts";

const server = process.argv[2] ?? "http://127.0.0.1:19530";
await keepRecords(createMilvusEngine({ server }));

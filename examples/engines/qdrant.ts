// Records in Qdrant:
//   node qdrant.ts http://127.0.0.1:6333
import { createQdrantEngine } from "ibid/stores/qdrant";
import { keepRecords } from "./keep-records.ts";

const url = process.argv[2] ?? "http://127.0.0.1:6333";
await keepRecords(createQdrantEngine({ url }));

// Records in Weaviate:
//   node weaviate.ts http://127.0.0.1:8080
import { createWeaviateEngine } from "ibid/stores/weaviate";
import { keepRecords } from "./keep-records.ts";

const url = process.argv[2] ?? "http://127.0.0.1:8080";
await keepRecords(createWeaviateEngine({ url }));

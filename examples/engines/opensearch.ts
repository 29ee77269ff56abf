// Records in OpenSearch:
//   node opensearch.ts http://127.0.0.1:9200
import { createOpenSearchEngine } from "ibid/stores/opensearch";
import { keepRecords } from "./keep-records.ts";

const url = process.argv[2] ?? "http://127.0.0.1:9200";
await keepRecords(createOpenSearchEngine({ url }));

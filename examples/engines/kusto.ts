// Records in Azure Data Explorer, or an eventhouse of Fabric:
//   KUSTO_TOKEN=… node kusto.ts https://demo.kusto.windows.net vectors
import { createKustoEngine } from "ibid/stores/kusto";
import { keepRecords } from "./keep-records.ts";

const [url = "", database = ""] = process.argv.slice(2);
const { KUSTO_TOKEN: token = "" } = process.env;
await keepRecords(createKustoEngine({ url, database, token }));

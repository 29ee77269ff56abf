// Records in Azure AI Search:
//   AZURE_SEARCH_KEY=… node azure-search.ts https://demo.search.windows.net
import { createAzureSearchEngine } from "ibid/stores/azure-search";
import { keepRecords } from "./keep-records.ts";

const [url = ""] = process.argv.slice(2);
const { AZURE_SEARCH_KEY: apiKey = "" } = process.env;
await keepRecords(createAzureSearchEngine({ url, apiKey }));

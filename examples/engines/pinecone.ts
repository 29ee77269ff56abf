// Records in Pinecone:
//   PINECONE_API_KEY=… node pinecone.ts
import { createPineconeEngine } from "ibid/stores/pinecone";
import { keepRecords } from "./keep-records.ts";

const [url] = process.argv.slice(2);
const { PINECONE_API_KEY: apiKey = "" } = process.env;
await keepRecords(createPineconeEngine({ apiKey, ...(url !== undefined && { url }) }));

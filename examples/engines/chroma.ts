// Records in Chroma:
//   node chroma.ts http://127.0.0.1:8000
import { createChromaEngine } from "ibid/stores/chroma";
import { keepRecords } from "./keep-records.ts";

const url = process.argv[2] ?? "http://127.0.0.1:8000";
await keepRecords(createChromaEngine({ url }));

// Records in MongoDB:
//   node mongodb.ts mongodb+srv://user:password@host/vectors
import { createMongoEngine } from "ibid/stores/mongodb";
import { keepRecords } from "./keep-records.ts";

const database = process.argv[2] ?? "mongodb://127.0.0.1:27017/vectors";
await keepRecords(createMongoEngine({ database }));

import { serveReaders } from "../../src/readers/worker/serve-readers.ts";
import { createHostileReaders } from "./hostile-readers.ts";

serveReaders(createHostileReaders(), Number(process.argv[2]));

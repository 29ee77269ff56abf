/**
 * The program that reads files in a process of its own. An edge: started by its file, never imported.
 */
import { serveReaders } from "./serve-readers.ts";
import { createReaders } from "../create-readers.ts";

serveReaders(createReaders(), Number(process.argv[2]));

/**
 * The program that reads files in a process of its own. An edge: started by its file, never imported.
 */
import { serveReaders } from "./serve-readers.ts";
import { createReaders } from "../create-readers.ts";

/**
 * V8 compiles what WebAssembly runs often once more, to be faster. For the grammar of Swift that takes 3 GB, beside the reading of other files. Code
 * is read as fast without it. A runtime without this switch keeps its own way.
 */
try {
  process.getBuiltinModule("node:v8").setFlagsFromString("--wasm-tiering-budget=2000000000");
} catch {
  // Not V8.
}

serveReaders(createReaders(), Number(process.argv[2]));

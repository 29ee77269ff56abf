/**
 * The program of the thread that reads ahead. An edge: started by `adapters/thread/`, never imported.
 */
import { serveAhead } from "../adapters/thread/serve-ahead.ts";
import { createAutoChunker } from "../chunks/auto-chunker.ts";
import { createReaders } from "./create-readers.ts";
import { languageAnalyzer } from "./language-analyzer.ts";

serveAhead({ readers: createReaders(), chunker: createAutoChunker(), analyzer: languageAnalyzer });

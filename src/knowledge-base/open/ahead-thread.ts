/**
 * The program of the thread that reads ahead. An edge: started by `adapters/thread/`, never imported.
 */
import { serveAhead } from "../../ingest/ahead/serve-ahead.ts";
import { createAutoChunker } from "../../chunkers/auto-chunker.ts";
import { createReaders } from "../../readers/create-readers.ts";
import { languageAnalyzer } from "../../text/languages/snowball/language-analyzer.ts";

serveAhead({ readers: createReaders(), chunker: createAutoChunker(), analyzer: languageAnalyzer });

// Embeds what is in the file anew, saying after each batch how many chunks have their vectors.
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { plainTextReader } from "../../../src/readers/text/plain-text-reader.ts";
import { assembleKnowledgeBase } from "../../../src/knowledge-base/open/assemble.ts";
import { plainAnalyzer } from "../../stores/build.ts";
import { lettersModel } from "./letters-model.ts";

const [path = ""] = process.argv.slice(2);
const store = await openSqliteStore(path, { analyzer: plainAnalyzer, segments: { sealAt: 8, settleAt: 4 } });
const options = { models: { embedding: lettersModel("new", "a"), formerEmbeddings: [lettersModel("old", "e")] } };
const kb = await assembleKnowledgeBase(store, options, { readers: [plainTextReader] });
await kb.reembed({ batchSize: 4, onProgress: ({ done }) => process.send?.(done) });
await kb.close();
process.disconnect?.();

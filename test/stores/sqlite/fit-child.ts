// Fits the model of the store that is named, and says at every slice how far it is.
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { plainAnalyzer } from "../build.ts";
import { watchedModel } from "../topics.ts";

const [path = ""] = process.argv.slice(2);
const store = await openSqliteStore(path, {
  analyzer: plainAnalyzer,
  corpusModel: watchedModel(30),
  segments: { sealAt: 8, settleAt: 4 },
});
// The fit is one part; that every segment then moves in a transaction of its own is told by the file.
await store.upkeep!.settle({ onProgress: (share) => process.send?.(`fit ${share}`) });
await store.close();
process.disconnect?.();

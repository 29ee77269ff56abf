// Shares the index of a base until it kills itself before a statement, by its number. Prints how many statements a whole share has.
import { Pool } from "pg";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { documentEntry, plainAnalyzer, write } from "../build.ts";
import { topicText } from "../topics.ts";

const [address = "", schema = "", replicas = "", round = "", killBefore = ""] = process.argv.slice(2);
const pool = new Pool({ connectionString: address, max: 4 });
let [isSharing, statements] = [false, 0];
const client: PostgresClient = {
  query(text: string, values?: unknown[]) {
    if (isSharing && ++statements === Number(killBefore)) process.kill(process.pid, "SIGKILL");
    return pool.query(text, values);
  },
};
const segments = { sealAt: 6, settleAt: 2 };
const options = { schema, replicas, analyzer: plainAnalyzer, segments, shareIndex: true };
const store = await openPostgresStore(client, options);
for (const scope of ["deployment", "team:a"] as const) {
  for (let i = 0; i < 24; i++) {
    const paragraphs = [0, 1, 2, 3].map((j) => `${j}p round${round} ${topicText(i + j)}`);
    await store.replace(write(scope), documentEntry(`d${i}`, paragraphs));
  }
}
isSharing = true;
await store.upkeep!.settle();
process.stdout.write(String(statements));
await store.close();
await pool.end();

// Writes documents to a base until it is killed, and prints the name of each that was acknowledged.
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { documentEntry, plainAnalyzer, write } from "../build.ts";

const [address = "", schema = "", replicas = "", name = ""] = process.argv.slice(2);
const store = await openPostgresStore(address, { schema, replicas, analyzer: plainAnalyzer });
const scopes = ["deployment", `team:${name}`] as const;
// Rounds go on from life to life.
for (let i = Date.now(); ; i++) {
  const batch = [0, 1, 2].map((j) => `${name}-${i % 7}-${j}`);
  await Promise.all(
    batch.map((id, j) =>
      store.replace(
        write(scopes[j % 2]!),
        documentEntry(id, [`round${i} ash`, `birch${j} round${i}`, `cedar round${i}`]),
      ),
    ),
  );
  process.stdout.write(batch.map((id, j) => `${scopes[j % 2]} ${id} ${i}\n`).join(""));
}

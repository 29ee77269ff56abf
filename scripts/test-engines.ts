// Starts the database servers that can be had on this machine and runs the tests of stores over them. Each one that was skipped is listed with the reason.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { startPooler } from "./start-pooler.ts";
import { installEngines, startPostgres } from "./start-postgres.ts";

const root = join(import.meta.dirname, "..");
const skipped: string[] = [];
let failed = false;

installEngines();
const server = await startPostgres();
if (server === undefined) skipped.push(`Postgres: npm has no binaries for ${process.platform} on ${process.arch}`);
else {
  const pooler = await startPooler(server.address);
  if (pooler === undefined) skipped.push("PgBouncer: it is not here (apt-get install pgbouncer, or IBID_PGBOUNCER)");
  try {
    console.log(`Postgres runs at ${new URL(server.address).host}.`);
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const { status } = spawnSync(
      process.execPath,
      [vitest, "run", "test/stores/postgres", "test/contracts/postgres-store.test.ts"],
      {
        cwd: root,
        stdio: "inherit",
        env: {
          ...process.env,
          IBID_TEST_POSTGRES: server.address,
          IBID_FULL: "1",
          ...(pooler && { IBID_TEST_POOLER: pooler.address }),
        },
      },
    );
    failed = status !== 0;
  } finally {
    pooler?.stop();
    server.stop();
  }
}
for (const one of skipped) console.log(`skipped ${one}`);
process.exitCode = failed ? 1 : 0;

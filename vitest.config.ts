import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

/** The subpaths of the package and their sources, as tsconfig.json has them. */
const paths = JSON.parse(
  /"paths": (\{[^}]*\})/u.exec(readFileSync(new URL("./tsconfig.json", import.meta.url), "utf8"))![1]!,
) as Record<string, readonly [string]>;

/** All cases of a test take minutes where a sample takes a second. */
const limitMs = (process.env["IBID_FULL"] ?? process.env["IBID_RUNS"]) === undefined ? 120_000 : 900_000;

export default defineConfig({
  resolve: {
    alias: Object.entries(paths).map(([name, [source]]) => ({
      find: new RegExp(`^${name}$`, "u"),
      replacement: fileURLToPath(new URL(source, import.meta.url)),
    })),
  },
  test: {
    include: ["test/**/*.test.ts"],
    // The page is built once: tests ask the service for its files.
    globalSetup: ["test/support/build-page.ts"],
    exclude: ["**/node_modules/**", "test/fixtures/**"],
    // Processes, not threads: tests start workers, open databases and are killed in the middle of a write.
    pool: "forks",
    // One more than the cores of a small machine: a test that waits for a process or a disk leaves its core to another.
    maxWorkers: 3,
    // Files share a process, which loads the sources once: with one for each, every sixth second went into loading. What a file changes for all, it puts back.
    isolate: false,
    // Against what hangs; what is slow because other work fills the machine is not wrong.
    testTimeout: limitMs,
    hookTimeout: limitMs,
    expect: { poll: { timeout: 30_000 } },
    // Processes that tests start need not compile the sources anew, each for itself.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("./node_modules/.cache/compiled", import.meta.url)) },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "coverage",
    },
  },
});

import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const inSource = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests may say `import … from "ibid"` and get the sources, as in tsconfig.json.
    alias: [
      { find: /^ibid\/langchain$/, replacement: inSource("langchain.ts") },
      { find: /^ibid$/, replacement: inSource("node.ts") },
      { find: /^ibid\/server$/, replacement: inSource("server/index.ts") },
      { find: /^ibid\/testing$/, replacement: inSource("testing/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/fixtures/**"],
    // Processes, not threads: tests start workers, open databases and are killed in the middle of a write.
    pool: "forks",
    maxWorkers: 2,
    // Files share a process, which loads the sources once: with one for each, every sixth second went into loading. What a file changes for all, it puts back.
    isolate: false,
    // Against what hangs; what is slow because other work fills the machine is not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000,
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

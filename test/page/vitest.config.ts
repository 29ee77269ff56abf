import { defineConfig, mergeConfig } from "vitest/config";
import usual from "../../vitest.config.ts";

/** The page of `ibid serve` in a real browser: `npm run check:page`. One file after another, since timings are looked at. */
export default mergeConfig(
  { ...usual, test: { ...usual.test, include: [] } },
  defineConfig({ test: { include: ["test/page/**/*.check.ts"], maxWorkers: 1, testTimeout: 300_000 } }),
);

// Bundles the files of `tsc` into a few for Node. Finding and reading hundreds one by one takes half of a short
// command's time (docs/decisions/0024). The unbundled files stay for other runtimes and for bundlers, so that a page
// loads only what it uses.
//
// Every subpath is an input of one bundle, so that their code is shared. Only the module that made a proof of the gate
// recognises it. Packages stay outside.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { schemaOfConfig } from "../src/cli/config.ts";
import { configOptions } from "../src/server/config-options.ts";
import { root, subpaths } from "./subpaths.ts";

const dist = join(root, "dist");
const emitted = (source: string): string => join(root, source.replace("src/", "dist/").replace(/\.ts$/u, ".js"));

/** Programs that are started by their file: the command line, the process that reads documents, and threads. */
const programs: Readonly<Record<string, string>> = {
  "cli/bin": emitted("src/cli/bin.ts"),
  "node/read-worker": emitted("src/readers/worker/read-worker.ts"),
  "node/store-thread-program": emitted("src/stores/sqlite/store-thread-program.ts"),
  "node/run-in-thread": emitted("src/models/transformers/run-in-thread.ts"),
};

const entries = subpaths.map(({ nodeFile, nodeSource }) => [
  nodeFile.replace(/^dist\//u, "").replace(/\.js$/u, ""),
  emitted(nodeSource),
]);

const bundle = await rolldown({
  input: { ...Object.fromEntries(entries), ...programs },
  platform: "node",
  checks: { ineffectiveDynamicImport: false },
  external: (id) => !id.startsWith(".") && !id.startsWith("/") && !/^[a-z]:/iu.test(id),
});
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "node/[name]-[hash].js",
  sourcemap: false,
  // Code that three inputs load goes into one chunk: without it, `import "ibid"` reads 60 files. The chunk has the dependencies of its code too, so that no two
  // chunks need each other, which would leave a constant without its value. The service's code stays out: it loads packages, and `import "ibid"` loads none.
  codeSplitting: {
    groups: [
      { name: "shared", tags: ["$initial"], minShareCount: 3, test: (id) => !id.startsWith(join(dist, "server")) },
    ],
  },
});
await bundle.close();

// The command line has no subpath: nothing loads its unbundled files.
const kept = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(join(dist, "cli"))) {
  if (!kept.has(`cli/${name}`)) rmSync(join(dist, "cli", name));
}

// Editors complete ibid.config.json by it: { "$schema": "./node_modules/ibid/dist/config.schema.json" }.
writeFileSync(join(dist, "config.schema.json"), `${JSON.stringify(schemaOfConfig(configOptions), undefined, 2)}\n`);

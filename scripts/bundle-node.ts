// Makes a dozen files of the hundreds that Node would find and read one by one: half of a short command was that (docs/decisions/0024). What lies below stays
// for other runtimes and for bundlers, a file a module, so that a page is not sent what it does not use.
//
// Runs after `tsc`, over what that put into dist. The doors for Node share their chunks, since a permission is known by the very module that made it (law 3).
// Packages stay outside.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const dist = join(import.meta.dirname, "..", "dist");

const bundle = await rolldown({
  input: {
    node: join(dist, "node.js"),
    "server/node": join(dist, "server", "index.js"),
    "testing/node": join(dist, "testing", "index.js"),
    "cli/bin": join(dist, "cli", "bin.js"),
    // Started by its name, in a process of its own.
    "node/read-worker": join(dist, "node", "read-worker.js"),
  },
  platform: "node",
  external: (id) => !id.startsWith(".") && !id.startsWith("/") && !/^[a-z]:/iu.test(id),
});
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "node/[name]-[hash].js",
  sourcemap: false,
});
await bundle.close();

// The command line is no door: what it was made of is not needed beside it.
const kept = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(join(dist, "cli"))) {
  if (!kept.has(`cli/${name}`)) rmSync(join(dist, "cli", name));
}

// Makes a dozen files of the hundreds that Node would find and read one by one: half of a short command was that (docs/decisions/0024). What lies below stays
// for other runtimes and for bundlers, a file a module, so that a page is not sent what it does not use.
//
// Runs after `tsc`, over what that put into dist. The doors for Node share their chunks, since a permission is known by the very module that made it (law 3).
// Packages stay outside, but for the one that every command begins with.
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

const dist = join(import.meta.dirname, "..", "dist");
const parser = createRequire(import.meta.url).resolve("commander");

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
  external: (id) => id !== "commander" && !/^(?:[./\0]|node:|[a-z]:)/iu.test(id),
  plugins: [
    {
      name: "builtins",
      resolveId: {
        filter: { id: /^node:/u },
        handler: (id, importer, { kind }) =>
          kind === "dynamic-import"
            ? { id, external: true }
            : { id: `\0${id === "node:child_process" && isParser(importer) ? "late:" : ""}${id}` },
      },
      load: {
        filter: { id: /^\0(?:late:)?node:/u },
        handler: (id) => (id.startsWith("\0late:") ? lateModule(id.slice(6)) : builtinModule(id.slice(1))),
      },
    },
  ],
  // Reading a property of a module of Node's has no effect but to load what the property wants.
  treeshake: { propertyReadSideEffects: false },
});

function isParser(importer: string | undefined): boolean {
  return importer?.startsWith(dirname(parser)) === true;
}

/** `import` of a module of Node's looks at each of its properties, some of which load others first. This looks at those that are used. */
function builtinModule(id: string): string {
  const module: object = process.getBuiltinModule(id) as object;
  if (!builtinModules.includes(id) && !builtinModules.includes(id.slice(5))) throw new Error(`Node has no ${id}.`);
  const names = Object.getOwnPropertyNames(module).filter(
    (name) => /^[a-z_$][\w$]*$/iu.test(name) && name !== "default",
  );
  return [
    `const module = process.getBuiltinModule(${JSON.stringify(id)});`,
    "export default module;",
    ...names.map((name) => `const $${name} = module.${name};\nexport { $${name} as ${name} };`),
  ].join("\n");
}

/** The parser starts programs for commands that are files of their own; ours are not. */
function lateModule(id: string): string {
  return `export default { spawn: (...args) => process.getBuiltinModule(${JSON.stringify(id)}).spawn(...args) };`;
}

const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "node/[name]-[hash].js",
  sourcemap: false,
});
await bundle.close();
copyFileSync(join(dirname(parser), "LICENSE"), join(dist, "cli", "commander-LICENSE"));

// The command line is no door: what it was made of is not needed beside it.
const kept = new Set([...output.map(({ fileName }) => fileName), "cli/commander-LICENSE"]);
for (const name of readdirSync(join(dist, "cli"))) {
  if (!kept.has(`cli/${name}`)) rmSync(join(dist, "cli", name));
}

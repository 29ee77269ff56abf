// Builds the documentation site into site/dist: npm run docs:build [-- --base /ibid/]
// Installs the site's own packages when they are missing or another version is locked.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeReference } from "./reference.ts";
import { buildElement } from "../scripts/build-page.ts";
import { buildSite } from "../src/knowledge-base/site/build-site.ts";
import { searchWeights } from "./map.ts";
import { readSite, writeSite } from "./prepare.ts";

const { values } = parseArgs({ options: { base: { type: "string", default: "/" } } });
const base = `/${values.base}/`.replaceAll(/\/+/gu, "/");
const folder = import.meta.dirname;
const root = join(folder, "..");
const run = (command: string, ...args: readonly string[]): void => {
  execFileSync(command, args, {
    cwd: folder,
    stdio: "inherit",
    env: { ...process.env, IBID_SITE_BASE: base, ASTRO_TELEMETRY_DISABLED: "1" },
  });
};

const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
const installed = join(folder, "node_modules/.lock");
if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) {
  // Not `npm ci`, which refuses a lock without the optional binaries of other platforms: registries may lack some of them.
  run("npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund");
  writeFileSync(installed, lock);
}
const site = readSite(root, await makeReference(folder));
// Pages are rendered anew: the generator would keep those whose text is the same under other settings.
for (const kept of ["node_modules/.astro", ".astro"]) rmSync(join(folder, kept), { recursive: true, force: true });
writeSite(root, folder, site, base);
run(process.execPath, "node_modules/astro/bin/astro.mjs", "build");
await buildElement(join(root, "src/knowledge-base/site/built"));
const index = await buildSite(join(folder, "dist"), { weights: searchWeights });
console.log(`search: ${index.files} files, ${index.bytes} bytes for ${index.pages} pages`);
console.log(`${site.pages.length} pages, ${site.files.length} linked files: site/dist`);
